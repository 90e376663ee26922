// Keeps the last good state of a run and notices when numbers stop being finite.
// Rule: what it keeps has been looked at, body by body.
#pragma once
#include "sim/run/simulation.h"

#include <chrono>
#include <cstdint>

namespace gravlab {

/// A run that is not finite any more.
struct BlownUp {
    std::size_t body = 0;
    std::int64_t step = 0;
    double time = 0;
};

class StateGuard {
public:
    /// At most so many steps, or so many seconds when steps are long, go unnoticed.
    static constexpr std::int64_t kSteps = 1000;
    static constexpr double kSeconds = 2;

    /// Looks at the start.
    explicit StateGuard(Simulation& simulation);

    /// Steps until the next look is due.
    std::int64_t stepsLeft(const Simulation& simulation) const;
    /// Looks when it is due, or `now`. The body that is not finite, or empty: then the state is the last good one. Waits
    /// for the copy.
    std::optional<BlownUp> look(Simulation& simulation, bool now);

    /// The newest state that was looked at and found good.
    const RunState& lastGood() const { return good_; }
    bool startIsGood() const { return !startBad_; }

private:
    RunState good_;
    bool startBad_ = false;
    std::chrono::steady_clock::time_point looked_;
};

}  // namespace gravlab
