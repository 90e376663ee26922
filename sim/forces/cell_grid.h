// Cells for laws with finite reach. A cell is at least as long as the reach, so that everything that acts on a body is in
// the 27 cells around it. Sorted by their keys, cells of a row are adjacent: the 27 cells are nine ranges. Host and device.
// Rule: no table of cells; only cells with bodies exist, so an extent of any size takes no memory.
#pragma once
#include "sim/forces/law.h"

#include <cstdint>

namespace gravlab {

/// Cells along an axis: bits and number; half of them lie on either side of the origin.
constexpr int kCellBits = 21, kCellKeyBits = 3 * kCellBits;
constexpr std::uint32_t kCellGrid = 1u << kCellBits;
/// This bit, above those of a cell, puts bodies without mass behind all others: no range of sources contains them.
constexpr std::uint64_t kCellOfTargets = std::uint64_t{1} << kCellKeyBits;

/// The distance beyond which the law is exactly zero in every precision; infinite when it has no end.
inline double reachOf(const ForceSettings& force) { return lawRow(force.law).reach(force); }

/// Cells per unit length. Cells are a little longer than the reach: rounding of places and distances in single precision
/// then never brings bodies within reach that are two cells apart.
inline double cellsPerLength(const ForceSettings& force) {
    constexpr double kMargin = 1e-5;
    return 1 / (reachOf(force) * (1 + kMargin));
}

/// The cell of a coordinate along an axis: 1 to kCellGrid - 2, so that both neighbours have keys. Coordinates farther out,
/// and NaN, fall into the outermost cell: neighbours stay neighbours there, and that cell is large.
GRAVLAB_HOST_DEVICE std::uint32_t cellPlace(double x, double perLength) {
    const double place = x * perLength + kCellGrid / 2;
    if (!(place > 1)) return 1;
    return place < kCellGrid - 2 ? static_cast<std::uint32_t>(place) : kCellGrid - 2;
}

/// The key of a cell, along x first: cells that differ by one in x have keys that differ by one.
GRAVLAB_HOST_DEVICE std::uint64_t cellKey(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return (static_cast<std::uint64_t>(z) << kCellBits | y) << kCellBits | x;
}
/// The row of a key; all cells of a row have the same one.
GRAVLAB_HOST_DEVICE std::uint64_t cellRow(std::uint64_t key) { return key >> kCellBits; }
/// The row of sources at the place of a row, which may be one of bodies without mass.
GRAVLAB_HOST_DEVICE std::uint64_t sourceRow(std::uint64_t row) { return row & ~cellRow(kCellOfTargets); }
GRAVLAB_HOST_DEVICE std::uint32_t cellOfRow(std::uint64_t key) { return static_cast<std::uint32_t>(key & (kCellGrid - 1)); }

/// Rows around a cell, its own included: 0 to 8, in the order of their keys.
constexpr int kCellRows = 9;
GRAVLAB_HOST_DEVICE std::uint64_t neighbourRow(std::uint64_t row, int which) {
    return row + (static_cast<std::uint64_t>(which / 3) << kCellBits) + static_cast<std::uint64_t>(which % 3) -
           (std::uint64_t{1} << kCellBits) - 1;
}

}  // namespace gravlab
