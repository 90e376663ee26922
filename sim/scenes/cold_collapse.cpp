// A uniform sphere of bodies at rest: it falls together in the free-fall time pi / (2 sqrt 2).
#include "sim/scenes/famous.h"

#include <cmath>

namespace gravlab::scenes {
namespace {

ParticleSet buildColdCollapse(const ScenarioRequest& request) {
    const double mass = 1 / static_cast<double>(request.bodies);
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t, Random& random) {
        const double r = std::cbrt(random.uniform());
        const Vec3d place = random.onSphere();
        return Body{{r * place.x, r * place.y, r * place.z, mass}, {}, 0};
    });
    centre(bodies);
    return bodies;
}

}  // namespace

std::span<const Scenario> coldCollapseScenarios() {
    static const Scenario rows[] = {
        {.name = "cold-collapse",
         .idea = "a uniform sphere of bodies at rest",
         .caption = "It falls together at t = 1.11, bounces, throws out about a fifth of its bodies and settles.",
         .source = "Henon 1964; van Albada 1982",
         .bodiesGpu = 65536,
         .bodiesCpu = 8192,
         .fixedBodies = 0,
         .timeStep = 1.0 / 1024,
         .softening = 0.02,
         .law = Law::gravity,
         .view = {.distance = 3.5, .azimuth = 0.6, .elevation = 0.4, .pointSize = 0.012, .exposure = 1, .speedScale = 2},
         .build = buildColdCollapse},
    };
    return rows;
}

}  // namespace gravlab::scenes
