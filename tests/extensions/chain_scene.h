// A scene with a force term beside the pair law; including this header adds it.
#pragma once
#include "sim/api/scene.h"
#include "springs.h"
#include "tests/bodies.h"

#include <cmath>
#include <vector>

namespace gravlab {

/// A chain of equal masses with springs between neighbours, out of balance. Ids differ from indices.
inline ParticleSet chainBodies(const SceneRequest& request) {
    std::vector<Double4> positions, velocities;
    for (std::size_t i = 0; i < request.bodies; ++i) {
        const double turn = 0.7 * static_cast<double>(i);
        positions.push_back({std::nearbyint(0x1p20 * std::cos(turn)) * 0x1p-20,
                             std::nearbyint(0x1p20 * std::sin(turn)) * 0x1p-20, 0.0625 * static_cast<double>(i % 64),
                             1.0 / static_cast<double>(request.bodies)});
        velocities.push_back({0, 0.125, 0, 1});
    }
    ParticleSet bodies = testing_support::bodiesOf(positions, velocities);
    for (std::uint32_t& id : bodies.id) id = 3 * id + 5;
    return bodies;
}
inline ForceTerms chainSprings(const SceneRequest&, const ParticleSet& bodies) {
    return {extension::Springs::example(bodies)};
}
inline const bool kChainScene = addScene({.name = "test-chain",
                                          .idea = "bodies on springs",
                                          .caption = "",
                                          .bodiesGpu = 3000,
                                          .bodiesCpu = 300,
                                          .timeStep = 0.0078125,
                                          .softening = 0.1,
                                          .build = chainBodies,
                                          .terms = chainSprings});

}  // namespace gravlab
