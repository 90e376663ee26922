// A ring of equal bodies that turns rigidly: an exact solution for every number of bodies, with softening too.
#include "sim/scenes/famous.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace gravlab::scenes {
namespace {

constexpr double kSoftening = 0.05;

ParticleSet buildNgon(const ScenarioRequest& request) { return rotatingPolygon(request.bodies, kSoftening); }

}  // namespace

double polygonSpeed(std::size_t bodies, double softening) {
    const double n = static_cast<double>(bodies);
    double sum = 0;
    for (std::size_t k = 1; k < bodies; ++k) {
        const double half = std::sin(std::numbers::pi * static_cast<double>(k) / n);
        const double squared = 4 * half * half, soft = squared + softening * softening;
        sum += 0.5 * squared / (soft * std::sqrt(soft));
    }
    return std::sqrt(sum / n);
}

ParticleSet rotatingPolygon(std::size_t bodies, double softening) {
    const double n = static_cast<double>(bodies), omega = polygonSpeed(bodies, softening);
    const double radius = bodies > 1 ? 1 : 0;  // one body alone is its own centre of mass
    return makeBodies(bodies, 0, [&](std::size_t i, Random&) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
        const double x = radius * std::cos(angle), y = radius * std::sin(angle);
        return Body{{x, y, 0, 1 / n}, {-omega * y, omega * x, 0, 0}, static_cast<std::uint8_t>(i % 256)};
    });
}

std::span<const Scenario> ngonScenarios() {
    static const Scenario rows[] = {
        {.name = "ngon",
         .idea = "equal bodies on a circle that turns rigidly",
         .caption = "Exact for any N, and violently unstable for many: the ring breaks up after a fraction of a turn.",
         .source = "Maxwell 1859",
         .bodiesGpu = 12,
         .bodiesCpu = 12,
         .fixedBodies = 0,
         .timeStep = 0.01,
         .softening = kSoftening,
         .law = Law::gravity,
         .view = {.distance = 3.5,
                  .azimuth = -0.5 * std::numbers::pi,
                  .elevation = 1.1,
                  .pointSize = 0.04,
                  .exposure = 1,
                  .speedScale = 1},
         .build = buildNgon},
    };
    return rows;
}

}  // namespace gravlab::scenes
