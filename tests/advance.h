// Runs that tests advance.
#pragma once
#include "sim/run/simulation.h"

#include <cstdint>

namespace gravlab {

/// Makes `steps` steps in slices of `seconds`. Returns how many calls ended within a step.
inline std::size_t run(Simulation& simulation, std::int64_t steps, double seconds = Budget{}.seconds) {
    const std::int64_t end = simulation.step() + steps;
    std::size_t cut = 0;
    while (simulation.step() < end)
        cut += simulation.advance({.seconds = seconds, .steps = end - simulation.step()}, nullptr).stepProgress > 0 ? 1 : 0;
    return cut;
}

}  // namespace gravlab
