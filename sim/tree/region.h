// A walk in two levels, for many bodies. Groups of targets that are neighbours in order make a region, and it walks first:
// cells that are far from all of it go into one expansion about its centre; what it leaves is a list of nodes that hold
// everything else, and each group begins there instead of at the root. Host and device.
//
// The list of a region has room for a fixed number of nodes. Nothing is lost where these are too few: a node that there is
// no room to open is left whole, and the groups open it themselves.
#pragma once
#include "sim/tree/criterion.h"

#include <cstdint>

namespace gravlab {

/// Groups of a region. 16 took as long (10,485,760 bodies at 1e-3: 11.35 and 11.36 ms a step).
constexpr std::uint32_t kRegionGroups = 8;

/// Nodes whose farthest body is no farther than this many radii of the region are left for its groups: opened, they would be
/// too small beside the region to go into its expansion. Half a radius took 3 % longer.
constexpr float kRegionReach = 1;

/// What a region does with a node.
enum class RegionTest { low, high, left, opened };

/// `squared`: from the region's box to the node's centre; `fromCentre`: from its own centre to that; both squared.
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

/// Whether there is room to open `take` of `waiting` nodes, each for eight at most, beside `left` ones that are in the list:
/// what waits and what is left then never is more than `room`, whichever of them are opened later.
GRAVLAB_HOST_DEVICE bool regionMayOpen(std::uint32_t left, std::uint32_t waiting, std::uint32_t take, std::uint32_t room) {
    return left + waiting + 7 * take <= room;
}

}  // namespace gravlab
