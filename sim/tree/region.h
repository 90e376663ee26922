// A walk in two levels, for large N. Groups of targets that are neighbours in order form a region, which walks first. Cells
// far from all of it go into one expansion about its centre. The remaining nodes form a list with all other bodies, and each
// group begins there instead of at the root. Host and device.
//
// The list of a region has room for a fixed number of nodes. Nothing is lost where it is full: a node without room for its
// children stays whole, and the groups open it themselves.
#pragma once
#include "sim/tree/criterion.h"

#include <cstdint>

namespace gravlab {

/// Groups per region. 16 groups took equally long (10,485,760 bodies at 1e-3: 11.35 and 11.36 ms per step).
constexpr std::uint32_t kRegionGroups = 8;

/// Limit of a node's farthest body, in radii of the region, below which the region's groups open the node. Its children
/// would be too small beside the region to go into its expansion. Half a radius took 3 % longer.
constexpr float kRegionReach = 1;

/// Action of a region on a node.
enum class RegionTest { low, high, left, opened };

/// `squared`: squared distance of the region's box from the node's centre; `fromCentre`: that of the region's centre.
/// `mayOpen`: there is room for the children.
template <class Real>
GRAVLAB_HOST_DEVICE RegionTest testForRegion(const GroupCriterion<Real>& region, Real squared, Real fromCentre,
                                             Real farthest, Real source, Real sourceTimesCube, int children, bool mayOpen) {
    const Expanded expanded = expandsCell(region, fromCentre, farthest, source, sourceTimesCube);
    const bool apart = squared > Real(0);
    const bool opens = static_cast<int>(mayOpen) & static_cast<int>(children > 0) &
                       static_cast<int>(farthest > Real(kRegionReach) * region.radius);
    const RegionTest otherwise = opens ? RegionTest::opened : RegionTest::left;
    const RegionTest order = expanded == Expanded::low ? RegionTest::low : RegionTest::high;
    return static_cast<int>(apart) & static_cast<int>(expanded != Expanded::no) ? order : otherwise;
}

/// Whether there is room to open `take` of `waiting` nodes, with at most eight children each, beside `left` listed ones.
/// Then waiting and listed nodes together never exceed `room`, whichever of them are opened later.
GRAVLAB_HOST_DEVICE bool regionMayOpen(std::uint32_t left, std::uint32_t waiting, std::uint32_t take, std::uint32_t room) {
    return left + waiting + 7 * take <= room;
}

}  // namespace gravlab
