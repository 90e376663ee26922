#include "app/runs/twin.h"

#include "app/parameters/twin_settings.h"
#include "app/system/host_clock.h"

#include <algorithm>

namespace gravlab {
namespace {

bool atStart(const Simulation& simulation) {
    const StartState* start = simulation.configuration().start.get();
    return simulation.step() == (start ? start->state.clock.step : 0);
}

/// Calls `change`; where it fails, the twin ends.
template <class Change>
void orEnd(Twin& twin, const Change& change) {
    try {
        change();
    } catch (...) {
        twin.end();
        throw;
    }
}

}  // namespace

Twin::Twin(std::deque<Run>& runs) : runs_(runs) {}
Twin::~Twin() = default;

void Twin::start(const TwinChoice& wanted, bool fromPresent) {
    auto run = std::make_unique<TwinRun>(first().simulation(), wanted, fromPresent);
    if (runs_.size() > 1)
        second().take(run->shared());
    else
        runs_.emplace_back(run->shared(), true);
    run_ = std::move(run);
    choice_ = wanted;
    choice_.on = true;
    stepSeconds_ = 0;
    even_ = true;
    const std::shared_ptr<const FedState> begun = first().feed().now(first().simulation());
    second().feed().settle();  // the copy under way belongs to a twin that is gone
    watch_.restart(*begun, simulation());
    second().show(first().shown());
    second().renderer().forgetTrails();
    followSimulation();
    // Energies are compared with the start; for very large N they are not summed.
    if (begun->bodies() <= TwinMonitor::kMostBodies) watch_.measure(side(first()), side(second()), hostClock(), true);
}

/// Updates everything that depends on a twin that is new or was changed.
void Twin::followSimulation() {
    second().attach();
    label();
    stepSeconds_ = 0;
    publish();
}

/// Names what differs in the settings, also where a changed time step still waits for a common time of both.
void Twin::label() { labels_ = twinLabels(first().simulation().configuration(), run_->configuration(first().simulation())); }

void Twin::apply(const TwinChoice& wanted, bool edited) {
    if (!wanted.on) {
        end();
        choice_ = wanted;
        return;
    }
    if (!on()) {
        return orEnd(*this, [&] { start(wanted, edited || !atStart(first().simulation())); });
    }
    if (!follows(wanted)) {
        run_->follow(first().simulation(), wanted);
        watch_.mark(first().simulation(), simulation());
        followSimulation();
    }
    choice_ = wanted;
    label();
}

bool Twin::follows(const TwinChoice& wanted) const { return on() && wanted.on && wanted.values == choice_.values; }

void Twin::follow(bool restarted) {
    if (!on()) return;
    orEnd(*this, [&] {
        if (restarted) {
            const TwinChoice wanted = choice_;
            run_.reset();  // first, so that memory for three runs is never needed
            second().take(nullptr);
            start(wanted, false);
            return;
        }
        run_->follow(first().simulation(), choice_);
        watch_.mark(first().simulation(), simulation());
        followSimulation();
    });
}

void Twin::edit(const TwinRun::Edits& edits) {
    if (!on()) return;
    orEnd(*this, [&] {
        run_->edit(edits);
        watch_.restart(*first().feed().now(first().simulation()), simulation());
        second().renderer().forgetTrails();
        publish();
    });
}

History::Beside Twin::beside() {
    const std::optional<TwinLink> link = run_->link();
    return {simulation(), second().feed(), link ? std::optional(SecondRun{choice_, *link}) : std::nullopt};
}

void Twin::goBack(const SecondState& then) {
    orEnd(*this, [&] {
        restoreState(simulation(), then.configuration, then.state);
        run_->restoreLink(then.run.link);
        const TwinView view = choice_.view;
        choice_ = then.run.choice;
        choice_.view = view;
        watch_.jump(first().simulation(), simulation());
        even_ = false;  // the twin may be behind the first's time by some steps
        followSimulation();
    });
}

void Twin::end() {
    run_.reset();
    if (runs_.size() > 1) runs_.pop_back();
    choice_.on = false;
}

void Twin::advance(std::int64_t steps, double seconds, bool realTime, const Pauses& pauses) {
    Simulation& first = this->first().simulation();
    progress_ = {.innerStep = progress_.innerStep};
    const double start = hostClock(), end = realTime ? start + seconds : 1e300;
    const auto left = [&] { return realTime ? std::max(end - hostClock(), 0.0) : 1e300; };
    const auto store = [&] {
        if (shownStep_ == first.step() && shownTwinStep_ == simulation().step()) return;
        this->first().publish();
        publish();
        shownStep_ = first.step();
    };
    const auto measureHere = [&] {
        if (!even_ || !run_->met(first)) return;
        store();
        watch_.measure(side(this->first()), side(second()), hostClock(), realTime);
    };
    orEnd(*this, [&] {
        const bool behind = !even_;
        even_ = run_->catchUp(first, left());
        // The steps of this frame should end at a common time: that state is shown, even where the budget never covers a
        // whole cycle.
        const bool together = realTime && behind && even_;
        if (together) {
            store();
            if (watch_.due(hostClock(), true)) measureHere();
        }
        for (bool begun = together; even_ && progress_.steps < steps && (!begun || left() > 0); begun = true) {
            std::int64_t chunk = steps - progress_.steps;
            // Make as many steps as the twin can follow within the same budget, so that each frame ends with both at one
            // time.
            if (realTime && stepSeconds_ > 0)
                chunk = std::clamp<std::int64_t>(static_cast<std::int64_t>(0.8 * left() / stepSeconds_), 1, chunk);
            else if (realTime)
                chunk = 1;
            const bool due = watch_.due(hostClock(), realTime);
            if (due) chunk = std::min(chunk, run_->stepsToMeeting(first));
            if (pauses.every > 0) chunk = std::min(chunk, pauses.every);
            const double before = hostClock();
            const AdvanceStatus status = first.advance({.seconds = left(), .steps = chunk}, nullptr);
            progress_.stepProgress = status.stepProgress;
            progress_.innerStep = status.innerStep;
            progress_.steps += status.stepsCompleted;
            if (status.stepsCompleted == 0 && realTime) break;
            even_ = run_->catchUp(first, left());
            if (status.stepsCompleted > 0)
                stepSeconds_ = (hostClock() - before) / static_cast<double>(status.stepsCompleted);
            // A film is measured once a frame, at its end.
            if (due && realTime) measureHere();
            if (pauses.every > 0 && even_ && progress_.steps < steps) pauses.show();
        }
        if (!even_) return;
        // The distance of paused runs should belong to the step at which they stand.
        if (realTime && steps == 0 && watch_.due(hostClock(), true)) measureHere();
        store();
        if (!realTime && watch_.due(0, false) && run_->met(first))
            watch_.measure(side(this->first()), side(second()), 0, false);
    });
}

void Twin::update(bool realTime) {
    if (std::exchange(labelled_, simulation().revision()) != simulation().revision()) label();
    if (realTime)
        second().feed().pump(simulation());
    else
        second().feed().settle();
    watch_.update(side(first()), side(second()), hostClock(), realTime);
}

void Twin::publish() {
    second().publish();
    shownTwinStep_ = simulation().step();
}

}  // namespace gravlab
