// A small galaxy to add to a scene that runs: the makers of the scene table, in any mass and size.
#pragma once
#include "sim/core/particles.h"

#include <cstdint>

namespace gravlab::scenes {

struct CompanionModel {
    bool disc = false;  ///< a disc about a heavy centre; else a Plummer sphere
    std::size_t bodies = 1000;
    double mass = 1;       ///< [M]
    double size = 1;       ///< scale length of the disc, Plummer radius of the sphere [L]
    double softening = 0;  ///< of the force that will act [L]
    Vec3d axis{0, 0, 1};   ///< about which a disc turns
    std::uint64_t seed = 1;
};

/// Its bodies, with their centre of mass at rest in the origin. Ids from 0.
ParticleSet companion(const CompanionModel& model);

}  // namespace gravlab::scenes
