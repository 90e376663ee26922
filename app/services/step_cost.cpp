#include "app/services/step_cost.h"

#include "sim/backends/block_figures.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {

StepCost stepCost(const Facts& facts) {
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
