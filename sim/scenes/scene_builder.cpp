// What the scene builders share.
#include "sim/scenes/scene_builder.h"

#include "sim/core/particles.h"
#include "sim/core/thread_pool.h"

namespace gravlab::scenes {

ParticleSet makeBodies(std::size_t count, std::uint64_t seed,
                       const std::function<Body(std::size_t i, Random& random)>& body) {
    ParticleSet bodies;
    bodies.resize(count);
    parallelFor(count, 0, 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Random random(seed, i);
            const Body made = body(i, random);
            bodies.position[i] = packed(made.position, made.mass);
            bodies.velocity[i] = packed(made.velocity, 1);
            bodies.id[i] = static_cast<std::uint32_t>(i);
            bodies.group[i] = made.group;
        }
    });
    return bodies;
}

ParticleSet listedBodies(std::span<const Body> list) {
    ParticleSet bodies = makeBodies(list.size(), 0, [&](std::size_t i, Random&) { return list[i]; });
    for (std::size_t i = 0; i < list.size(); ++i) bodies.group[i] = static_cast<std::uint8_t>(i);
    return bodies;
}

void centre(ParticleSet& bodies) {
    // Twice: the second pass takes out the rounding of the first.
    for (int pass = 0; pass < 2; ++pass) {
        double mass = 0;
        Vec3d x{}, v{};
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const double m = inertialMass(bodies.position[i], bodies.velocity[i]);
            mass += m;
            x += m * xyz(bodies.position[i]);
            v += m * xyz(bodies.velocity[i]);
        }
        if (!(mass > 0)) return;
        x /= mass;
        v /= mass;
        for (Double4& position : bodies.position) position = packed(xyz(position) - x, position.w);
        for (Double4& velocity : bodies.velocity) velocity = packed(xyz(velocity) - v, velocity.w);
    }
}

}  // namespace gravlab::scenes
