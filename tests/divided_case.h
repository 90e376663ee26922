// A row whose forces several parts divide, and the state after some steps with it.
#pragma once
#include "tests/bodies.h"

namespace gravlab::testing_support {

struct DividedCase {
    const char* row;
    Precision precision = Precision::fp32;
    const char* integrator = "leapfrog";
};

/// State after some steps in slices of `seconds`.
inline ParticleSet stepped(Backend& by, const DividedCase& of, const ParticleSet& start, double seconds = Budget{}.seconds) {
    by.load(start, {{.precision = of.precision, .softening = 0.02},
                    {.kernel = of.row, .allowedError = kernel("cpu", of.row).approximates ? 1e-3 : 0}});
    advanceBy(by, integrator(of.integrator).program, 0.01, 3, seconds);
    return stateOf(by);
}

}  // namespace gravlab::testing_support
