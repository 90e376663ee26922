// Simulated time owed, counted in steps.
#include "app/services/pace.h"

#include "sim/backends/block_figures.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {

std::int64_t Pace::due(double seconds, double speed, double timeStep) {
    constexpr double kLongest = 0.25;  // [s] after a pause of the machine simulated time continues without a jump
    timeStep_ = std::abs(timeStep);
    span_ += std::max(seconds, 0.0);
    if (span_ >= kSpan) {
        reached_ = simulated_ / span_;
        span_ = simulated_ = 0;
    }
    if (!(timeStep_ > 0) || !(speed > 0)) return 0;
    const double now = std::clamp(seconds, 0.0, kLongest) * speed / timeStep_;
    // Steps that the frame before left undone are dropped, except for the step under way.
    constexpr double kMost = 1e9;
    owed_ = std::min(std::min(owed_, 1.0) + now, kMost);
    return static_cast<std::int64_t>(owed_);
}

void Pace::made(std::int64_t steps) {
    behind_ = steps < static_cast<std::int64_t>(owed_);
    owed_ = std::max(owed_ - static_cast<double>(steps), 0.0);
    simulated_ += static_cast<double>(steps) * timeStep_;
}

void Pace::restart() { *this = {}; }

StepCost stepCost(const RunFacts& facts) {
    double forces = std::max(forcesPerStep(facts.integrator->program), 1);
    // Its time covers all that a step evaluates, for a force of all bodies.
    const bool pairs = everyPair(*facts.kernel);
    const StepCost forecast{.seconds = facts.stepForecast, .power = pairs ? 2.0 : 1.0};
    if (!pairs) return facts.forceSeconds > 0 ? StepCost{.seconds = forces * facts.forceSeconds, .power = 1} : forecast;
    if (!(facts.interactionsPerSecond > 0)) return forecast;
    if (inBlocks(facts.integrator->program)) forces = std::max(forces, figureNamed(facts.figures, kForcesOfABody));
    const auto bodies = static_cast<double>(facts.configuration.bodies);
    const double all = facts.pairsOfForce > 0 ? facts.pairsOfForce : bodies * bodies;
    return {.seconds = forces * all / facts.interactionsPerSecond, .power = all < bodies * bodies ? 1.0 : 2.0};
}

std::optional<SlowStep> slowStep(std::size_t bodies, const StepCost& cost) {
    constexpr double kTooLong = 2, kWatchable = 1.0 / 20;  // [s] a step
    if (!(cost.seconds > kTooLong) || bodies == 0) return std::nullopt;
    const double most = static_cast<double>(bodies) * std::pow(kWatchable / cost.seconds, 1 / cost.power);
    const std::size_t fewer = std::bit_floor(std::max<std::size_t>(static_cast<std::size_t>(most), 1));
    const double share = static_cast<double>(fewer) / static_cast<double>(bodies);
    return SlowStep{cost.seconds, fewer, 1 / (cost.seconds * std::pow(share, cost.power))};
}

}  // namespace gravlab
