// Simulated time owed, counted in steps.
#include "app/services/pace.h"

#include <algorithm>
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

}  // namespace gravlab
