// Cost of a step on this machine, and the number of bodies that it could move at a pace that can be watched.
#pragma once
#include "app/model/facts.h"

#include <cstddef>
#include <optional>

namespace gravlab {

/// Cost of the present run.
struct StepCost {
    double seconds = 0;  ///< 0: unknown so far
    double power = 2;    ///< exponent of N in the growth of the cost: 2 for every pair, about 1 for a tree
};
/// Every pair: computed from the rate. Where far bodies are combined, it is the measured cost; before the first force is
/// complete it follows from the completed part.
StepCost stepCost(const Facts& facts);

struct SlowStep {
    double seconds = 0;         ///< time of one step
    std::size_t bodies = 0;     ///< a power of two: number of bodies that it can move
    double stepsPerSecond = 0;  ///< steps per second with that number
};

/// Estimate for `bodies` bodies at that cost; empty where a step takes less than two seconds, or the cost is unknown.
std::optional<SlowStep> slowStep(std::size_t bodies, const StepCost& cost);

}  // namespace gravlab
