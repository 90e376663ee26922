// Samples states of a run beside the frames: now and then, for a fraction of the time, and at once where the question or the
// bodies change. Rule: no frame of a window waits; a film waits, so that each step has its result.
#pragma once
#include "app/runs/state_feed.h"
#include "app/system/host_clock.h"
#include "app/system/worker.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace gravlab {

/// A run, as samplers see it.
struct SampledRun {
    Simulation& simulation;
    StateFeed& feed;
};

/// A frame, as samplers see it.
struct SampledFrame {
    Simulation& simulation;
    StateFeed& feed;
    double now = 0;                      ///< host clock [s]
    bool waits = false;                  ///< the frame belongs to a film
    const SampledRun* second = nullptr;  ///< a run that is sampled at the same moment; null: there is none
};

/// A state of the run, with that of the second run at the same moment where one is sampled.
struct SampledState : std::shared_ptr<const FedState> {
    std::shared_ptr<const FedState> second;
    double cost() const { return (*this)->cost + (second ? second->cost : 0); }
};

/// How often a sampler looks at a state.
struct SamplerPace {
    double interval = 0;       ///< between two looks at least [s]
    double shareOfCopies = 1;  ///< largest fraction of the time that copies cost the frames
    double shareOfACore = 1;   ///< largest fraction of the time for the work on them
};

/// The question of samplers that always measure the same.
struct SameQuestion {
    bool operator==(const SameQuestion&) const = default;
};

/// Gives states alone, for callers that read them in the frame.
template <class Question>
class StateSampler {
public:
    using State = SampledState;

    explicit StateSampler(SamplerPace how = {}) : pace(how) {}

    /// Whether the question or the bodies have changed; then the next look is due at once. Null: nothing is wanted.
    bool follow(const SampledFrame& at, const Question* question) {
        const bool sameBodies = run_ == at.simulation.bodiesId();
        if (question ? sameBodies && question_ == *question : !question_) return false;
        if (!question || !sameBodies) drop();
        again_ = busy();
        step_ = -1;
        nextAt_ = 0;
        run_ = at.simulation.bodiesId();
        question_ = question ? std::optional(*question) : std::nullopt;
        return true;
    }
    /// Call once a frame. Returns the state that has arrived for the question. Where a step has no look yet, it requests one
    /// when it is due. `wanted` false: it only takes a state that is under way. Throws the error of a failed copy.
    State update(const SampledFrame& at, const Question* question, bool wanted = true) {
        follow(at, question);
        if (!question) return {};
        if (at.waits && busy()) forget();               // a window requested it
        if (second_.waiting() && !at.second) forget();  // the second run has ended
        State state = arrived();
        if (state && state->bodiesId != run_) state = {};
        const bool older = again_ && !busy();
        if (older) again_ = false;
        if (state && !older) step_ = state->step();
        if ((!state || older) && wanted && due(at, at.simulation.step())) {
            if (at.waits)
                state = {at.feed.now(at.simulation), at.second ? at.second->feed.now(at.second->simulation) : nullptr};
            else
                ask(at);
            if (state || busy()) looked(at, at.simulation.step());
        }
        if (state) rest(at.now + state.cost() / pace.shareOfCopies);
        return state;
    }
    /// Whether a look at that step would begin now.
    bool due(const SampledFrame& at, std::int64_t step) const {
        return !busy() && step_ != step && (at.waits || !rests(at.now));
    }
    /// The look at that step has begun.
    void looked(const SampledFrame& at, std::int64_t step) {
        step_ = step;
        rest(at.now + pace.interval);
    }
    /// No look begins before `until` [s].
    void rest(double until) { nextAt_ = std::max(nextAt_, until); }
    bool rests(double now) const { return now < nextAt_; }
    /// A state is under way.
    bool busy() const { return ticket_.waiting() || second_.waiting(); }
    /// Step of the newest look; -1: none.
    std::int64_t step() const { return step_; }
    /// Forgets the state under way and the last look; the pace stays.
    void forget() {
        drop();
        again_ = false;
        step_ = -1;
    }
    /// The same, and the next look is due at once.
    void restart() {
        forget();
        nextAt_ = 0;
    }
    /// The run has other bodies that continue those before: forgets the state under way, and keeps the pace.
    void adopt(const Simulation& simulation) {
        forget();
        run_ = simulation.bodiesId();
    }

    SamplerPace pace;

private:
    void drop() {
        ticket_.drop();
        second_.drop();
        coming_ = {};
    }
    /// Two runs are copied where no other copy is under way: the states are then of this very moment.
    void ask(const SampledFrame& at) {
        if (!at.second) {
            ticket_ = at.feed.ask();
            return;
        }
        ticket_ = at.feed.here(at.simulation);
        if (ticket_.waiting()) second_ = at.second->feed.here(at.second->simulation);
        if (!second_.waiting()) drop();
    }
    /// What was requested, once all of it has arrived.
    State arrived() try {
        if (auto first = ticket_.take()) coming_ = {std::move(first), std::move(coming_.second)};
        if (auto second = second_.take()) coming_.second = std::move(second);
        return busy() ? State{} : std::exchange(coming_, {});
    } catch (...) {
        drop();
        throw;
    }

    std::optional<Question> question_;
    std::uint64_t run_ = 0;
    std::int64_t step_ = -1;
    double nextAt_ = 0;  ///< host clock [s]
    StateTicket ticket_, second_;
    State coming_;        ///< as far as it has arrived
    bool again_ = false;  ///< the state under way was requested before the question: another look follows
};

/// Gives results of work on states. The work is done on a thread of its own, one state at a time.
template <class Question, class Result>
class Sampler {
public:
    using State = SampledState;
    using Report = std::function<void(Result)>;
    /// `report` gives a preliminary result. Long work checks WorkWatch::dropped().
    using Work = std::function<Result(const State&, const Question&, const Report& report)>;
    /// An alternative to a state: something else that knows a step.
    struct Other {
        std::int64_t step = 0;
        std::function<Result(const Report& report)> work;
    };

    Sampler(SamplerPace pace, Work work) : states_(pace), work_(std::move(work)) {}

    /// Call once a frame. Returns the result that has arrived for the question. See StateSampler::update(). Throws the error
    /// of a failed copy or of the work.
    std::optional<Result> update(const SampledFrame& at, const Question* question, bool wanted = true,
                                 std::optional<Other> other = {}) {
        follow(at, question);
        if (!question) return std::nullopt;
        wanted = wanted && !owed_;
        if (other) {
            if (wanted && states_.due(at, other->step)) {
                states_.looked(at, other->step);
                begin(std::move(other->work));
            }
        } else if (State state = states_.update(at, question, wanted)) {
            begin([this, state = std::move(state), wish = *question](const Report& report) {
                return work_(state, wish, report);
            });
        }
        return take(at);
    }
    /// Whether the question or the bodies have changed: earlier results do not apply to them.
    bool follow(const SampledFrame& at, const Question* question) {
        const bool other = states_.follow(at, question);
        if (other) forget();
        return other;
    }
    /// Step of the newest look; -1: none.
    std::int64_t step() const { return states_.step(); }
    /// A result is under way: a frame must come for it.
    bool busy() const { return states_.busy() || owed_; }
    /// Whether a look would have to wait for its pace.
    bool rests(double now) const { return states_.rests(now); }
    /// Forgets the work under way and the last look.
    void forget() {
        states_.forget();
        worker_.drop();
        owed_ = false;
    }
    /// The same, and the next look is due at once.
    void restart() {
        forget();
        states_.restart();
    }
    SamplerPace& pace() { return states_.pace; }

private:
    struct Found {
        Result result;
        double seconds = 0;
    };
    using Job = std::function<Result(const Report&)>;

    void begin(Job job) {
        worker_.ask(std::move(job));
        owed_ = true;
    }
    std::optional<Result> take(const SampledFrame& at) {
        if (!owed_) return std::nullopt;
        if (at.waits) worker_.wait();
        owed_ = worker_.busy();  // a report of a busy worker is not the last
        std::optional<Found> found = worker_.poll();
        if (!found) return std::nullopt;
        states_.rest(at.now + found->seconds / states_.pace.shareOfACore);
        return std::move(found->result);
    }

    StateSampler<Question> states_;
    Work work_;
    bool owed_ = false;
    // Last member, because it uses the work.
    Worker<Job, Found> worker_{[](const Job& job, auto& task) {
        const double begun = hostClock();
        Result result = job([&](Result soFar) { task.report({std::move(soFar), 0}); });
        return Found{std::move(result), hostClock() - begun};
    }};
};

}  // namespace gravlab
