// What a step costs on this machine, and how many bodies it could move at a pace that can be watched.
#pragma once
#include "app/model/facts.h"

#include <cstddef>
#include <optional>

namespace gravlab {

/// Of the run as it is.
struct StepCost {
    double seconds = 0;  ///< 0: not known yet
    double power = 2;    ///< of the number of bodies, with which it grows: 2 for every pair, about 1 for a tree
};
/// Of every pair by the rate; where far bodies are taken together, as it was measured. Before the first force is complete
/// by what is done of it.
StepCost stepCost(const Facts& facts);

struct SlowStep {
    double seconds = 0;         ///< that one step takes
    std::size_t bodies = 0;     ///< a power of two that it can move
    double stepsPerSecond = 0;  ///< with those
};

/// Of `bodies` bodies at that cost; empty where a step takes less than two seconds, or nothing is known.
std::optional<SlowStep> slowStep(std::size_t bodies, const StepCost& cost);

}  // namespace gravlab
