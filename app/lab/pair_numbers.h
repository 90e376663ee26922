// The numbers of all pairs, as a file: what the matrix shows in colours.
#pragma once
#include "sim/backends/pair_matrix.h"
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Row i of the matrix in double precision: of each j what i has with it; 0 for i itself.
std::vector<double> pairRow(std::span<const Double4> positions, const ForceSettings& force, PairValue value, std::size_t i);
/// Writes all rows, as .csv or as .npy (an array of double precision of NumPy). Throws UsageError for another ending and too
/// many bodies, IoError.
void writePairNumbers(const std::string& path, std::span<const Double4> positions, const ForceSettings& force,
                      PairValue value);
/// Throws UsageError unless it ends in .csv or .npy.
void requirePairFile(const std::string& path);

}  // namespace gravlab
