// Runs a few bodies through a backend for a while and returns the errors of the end and of the energy.
#pragma once
#include "sim/backends/backend.h"
#include "sim/measure/diagnostics.h"
#include "tests/bodies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab::testing_support {

struct OrbitError {
    double energy = 0;    ///< largest |E / E0 - 1| at any step
    double position = 0;  ///< distance of the end from the start: relative vector of two bodies, else all coordinates as one
    double momentum = 0;  ///< largest |P| at any step
};

/// Advances `start` by `steps` of `program`, which together should return to the start.
inline OrbitError followOrbit(Backend& backend, const ParticleSet& start, StepProgram program, double timeStep, int steps) {
    backend.configure({}, {});
    backend.load(start);
    ParticleSet first, now;
    backend.snapshot(first);
    const double energy = measure(first, {}, 1).energy();
    OrbitError error;
    for (int step = 0; step < steps; ++step) {
        backend.advance(program, timeStep, {}, nullptr);
        backend.snapshot(now);
        const Diagnostics d = measure(now, {}, 1);
        error.energy = std::max(error.energy, std::abs(d.energy() / energy - 1));
        error.momentum = std::max(error.momentum, distance(d.momentum, {}));
    }
    double sum = 0;
    if (start.size() == 2) {
        const auto relative = [](const ParticleSet& s) {
            return Double4{s.position[0].x - s.position[1].x, s.position[0].y - s.position[1].y,
                           s.position[0].z - s.position[1].z, 0};
        };
        const double d = distance(relative(now), relative(first));
        sum = d * d;
    } else {
        for (std::size_t i = 0; i < start.size(); ++i) {
            const double d = distance(now.position[i], first.position[i]);
            sum += d * d;
        }
    }
    error.position = std::sqrt(sum);
    return error;
}

/// Two bodies of mass 1/2, semi-major axis 1, period 2 pi, at apocentre.
inline ParticleSet keplerStart(double eccentricity) {
    const double x = (1 + eccentricity) / 2, v = std::sqrt((1 - eccentricity) / (1 + eccentricity)) / 2;
    return bodiesOf({{x, 0, 0, 0.5}, {-x, 0, 0, 0.5}}, {{0, v, 0, 1}, {0, -v, 0, 1}});
}

inline OrbitError followKepler(Backend& backend, double eccentricity, StepProgram program, int stepsPerPeriod) {
    return followOrbit(backend, keplerStart(eccentricity), program, 2 * std::numbers::pi / stepsPerPeriod, stepsPerPeriod);
}

}  // namespace gravlab::testing_support
