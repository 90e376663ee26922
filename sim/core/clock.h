// Simulated time. Rule: count steps, never sum times.
#pragma once
#include <cstdint>

namespace gravlab {

/// time = t0 + (step - step0) * dt, so that a million steps carry no summed rounding; a new dt rebases.
struct Clock {
    std::int64_t step = 0, step0 = 0;
    double t0 = 0, timeStep = 0;
    double time() const { return t0 + static_cast<double>(step - step0) * timeStep; }
    void rebase(double newTimeStep) {
        t0 = time();
        step0 = step;
        timeStep = newTimeStep;
    }
};

}  // namespace gravlab
