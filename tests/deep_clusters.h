// Bodies with the most tree nodes for their number.
#pragma once
#include "sim/core/particles.h"
#include "sim/tree/criterion.h"
#include "sim/tree/key.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::testing_support {

/// The edge of a cube of the deepest level.
constexpr double kDeepestEdge = 2.0 / kTreeGrid;

inline void addAtRest(ParticleSet& bodies, double x, double y, double z) {
    bodies.position.push_back({x, y, z, 1});
    bodies.velocity.push_back({0, 0, 0, 1});
    bodies.id.push_back(static_cast<std::uint32_t>(bodies.id.size()));
    bodies.group.push_back(0);
}

/// Clusters on a grid of side^3, each with the fewest bodies that divide a cube. Every level divides: all bodies are in one
/// cube down to the last level but one, and fill all eight cubes of the last. `beside`: bodies that are leaves next to the
/// chain of the first cluster.
inline ParticleSet deepClusters(std::size_t side, std::size_t beside) {
    ParticleSet bodies;
    const auto add = [&](double x, double y, double z) { addAtRest(bodies, x, y, z); };
    const double step = 2.0 / static_cast<double>(side);
    for (std::size_t i = 0; i < side * side * side; ++i) {
        const auto corner = [&](std::size_t along) { return -1 + step * static_cast<double>(along); };
        for (int k = 0; k <= kTreeLeaf; ++k)
            add(corner(i % side) + kDeepestEdge * (k % 2 + 0.5), corner(i / side % side) + kDeepestEdge * (k / 2 % 2 + 0.5),
                corner(i / side / side) + kDeepestEdge * (k / 4 % 2 + 0.5));
    }
    for (std::size_t k = 0; k < beside; ++k)
        add(-1 + step / static_cast<double>(2 << k), -1 + kDeepestEdge / 2, -1 + kDeepestEdge / 2);
    return bodies;
}

/// Chains of cubes on a grid of side^3, which wider leaves do not shorten. At each of `levels` levels above the deepest,
/// seven of eight octants have a single body, and the eighth continues the chain. The last cube has `core` bodies.
inline ParticleSet deepChains(std::size_t side, int levels, int core) {
    ParticleSet bodies;
    const auto add = [&](double x, double y, double z) { addAtRest(bodies, x, y, z); };
    const double step = 2.0 / static_cast<double>(side);
    for (std::size_t i = 0; i < side * side * side; ++i) {
        const auto corner = [&](std::size_t along) { return -1 + step * static_cast<double>(along); };
        const double x = corner(i % side), y = corner(i / side % side), z = corner(i / side / side);
        for (int level = 0; level < levels; ++level) {
            const double edge = kDeepestEdge * static_cast<double>(2 << level);
            for (int k = 1; k < 8; ++k)
                add(x + edge * (k % 2 + 0.25), y + edge * (k / 2 % 2 + 0.25), z + edge * (k / 4 + 0.25));
        }
        for (int k = 0; k < core; ++k)
            add(x + kDeepestEdge * (k % 2 + 0.5), y + kDeepestEdge * (k / 2 % 2 + 0.5),
                z + kDeepestEdge * (k / 4 % 2 + 0.5));
    }
    return bodies;
}

}  // namespace gravlab::testing_support
