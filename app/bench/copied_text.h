// Finds texts of kernels that were copied: texts are compared without comments, blanks and names.
// Rule: parts of a text that stem from the initial texts are no likeness.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gravlab {

/// The shape of a text: hashes of its runs of kShapeRun consecutive words and signs, each once, in ascending order. Names
/// are all the same word.
using TextShape = std::vector<std::uint64_t>;
constexpr std::size_t kShapeRun = 24;
TextShape shapeOf(std::string_view text);

/// Fraction of the smaller shape that the larger one contains too, 0 to 1, without what is in `common`. It is 0 where fewer
/// than kLeastOwn runs remain: such texts are too short to say who wrote them.
constexpr std::size_t kLeastOwn = 3 * kShapeRun;
double likeness(const TextShape& one, const TextShape& other, const TextShape& common);

/// Fraction of `shape` that `other` contains, 0 to 1.
double shareIn(const TextShape& shape, const TextShape& other);

/// Line of the first directive that includes another file of this machine, from 1; 0: none. What it includes would not be
/// compared. A header that the compiler searches for, <NAME>, is none, and neither is a directive behind //.
int lineThatIncludes(std::string_view text);

}  // namespace gravlab
