// Keeps the last good state of a run and notices when numbers stop being finite, or leave single precision.
// Rule: what it keeps has been looked at, body by body.
#pragma once
#include "app/services/sampler.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gravlab {

/// A run that is not finite any more, or whose forces will not be.
struct NonFiniteState {
    std::size_t body = 0;
    std::int64_t step = 0;
    double time = 0;
    double distance = 0;  ///< of a body that is too far for single precision [L]; else not finite
    /// "Body 3 is not finite", or how far it is.
    std::string text() const;
};

/// The largest coordinate that a run's forces can take [L]; larger ones of single precision have no square.
double farthestOf(const RunConfiguration& configuration);

/// The first body of a state that is not finite, or too far; empty: none.
std::optional<NonFiniteState> badOf(const FedState& state);

class NonFiniteMonitor {
public:
    /// At most so many steps, or so many seconds when steps are long, go unnoticed; of more than StateFeed::kMostUnfelt
    /// bodies what the picture's vertices show, see VertexWatch.
    static constexpr std::int64_t kSteps = 1000;
    static constexpr double kSeconds = 2;

    /// Steps until the next look is due.
    std::int64_t stepsLeft(const Simulation& simulation) const;
    /// Looks at the start of a run that it has not seen yet, when a look is due, or `now`. The body that is not finite, or
    /// empty: then the state is the last good one. Waits for the copy.
    std::optional<NonFiniteState> check(Simulation& simulation, bool now);
    /// The same beside frames: asks `feed`, and looks when the state has come. Never waits. Of very many bodies only where
    /// `suspect` says that a vertex is out of range, and no state is kept.
    std::optional<NonFiniteState> update(Simulation& simulation, StateFeed& feed, bool suspect);

    /// The newest state that was looked at and found good; where the start was bad, that. Null before the first look, and of
    /// very many bodies beside frames.
    const std::shared_ptr<const FedState>& lastGood() const { return good_; }
    bool startIsGood() const { return good_ && !startBad_; }

private:
    bool due(const Simulation& simulation) const;
    std::optional<NonFiniteState> judge(std::shared_ptr<const FedState> state);

    std::shared_ptr<const FedState> good_;
    bool startBad_ = false;
    double lookedAt_ = 0;
    bool suspect_ = false;  ///< a vertex was out of range, and no state has been looked at since
    StateSampler<SameQuestion> states_;
    static constexpr double kAfterFalseAlarm = 10;  // [s]
    StateSampler<SameQuestion> ofMany_{{.interval = kAfterFalseAlarm}};
};

}  // namespace gravlab
