// A star cluster in equilibrium: the Plummer model in Henon units (mass 1, energy -1/4).
#include "sim/scenes/builders.h"

namespace gravlab::scenes {
namespace {

constexpr double kScaleRadius = 3 * std::numbers::pi / 16;
// The outermost 0.1 % would lie beyond 38 scale radii and make the picture empty; leaving them out shifts E by 0.4 %.
constexpr double kMassShown = 0.999;

/// Speed in units of the local escape speed, of density q^2 (1 - q^2)^(7/2) (Aarseth, Henon & Wielen 1974).
double sampleSpeed(Random& random) {
    for (;;) {
        const double q = random.uniform();
        const double bound = 0.1 * random.uniform();  // the density stays below 0.092
        const double rest = 1 - q * q;
        if (bound < q * q * rest * rest * rest * std::sqrt(rest)) return q;
    }
}

}  // namespace

ParticleSet buildPlummer(const ScenarioRequest& request) {
    const double mass = 1.0 / static_cast<double>(request.bodies);
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t, Random& random) {
        const double fraction = kMassShown * (1 - random.uniform());  // in ]0, kMassShown]
        const double r = kScaleRadius / std::sqrt(std::pow(fraction, -2.0 / 3) - 1);
        const double escape = std::sqrt(2 / std::sqrt(r * r + kScaleRadius * kScaleRadius));
        const double speed = sampleSpeed(random) * escape;
        const Vec3d place = random.onSphere();
        const Vec3d heading = random.onSphere();
        return Body{
            {r * place.x, r * place.y, r * place.z, mass}, {speed * heading.x, speed * heading.y, speed * heading.z, 0}, 0};
    });
    centre(bodies);
    return bodies;
}

}  // namespace gravlab::scenes
