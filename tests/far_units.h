// Bodies in units far from 1, beyond the range of single precision.
#pragma once
#include "sim/core/random.h"
#include "sim/io/checkpoint.h"
#include "tests/bodies.h"

#include <utility>
#include <vector>

namespace gravlab::testing_support {

/// A thousand bodies in a ball: lengths times `scale`, a total mass of `mass`, moved by `offset`.
inline ParticleSet ball(double scale, double mass, double offset = 0, std::size_t count = 1000) {
    std::vector<Double4> positions(count), velocities(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(3, i);
        positions[i] = {offset + scale * random.uniform(-1, 1), offset + scale * random.uniform(-1, 1),
                        offset + scale * random.uniform(-1, 1), mass / static_cast<double>(count)};
    }
    return bodiesOf(positions, velocities);
}

/// A start with these bodies, as from a file.
inline RunRequest startOf(const ParticleSet& bodies, double softening, double timeStep, const char* backend = "cpu") {
    Snapshot snapshot;
    snapshot.bodies = bodies;
    snapshot.softening = softening;
    snapshot.timeStep = timeStep;
    RunRequest request = startFrom(std::move(snapshot), "bodies.csv").request;
    request.backend = backend;
    return request;
}

struct FarUnit {
    const char* name;
    double length, mass;
};
inline constexpr FarUnit kFarUnits[] = {
    {"metres", 3.1e16, 1.3e23}, {"centimetres", 3e14, 1e26}, {"atoms", 1e-12, 1e-20}, {"tiny masses", 1, 1e-44}};

}  // namespace gravlab::testing_support
