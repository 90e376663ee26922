// A small galaxy to add to a running scene, of any mass and size, made by the builders of the scene table.
#pragma once
#include "sim/core/particles.h"

#include <cstdint>

namespace gravlab::scenes {

struct CompanionModel {
    bool disc = false;  ///< a disc about a heavy centre, otherwise a Plummer sphere
    std::size_t bodies = 1000;
    double mass = 1;       ///< [M]
    double size = 1;       ///< scale length of the disc, Plummer radius of the sphere [L]
    double softening = 0;  ///< of the run's force [L]
    Vec3d axis{0, 0, 1};   ///< rotation axis of a disc
    std::uint64_t seed = 1;
};

/// The bodies of the galaxy, with their centre of mass at rest in the origin. Ids count from 0.
ParticleSet companion(const CompanionModel& model);

}  // namespace gravlab::scenes
