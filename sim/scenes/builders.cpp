// What the scene builders share.
#include "sim/scenes/builders.h"

#include "sim/core/parallel.h"
#include "sim/core/particles.h"

namespace gravlab::scenes {

ParticleSet makeBodies(std::size_t count, std::uint64_t seed,
                       const std::function<Body(std::size_t i, Random& random)>& body) {
    ParticleSet bodies;
    bodies.resize(count);
    parallelFor(count, 0, 4096, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            Random random(seed, i);
            const Body made = body(i, random);
            bodies.position[i] = made.position;
            bodies.velocity[i] = made.velocity;
            bodies.velocity[i].w = 1;
            bodies.id[i] = static_cast<std::uint32_t>(i);
            bodies.group[i] = made.group;
        }
    });
    return bodies;
}

void centre(ParticleSet& bodies) {
    // Twice: the second pass takes out the rounding of the first.
    for (int pass = 0; pass < 2; ++pass) {
        double mass = 0;
        Double4 x{}, v{};
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Double4& position = bodies.position[i];
            const Double4& velocity = bodies.velocity[i];
            const double m = inertialMass(position, velocity);
            mass += m;
            x.x += m * position.x;
            x.y += m * position.y;
            x.z += m * position.z;
            v.x += m * velocity.x;
            v.y += m * velocity.y;
            v.z += m * velocity.z;
        }
        if (!(mass > 0)) return;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            bodies.position[i].x -= x.x / mass;
            bodies.position[i].y -= x.y / mass;
            bodies.position[i].z -= x.z / mass;
            bodies.velocity[i].x -= v.x / mass;
            bodies.velocity[i].y -= v.y / mass;
            bodies.velocity[i].z -= v.z / mass;
        }
    }
}

}  // namespace gravlab::scenes
