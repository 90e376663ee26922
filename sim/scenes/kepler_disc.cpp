// Massless bodies on circles around one mass: every one is a Kepler orbit of its own.
#include "sim/scenes/famous.h"

#include <cmath>
#include <numbers>

namespace gravlab::scenes {
namespace {

constexpr double kInner = 0.5, kOuter = 4;

ParticleSet buildKeplerDisc(const ScenarioRequest& request) {
    return makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        if (i == 0) return Body{{0, 0, 0, 1}, {}, 0};
        const double r = kInner + (kOuter - kInner) * random.uniform();
        const double angle = 2 * std::numbers::pi * random.uniform();
        const double x = std::cos(angle), y = std::sin(angle), speed = 1 / std::sqrt(r);
        return Body{{r * x, r * y, 0, 0}, {-speed * y, speed * x, 0, 0}, 1};
    });
}

}  // namespace

std::span<const Scenario> keplerDiscScenarios() {
    static const Scenario rows[] = {
        {.name = "kepler-disc",
         .idea = "massless bodies on circles around one mass",
         .caption = "Kepler's third law as a picture: the inner bodies lap the outer ones, and no radius ever changes.",
         .source = "Kepler 1619",
         .bodiesGpu = 16384,
         .bodiesCpu = 4096,
         .fixedBodies = 0,
         // A thousand steps for the innermost circle.
         .timeStep = 0.0022,
         .softening = 0,
         .law = Law::gravity,
         .view = {.distance = 11, .azimuth = 0.6, .elevation = 0.8, .pointSize = 0.02, .exposure = 1, .speedScale = 1.4},
         .build = buildKeplerDisc},
    };
    return rows;
}

}  // namespace gravlab::scenes
