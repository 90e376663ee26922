#include "app/services/step_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {

StepCost stepCost(const Facts& facts) {
    const double forces = std::max(forcesPerStep(facts.integrator->program), 1);
    if (!everyPair(*facts.kernel)) return {.seconds = forces * facts.forceSeconds, .power = 1};
    if (!(facts.interactionsPerSecond > 0)) return {};
    const auto bodies = static_cast<double>(facts.configuration.bodies);
    return {.seconds = forces * bodies * bodies / facts.interactionsPerSecond};
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
