// Runs that tests advance.
#pragma once
#include "sim/run/simulation.h"

#include <cstdint>

namespace gravlab {

/// Makes `steps` steps in slices of `seconds`.
inline void run(Simulation& simulation, std::int64_t steps, double seconds = Budget{}.seconds) {
    const std::int64_t end = simulation.step() + steps;
    while (simulation.step() < end) simulation.advance({.seconds = seconds, .steps = end - simulation.step()}, nullptr);
}

}  // namespace gravlab
