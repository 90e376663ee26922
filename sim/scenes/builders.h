// The scene builders, one file each, and what they share. Rule: same request, same bytes, for any number of threads.
#pragma once
#include "sim/core/random.h"
#include "sim/scenes/scenario.h"

#include <cmath>
#include <cstddef>
#include <functional>

namespace gravlab::scenes {

ParticleSet buildTwoBody(const ScenarioRequest&);
ParticleSet buildFigureEight(const ScenarioRequest&);
ParticleSet buildSixBody(const ScenarioRequest&);
ParticleSet buildCube(const ScenarioRequest&);
ParticleSet buildPlummer(const ScenarioRequest&);
ParticleSet buildDisc(const ScenarioRequest&);
ParticleSet buildCollision(const ScenarioRequest&);

/// A body as a builder makes it: position.w is the mass; velocity.w is set by makeBodies.
struct Body {
    Double4 position{}, velocity{};
    std::uint8_t group = 0;
};

/// Calls body(i, random) for all i < count, each with a stream of its own, and numbers the ids from 0.
ParticleSet makeBodies(std::size_t count, std::uint64_t seed,
                       const std::function<Body(std::size_t i, Random& random)>& body);

/// Mass share of an exponential disc within x scale lengths.
inline double discShare(double x) { return 1 - (1 + x) * std::exp(-x); }

/// Moves the centre of mass to the origin and takes out its velocity.
void centre(ParticleSet& bodies);

}  // namespace gravlab::scenes
