// The galaxy is built in units of its own mass and size, then scaled: lengths by the size, speeds by sqrt(mass / size).
#include "sim/scenes/companion.h"

#include "sim/scenes/disc_galaxy.h"
#include "sim/scenes/sphere_model.h"

#include <cmath>

namespace gravlab::scenes {
namespace {

ParticleSet unitDisc(const CompanionModel& model, double softening) {
    const DiscGalaxy galaxy({.discMass = 0.6,
                             .innerRadius = 0.2,
                             .outerRadius = 4,
                             .height = 0.08,
                             .toomreQ = 1.3,
                             .centralMass = 0.4,
                             .softening = softening},
                            model.bodies);
    return makeBodies(model.bodies, model.seed, [&](std::size_t i, Random& random) { return galaxy.sample(i, random); });
}

ParticleSet unitSphere(const CompanionModel& model, double softening) {
    const SphereSystem system(
        {{.mass = 1, .scale = 1, .end = 12, .density = [](double r) { return std::pow(1 + r * r, -2.5); }}}, softening);
    const double mass = 1 / static_cast<double>(model.bodies);
    return makeBodies(model.bodies, model.seed, [&](std::size_t, Random& random) {
        Body body = system.sample(0, random);
        body.mass = mass;
        return body;
    });
}

/// The vector rotated by the shortest rotation that moves the z axis to `axis`.
Vec3d turned(const Vec3d& p, const Vec3d& axis) {
    const auto [x, y, z] = axis;
    if (z < -0.999999) return {p.x, -p.y, -p.z};
    const double k = 1 / (1 + z);
    return {(1 - x * x * k) * p.x - x * y * k * p.y + x * p.z, -x * y * k * p.x + (1 - y * y * k) * p.y + y * p.z,
            -x * p.x - y * p.y + z * p.z};
}

}  // namespace

ParticleSet companion(const CompanionModel& model) {
    const double softening = model.softening / model.size;
    ParticleSet bodies = centred(model.disc ? unitDisc(model, softening) : unitSphere(model, softening));
    const Vec3d axis = model.axis / length(model.axis);
    const double speed = std::sqrt(model.mass / model.size);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        x = packed(model.size * turned(xyz(x), axis), model.mass * x.w);
        v = packed(speed * turned(xyz(v), axis), v.w);
    }
    return bodies;
}

}  // namespace gravlab::scenes
