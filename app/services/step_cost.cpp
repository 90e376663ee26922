#include "app/services/step_cost.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gravlab {

std::optional<SlowStep> slowStep(std::size_t bodies, int forces, double rate) {
    constexpr double kTooLong = 2, kWatchable = 1.0 / 20;  // [s] a step
    if (!(rate > 0) || bodies == 0) return std::nullopt;
    const auto secondsOf = [&](std::size_t count) {
        return std::max(forces, 1) * static_cast<double>(count) * static_cast<double>(count) / rate;
    };
    const double seconds = secondsOf(bodies);
    if (!(seconds > kTooLong)) return std::nullopt;
    const auto most = static_cast<std::size_t>(static_cast<double>(bodies) * std::sqrt(kWatchable / seconds));
    const std::size_t fewer = std::bit_floor(std::max<std::size_t>(most, 1));
    return SlowStep{seconds, fewer, 1 / secondsOf(fewer)};
}

}  // namespace gravlab
