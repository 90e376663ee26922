#include "app/services/step_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {

double secondsOfAStep(std::size_t bodies, int forces, double rate) {
    return std::max(forces, 1) * static_cast<double>(bodies) * static_cast<double>(bodies) / rate;
}

std::optional<SlowStep> slowStep(std::size_t bodies, int forces, double rate) {
    constexpr double kTooLong = 2, kWatchable = 1.0 / 20;  // [s] a step
    if (!(rate > 0) || bodies == 0) return std::nullopt;
    const double seconds = secondsOfAStep(bodies, forces, rate);
    if (!(seconds > kTooLong)) return std::nullopt;
    const auto most = static_cast<std::size_t>(static_cast<double>(bodies) * std::sqrt(kWatchable / seconds));
    const std::size_t fewer = std::bit_floor(std::max<std::size_t>(most, 1));
    return SlowStep{seconds, fewer, 1 / secondsOfAStep(fewer, forces, rate)};
}

}  // namespace gravlab
