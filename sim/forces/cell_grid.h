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

/// Cells in a ring of buckets, for a sort by counting: cells adjacent in x are adjacent buckets, and the 27 cells around a
/// cell are 27 buckets. Where a box about all bodies has more cells than there are buckets, cells far apart share one.
struct CellRing {
    std::uint32_t low[3] = {};  ///< least place along each axis
    std::uint32_t buckets = 0;
    std::int64_t y = 0, z = 0;  ///< buckets between cells that are adjacent along these axes

    /// The places may be one below or above those of bodies.
    GRAVLAB_HOST_DEVICE std::uint32_t bucket(std::int64_t atX, std::int64_t atY, std::int64_t atZ) const {
        const std::int64_t at = atX - low[0] + (atY - low[1]) * y + (atZ - low[2]) * z, rest = at % buckets;
        return static_cast<std::uint32_t>(rest < 0 ? rest + buckets : rest);
    }
};
constexpr std::uint32_t kFewestBuckets = 64;
/// Edge of the largest cube of cells that has no more cells than there are buckets.
constexpr std::uint32_t bucketEdge(std::uint32_t buckets) {
    std::uint64_t edge = 4;
    while ((edge + 1) * (edge + 1) * (edge + 1) <= buckets) ++edge;
    return static_cast<std::uint32_t>(edge);
}
/// The ring for bodies from place `low` to `high`; at least kFewestBuckets buckets, and `edge` is bucketEdge(buckets).
GRAVLAB_HOST_DEVICE CellRing cellRing(const std::uint32_t (&low)[3], const std::uint32_t (&high)[3], std::uint32_t buckets,
                                      std::uint32_t edge) {
    CellRing ring{{low[0], low[1], low[2]}, buckets, 0, 0};
    // A row has a cell more at either end, so that no neighbour is in another row.
    ring.y = std::int64_t{high[0]} - low[0] + 3;
    ring.z = ring.y * (std::int64_t{high[1]} - low[1] + 3);
    if (ring.z <= std::int64_t{buckets} / (std::int64_t{high[2]} - low[2] + 3)) return ring;
    ring.y = edge;
    ring.z = std::int64_t{edge} * edge;
    return ring;
}

}  // namespace gravlab
