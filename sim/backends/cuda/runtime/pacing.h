// The rest of the budget of one call of advance(). Rule: pacing decides how much is enqueued, never what is computed.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/runtime/gpu_timer.h"
#include "sim/backends/step_cursor.h"

#include <algorithm>

namespace gravlab::cuda {

class Pacing {
public:
    Pacing(const Budget& budget, GpuTimer& timer) : budget_(budget), timer_(timer) {}
    /// Whether the call is not part of a frame and may wait for the device to catch up.
    bool offline() const { return budget_.seconds >= kOfflineSeconds; }
    /// Seconds of the budget that neither the device's queue nor the host has used.
    double left() const { return budget_.seconds - std::max(timer_.outstanding(), StepPacer::steadySeconds() - start_); }
    /// After a long step in a frame the next step begins at once, or the device would idle until the next call.
    bool goesAhead(double stepSeconds) const { return !offline() && stepSeconds > kLongStep; }
    /// Whether the call ends after a drawn step, so that the picture is recent. A step longer than the budget continues.
    bool endsWithPicture(double stepSeconds) const { return stepSeconds < budget_.seconds; }
    /// Whether work of `seconds` may be enqueued; offline it waits until that is so. In a frame the first piece of work may
    /// have any length, as long as the queue is short. More than half of each later piece has to fit the budget: otherwise
    /// rounds of 5.3 ms would leave half of 10 ms idle.
    bool admits(bool first, double seconds) const {
        if (offline()) {
            if (timer_.outstanding() > kLongQueue) timer_.drain(kLongQueue / 2);
            return left() > 0;
        }
        return first ? timer_.outstanding() <= std::max(budget_.seconds, kShortQueue) : left() > seconds / 2;
    }

private:
    static constexpr double kOfflineSeconds = 1;
    // A longer step needs a large fraction of a frame [s].
    static constexpr double kLongStep = 8e-3;
    // Queue that the host keeps ahead offline [s]: long enough that the device never waits.
    static constexpr double kLongQueue = 0.05;
    // A shorter queue [s] accepts one more slice, so that even a budget of 0 makes progress.
    static constexpr double kShortQueue = 4e-3;

    Budget budget_;
    GpuTimer& timer_;
    double start_ = StepPacer::steadySeconds();
};

}  // namespace gravlab::cuda
