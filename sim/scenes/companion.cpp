// Built in units of its own mass and size, then scaled: lengths by the size, speeds by sqrt(mass / size).
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
        body.position.w = mass;
        return body;
    });
}

/// Turns z into the axis, the shortest way.
struct Turn {
    double x, y, z;
    explicit Turn(const Double4& axis) {
        const double length = std::sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
        x = axis.x / length;
        y = axis.y / length;
        z = axis.z / length;
    }
    Double4 operator()(const Double4& p) const {
        if (z < -0.999999) return {p.x, -p.y, -p.z, p.w};
        const double k = 1 / (1 + z);
        return {(1 - x * x * k) * p.x - x * y * k * p.y + x * p.z, -x * y * k * p.x + (1 - y * y * k) * p.y + y * p.z,
                -x * p.x - y * p.y + z * p.z, p.w};
    }
};

}  // namespace

ParticleSet companion(const CompanionModel& model) {
    const double softening = model.softening / model.size;
    ParticleSet bodies = model.disc ? unitDisc(model, softening) : unitSphere(model, softening);
    centre(bodies);
    const Turn turn(model.axis);
    const double speed = std::sqrt(model.mass / model.size);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 x = turn(bodies.position[i]), v = turn(bodies.velocity[i]);
        bodies.position[i] = {model.size * x.x, model.size * x.y, model.size * x.z, model.mass * x.w};
        bodies.velocity[i] = {speed * v.x, speed * v.y, speed * v.z, v.w};
    }
    return bodies;
}

}  // namespace gravlab::scenes
