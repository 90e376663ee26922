// Groups of bodies by friends of friends: two bodies at most the linking length apart are friends, and friends are in the
// same group. Davis, Efstathiou, Frenk & White 1985, ApJ 292, 371.
// Rule: the label of a group is the smallest index of its bodies, whatever method found it.
#pragma once
#include "sim/core/particles.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// Largest distance between friends.
struct Linking {
    double mean = 0.2;  ///< in mean distances
    double length = 0;  ///< [L]; 0: use `mean`
    bool operator==(const Linking&) const = default;
};

/// (V/N)^(1/3), where V is the volume of the axis-aligned box of all bodies. It corresponds to the convention for a periodic
/// box, because it ignores how bodies are distributed within. For bodies in a plane or on a line it is the square root or
/// the ratio itself; 0 where all are at one point [L].
double meanDistance(const ParticleSet& bodies);
/// Linking length [L]. Throws UsageError where its square would exceed the range of numbers.
double linkingLength(const ParticleSet& bodies, const Linking& linking);

/// For each body, the smallest index in its group. Compares every pair, on the calling thread: the reference for the rows
/// of sim/backends/groups.h.
std::vector<std::uint32_t> groupsByPairs(const ParticleSet& bodies, double length);

constexpr std::uint32_t kNoDepth = ~0u;
/// For each body, the fewest friendships from body `from` to it; kNoDepth for bodies of other groups. Compares every body of
/// a level with all others, on the calling thread: the reference for the depth rows of sim/backends/groups.h.
std::vector<std::uint32_t> depthsByPairs(const ParticleSet& bodies, double length, std::uint32_t from);
/// A sentence on the first fault; empty: none was found. Depths are right where `from` alone has 0, friends differ by at
/// most 1, and every other reached body has a friend nearer by 1. Compares each of up to `most` bodies
/// with all others; of more bodies, an eighth of `most` random ones.
std::string faultOfDepths(const ParticleSet& bodies, double length, std::uint32_t from,
                          std::span<const std::uint32_t> depths, std::size_t most = 4096);

/// Measurements of a group. Masses are inertialMass(); where a group has none, every body has the same weight.
struct BodyGroup {
    std::uint32_t label = 0;  ///< smallest index of its bodies
    std::size_t members = 0;
    double mass = 0;             ///< [M]
    Vec3d centre{}, velocity{};  ///< mass-weighted means [L], [L/T]
    double radius = 0;           ///< root of the mean squared distance from the centre [L]
    double dispersion = 0;       ///< velocity dispersion along one axis [L/T]
    bool operator==(const BodyGroup&) const = default;
};

/// Groups of at least `least` bodies, largest first, and counts of all groups.
struct GroupTable {
    std::vector<BodyGroup> groups;
    std::size_t all = 0;     ///< groups of any size, single bodies included
    std::size_t bodies = 0;  ///< number of bodies in groups of the table
};
GroupTable groupTable(const ParticleSet& bodies, std::span<const std::uint32_t> labels, std::size_t least);

struct GroupCheck {
    std::string failure;  ///< a sentence; empty: no error was found
    std::string what;     ///< what the labels were compared with: "every pair", "128 bodies with all others, ..."
};
/// Up to `mostForPairs` bodies all labels are computed again from every pair. For more bodies, each label must be the
/// smallest of its group. Random bodies must have all their friends, searched among all bodies, in their own group. Random
/// groups of moderate size must be connected, and so must random bodies of larger ones with theirs. Costs some 3e8
/// comparisons at 1M bodies.
GroupCheck checkGroups(const ParticleSet& bodies, double length, std::span<const std::uint32_t> labels,
                       std::size_t mostForPairs = 8192);

}  // namespace gravlab
