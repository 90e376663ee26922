// Keeps the last good state of a run and notices when numbers stop being finite, or leave single precision.
// Rule: each state that it keeps has been checked, body by body; of very many bodies it keeps none.
#pragma once
#include "app/runs/sampler.h"
#include "sim/run/simulation.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace gravlab {

/// A run that is not finite any more, or whose forces will soon not be.
struct NonFiniteState {
    std::size_t body = 0;
    std::int64_t step = 0;
    double time = 0;
    double distance = 0;  ///< distance of a body that is too far for single precision [L]; 0: the body is not finite
    /// "Body 3 is not finite", or its distance.
    std::string text() const;
};

/// The largest coordinate that a run's forces can take [L]; in single precision the square of a larger one overflows.
double farthestOf(const RunConfiguration& configuration);

/// The first body of a state that is not finite, or too far; empty: there is none.
std::optional<NonFiniteState> badOf(const FedState& state);

class NonFiniteMonitor {
public:
    /// An error goes unnoticed for at most kSteps steps, or kSeconds when steps are long; where a copy of the state takes
    /// long, for kLeastWork times as long. Beyond StateFeed::kMostUnfelt bodies only what the picture's vertices show is
    /// noticed, see VertexWatch.
    static constexpr std::int64_t kSteps = 1000;
    static constexpr double kSeconds = 2, kLeastWork = 20;
    /// Of more bodies a run without frames keeps no state, and looks at them where they are.
    static constexpr std::size_t kMostKept = std::size_t{1} << 22;

    explicit NonFiniteMonitor(std::size_t mostKept = kMostKept) : mostKept_(mostKept) {}

    /// Steps until the next check is due.
    std::int64_t stepsLeft(const Simulation& simulation) const;
    /// Checks the start of a new run, and the present state when a check is due, or with `now`. Returns the body that is not
    /// finite; empty: the state is good. Waits for the device.
    std::optional<NonFiniteState> check(Simulation& simulation, bool now);
    /// The same beside frames: requests a state of `feed` and checks it when it arrives. Never waits. For very large N it
    /// does so only where `suspect` says that a vertex is out of range, and keeps no state.
    std::optional<NonFiniteState> update(Simulation& simulation, StateFeed& feed, bool suspect);

    /// The newest state that was checked and found good; where the start was bad, the start. Null before the first check,
    /// and for very large N.
    const std::shared_ptr<const FedState>& lastGood() const { return good_; }
    bool startIsGood() const { return good_ && !startBad_; }

private:
    bool due(const Simulation& simulation) const;
    /// A state that was looked at, and what the look cost [s].
    struct Look {
        std::uint64_t bodiesId;
        std::int64_t step;
        double cost;
    };
    std::optional<NonFiniteState> judge(std::shared_ptr<const FedState> state);
    std::optional<NonFiniteState> judge(const Look& look, const std::optional<NonFiniteState>& bad,
                                        std::shared_ptr<const FedState> state);

    std::size_t mostKept_;
    std::optional<Look> goodLook_;
    std::shared_ptr<const FedState> good_;
    bool startBad_ = false;
    double lookedAt_ = 0;
    bool suspect_ = false;  ///< a vertex was out of range, and no state has been checked since
    StateSampler<SameQuestion> states_;
    static constexpr double kAfterFalseAlarm = 10;  // [s]
    StateSampler<SameQuestion> ofMany_{{.interval = kAfterFalseAlarm}};
};

}  // namespace gravlab
