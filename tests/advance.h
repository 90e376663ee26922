// Runs that tests advance.
#pragma once
#include "sim/run/simulation.h"

#include <cstdint>

namespace gravlab {

inline void run(Simulation& simulation, std::int64_t steps) {
    const std::int64_t end = simulation.step() + steps;
    while (simulation.step() < end) simulation.advance({.steps = end - simulation.step()}, nullptr);
}

}  // namespace gravlab
