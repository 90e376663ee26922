// How many steps a frame owes, so that simulated time passes at a wanted speed.
// Rule: no clock: times come in, steps come out. Steps that the machine cannot make are not owed later; the time step never
// changes.
#pragma once
#include "app/model/facts.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gravlab {

class Pace {
public:
    /// A frame begins `seconds` after the one before. Returns the steps of `timeStep` [T] (of either sign) that it owes at
    /// `speed` [T/s].
    std::int64_t due(double seconds, double speed, double timeStep);
    /// The frame made this number of steps.
    void made(std::int64_t steps);
    /// Whether the last frame owed more steps than it made.
    bool behind() const { return behind_; }
    /// Simulated time per second of the host clock over the last one or two seconds, whatever requested the steps [T/s]; 0
    /// at first.
    double reached() const { return reached_; }
    /// Forgets the steps that are owed and the speed that was reached: the run was paused, or is another one.
    void restart();

private:
    static constexpr double kSpan = 1;  ///< [s] that a reading of the speed averages over
    double owed_ = 0;                   ///< [steps]
    double timeStep_ = 0, span_ = 0, simulated_ = 0, reached_ = 0;
    bool behind_ = false;
};

// Cost of a step on this machine, and the number of bodies that it could move at a pace that can be watched.

/// Cost of the present run.
struct StepCost {
    double seconds = 0;  ///< 0: unknown so far
    double power = 2;    ///< exponent of N in the growth of the cost: 2 for every pair, about 1 for a tree
};
/// Every pair: computed from the rate. Where far bodies are combined, it is the measured cost; before the first force is
/// complete it follows from the completed part.
StepCost stepCost(const RunFacts& facts);

struct SlowStep {
    double seconds = 0;         ///< time of one step
    std::size_t bodies = 0;     ///< a power of two: number of bodies that it can move
    double stepsPerSecond = 0;  ///< steps per second with that number
};

/// Estimate for `bodies` bodies at that cost; empty where a step takes less than two seconds, or the cost is unknown.
std::optional<SlowStep> slowStep(std::size_t bodies, const StepCost& cost);

}  // namespace gravlab
