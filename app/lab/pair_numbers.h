// The numbers of all pairs, which the matrix shows in colours, as a file.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/pair_matrix.h"
#include "sim/core/particles.h"

#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Row i of the matrix in double precision: the quantity between i and each j; 0 for i itself.
std::vector<double> pairRow(std::span<const Double4> positions, const ForceSettings& force, PairValue value, std::size_t i);
/// Writes all rows, as .csv or as .npy (an array of double precision of NumPy). Throws UsageError for another extension or
/// too many bodies, IoError.
void writePairNumbers(const std::string& path, std::span<const Double4> positions, const ForceSettings& force,
                      PairValue value);
/// Throws UsageError unless the path ends in .csv or .npy.
void requirePairFile(const std::string& path);

}  // namespace gravlab
