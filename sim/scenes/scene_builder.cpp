#include "sim/scenes/scene_builder.h"

#include "sim/core/pages.h"
#include "sim/core/particles.h"
#include "sim/core/thread_pool.h"
#include "sim/core/work_watch.h"

#include <algorithm>

namespace gravlab::scenes {
namespace {

// Bodies between two progress reports, and the least for one thread.
constexpr std::size_t kReported = std::size_t{1} << 20, kGrain = 4096;

}  // namespace

ParticleSet makeBodies(std::size_t count, std::uint64_t seed,
                       const std::function<Body(std::size_t i, Random& random)>& body) {
    ParticleSet bodies;
    resizeTouched(bodies.position, count);
    resizeTouched(bodies.velocity, count);
    resizeTouched(bodies.id, count);
    resizeTouched(bodies.group, count);
    for (std::size_t begin = 0; begin < count; begin += kReported) {
        const std::size_t part = std::min(kReported, count - begin);
        parallelFor(part, 0, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = begin + first; i < begin + last; ++i) {
                Random random(seed, i);
                const Body made = body(i, random);
                bodies.position[i] = packed(made.position, made.mass);
                bodies.velocity[i] = packed(made.velocity, 1);
                bodies.id[i] = static_cast<std::uint32_t>(i);
                bodies.group[i] = made.group;
            }
        });
        WorkWatch::report("bodies", static_cast<std::int64_t>(begin + part), static_cast<std::int64_t>(count));
    }
    return bodies;
}

ParticleSet listedBodies(std::span<const Body> list) {
    ParticleSet bodies = makeBodies(list.size(), 0, [&](std::size_t i, Random&) { return list[i]; });
    for (std::size_t i = 0; i < list.size(); ++i) bodies.group[i] = static_cast<std::uint8_t>(i);
    return bodies;
}

ParticleSet centred(ParticleSet bodies) {
    // Two passes: the second removes the rounding of the first.
    for (int pass = 0; pass < 2; ++pass) {
        MassCentre sums;
        for (std::size_t i = 0; i < bodies.size(); ++i) sums.add(bodies.position[i], bodies.velocity[i]);
        const Vec3d x = sums.place(), v = sums.velocity();
        parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                Double4 &position = bodies.position[i], &velocity = bodies.velocity[i];
                position = packed(xyz(position) - x, position.w);
                velocity = packed(xyz(velocity) - v, velocity.w);
            }
        });
    }
    return bodies;
}

}  // namespace gravlab::scenes
