// Keeps the last good state of a run and notices when numbers stop being finite.
// Rule: what it keeps has been looked at, body by body.
#pragma once
#include "app/services/state_feed.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab {

/// A run that is not finite any more.
struct NonFiniteState {
    std::size_t body = 0;
    std::int64_t step = 0;
    double time = 0;
};

class NonFiniteMonitor {
public:
    /// At most so many steps, or so many seconds when steps are long, go unnoticed.
    static constexpr std::int64_t kSteps = 1000;
    static constexpr double kSeconds = 2;

    /// Steps until the next look is due.
    std::int64_t stepsLeft(const Simulation& simulation) const;
    /// Looks at the start of a run that it has not seen yet, when a look is due, or `now`. The body that is not finite, or
    /// empty: then the state is the last good one. Waits for the copy.
    std::optional<NonFiniteState> check(Simulation& simulation, bool now);
    /// The same beside frames: asks `feed`, and looks when the state has come. Never waits.
    std::optional<NonFiniteState> update(const Simulation& simulation, StateFeed& feed);

    /// The newest state that was looked at and found good; where the start was bad, that. Null before the first look.
    const std::shared_ptr<const FedState>& lastGood() const { return good_; }
    bool startIsGood() const { return good_ && !startBad_; }

private:
    bool due(const Simulation& simulation) const;
    std::optional<NonFiniteState> judge(std::shared_ptr<const FedState> state);

    std::shared_ptr<const FedState> good_;
    bool startBad_ = false;
    double lookedAt_ = 0;
    StateTicket asked_;
};

}  // namespace gravlab
