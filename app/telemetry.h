// Rates and times that people read: differences of finished totals over a short window. Never waits.
#pragma once
#include "sim/backend.h"

#include <array>
#include <cstddef>

namespace gravlab {

class Telemetry {
public:
    /// Call once a frame with the backend's totals and the host clock [s].
    void frame(const WorkTotals& totals, double now, double drawSeconds);
    /// Forget everything: another kernel, N or backend.
    void restart();

    double interactionsPerSecond = 0;  ///< N*N per force evaluation over device or pool time
    double framesPerSecond = 0, stepsPerSecond = 0, frameMilliseconds = 0;
    /// Milliseconds a frame, of which: force, integrate, publish, draw.
    double forceMs = 0, integrateMs = 0, publishMs = 0, drawMs = 0;
    static constexpr std::size_t kHistory = 240;
    std::array<float, kHistory> rateHistory{};  ///< G interactions/s, oldest first

private:
    WorkTotals last_{};
    double lastTime_ = 0;
    bool primed_ = false;
};

}  // namespace gravlab
