// Cells for laws that end: no smaller than the reach of the law, so that whatever acts on a body is in the 27 cells about
// its own. Sorted by their keys, cells of a row are side by side: the 27 are nine stretches. Host and device. Rule: no table
// of cells; only those that hold a body exist, so an extent of any size takes no memory.
#pragma once
#include "sim/forces/law.h"

#include <cstdint>

namespace gravlab {

/// Cells along an axis, bits and number; half of them on either side of the origin.
constexpr int kCellBits = 21, kCellKeyBits = 3 * kCellBits;
constexpr std::uint32_t kCellGrid = 1u << kCellBits;

/// The distance from which on the law is exactly nothing, in whatever precision it is computed; infinite: it has no end.
inline double reachOf(const ForceSettings& force) { return lawRow(force.law).reach(force); }

/// Cells a length. They are a little longer than the reach: what rounding does to a place and to a distance in single
/// precision never brings two bodies into reach that are two cells apart.
inline double cellsPerLength(const ForceSettings& force) {
    constexpr double kMargin = 1e-5;
    return 1 / (reachOf(force) * (1 + kMargin));
}

/// The cell of a coordinate along an axis: 1 to kCellGrid - 2, so that both neighbours have keys. What is farther out, or is
/// no number, is in the last one: neighbours stay neighbours there, and their cell is large.
GRAVLAB_HOST_DEVICE std::uint32_t cellPlace(double x, double perLength) {
    const double place = x * perLength + kCellGrid / 2;
    if (!(place > 1)) return 1;
    return place < kCellGrid - 2 ? static_cast<std::uint32_t>(place) : kCellGrid - 2;
}

/// Along x first: cells that differ by one there have keys that differ by one.
GRAVLAB_HOST_DEVICE std::uint64_t cellKey(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return (static_cast<std::uint64_t>(z) << kCellBits | y) << kCellBits | x;
}
/// All cells of a row have it.
GRAVLAB_HOST_DEVICE std::uint64_t cellRow(std::uint64_t key) { return key >> kCellBits; }
GRAVLAB_HOST_DEVICE std::uint32_t cellOfRow(std::uint64_t key) { return static_cast<std::uint32_t>(key & (kCellGrid - 1)); }

/// Rows about one, itself among them: 0 to 8, in the order of their keys.
constexpr int kCellRows = 9;
GRAVLAB_HOST_DEVICE std::uint64_t neighbourRow(std::uint64_t row, int which) {
    return row + (static_cast<std::uint64_t>(which / 3) << kCellBits) + static_cast<std::uint64_t>(which % 3) -
           (std::uint64_t{1} << kCellBits) - 1;
}

}  // namespace gravlab
