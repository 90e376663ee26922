// Groups of bodies, friends of friends: two bodies are friends that are at most the linking length apart, and a group is all
// that friendship leads to. Davis, Efstathiou, Frenk & White 1985, ApJ 292, 371.
// Rule: a group is named by the smallest index of its bodies, whatever found it.
#pragma once
#include "sim/core/particles.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// How far friends may be from each other.
struct Linking {
    double mean = 0.2;  ///< in mean distances
    double length = 0;  ///< [L]; 0: by `mean`
    bool operator==(const Linking&) const = default;
};

/// (V/N)^(1/3), where V is the box along the axes that holds all bodies: what simulations of a periodic box take, and for
/// the same reason, that it does not ask how bodies are spread within. Of bodies in a plane or on a line, the square root or
/// the ratio itself; 0 where all are in one point [L].
double meanDistance(const ParticleSet& bodies);
/// [L]. Throws UsageError where its square would leave the range of numbers.
double linkingLength(const ParticleSet& bodies, const Linking& linking);

/// Of each body, the smallest index in its group. Compares every pair, on the calling thread: what the rungs of
/// sim/backends/groups.h are held against.
std::vector<std::uint32_t> groupsByPairs(const ParticleSet& bodies, double length);

/// A group, measured. Masses are inertialMass(); where a group has none, every body counts alike.
struct BodyGroup {
    std::uint32_t label = 0;  ///< smallest index of its bodies
    std::size_t members = 0;
    double mass = 0;             ///< [M]
    Vec3d centre{}, velocity{};  ///< means by mass [L], [L/T]
    double radius = 0;           ///< root of the mean squared distance from the centre [L]
    double dispersion = 0;       ///< of the velocity, along one axis [L/T]
    bool operator==(const BodyGroup&) const = default;
};

/// Groups of at least `least` bodies, largest first, and counts of all groups.
struct GroupTable {
    std::vector<BodyGroup> groups;
    std::size_t all = 0;     ///< groups of any size, single bodies included
    std::size_t bodies = 0;  ///< in groups of the table
};
GroupTable groupTable(const ParticleSet& bodies, std::span<const std::uint32_t> labels, std::size_t least);

/// What labels were held against.
struct GroupCheck {
    std::string failure;  ///< a sentence; empty: nothing is wrong
    std::string what;     ///< "every pair", "128 bodies with all others, ..."
};
/// Up to `mostForPairs` bodies all labels are made again from every pair. Of more: each label is the smallest of its group;
/// bodies by lot have all their friends, looked for among all bodies, in their own group; groups by lot of not too many
/// bodies hang together, and so do bodies by lot of larger ones with theirs. Costs some 3e8 comparisons at 1M bodies.
GroupCheck checkGroups(const ParticleSet& bodies, double length, std::span<const std::uint32_t> labels,
                       std::size_t mostForPairs = 8192);

}  // namespace gravlab
