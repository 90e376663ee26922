// Contacts at the end of each step: the run steps one at a time, and loads bodies that contacts have changed.
#include "sim/backends/kernel.h"
#include "sim/backends/step_cursor.h"
#include "sim/forces/fields/field_text.h"
#include "sim/run/judge.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <utility>

namespace gravlab {

AdvanceStatus Simulation::advance(const Budget& budget, VertexSink* sink) {
    // Contacts lose energy, so a run backwards in time has none.
    if (!now_.values.contact.acts() || !(now_.values.timeStep > 0)) {
        pathsBegun_ = false;
        return advanceFreely(budget, sink);
    }
    AdvanceStatus all;
    StepPacer pacer(budget);
    do {
        if (!pathsBegun_ && budget.steps > 0) beginPaths();
        const double begin = clock_.time();
        const AdvanceStatus one = advanceFreely({.seconds = std::max(budget.seconds - pacer.elapsed(), 0.0),
                                                 .steps = std::min<std::int64_t>(budget.steps - all.stepsCompleted, 1)},
                                                nullptr);
        all.stepsCompleted += one.stepsCompleted;
        all.stepProgress = one.stepProgress;
        all.innerStep = one.innerStep;
        if (one.stepsCompleted == 0) break;
        resolveStep(begin);
    } while (all.stepsCompleted < budget.steps && pacer.elapsed() < budget.seconds);
    if (sink && all.stepsCompleted > 0) {
        publish(*sink);
        all.published = true;
    }
    return all;
}

void Simulation::beginPaths() {
    ContactWatch* watch = backend_->contactWatch();
    watches_ = watch && watch->begin();
    if (!watches_) {
        ParticleSet bodies = backend_->bodies();
        before_ = std::move(bodies.position);
    }
    pathsBegun_ = true;
}

/// `begin`: time at the beginning of the step [T].
void Simulation::resolveStep(double begin) {
    if (!pathsBegun_) return;
    const ContactStep step{clock_.step, begin, clock_.time() - begin, now_.values.backendOptions.threads.value_or(0)};
    FoundContacts* const found = watches_ ? backend_->contactWatch()->find() : nullptr;
    if (watches_ && !found) return;
    ParticleSet bodies;
    BodyChanges hostChanges;
    if (!found) bodies = backend_->bodies();
    std::vector<ContactEvent> events =
        found ? resolveContacts(*found, now_.values.contact, force(), step)
              : resolveContacts(before_, bodies, now_.values.contact, force(), step, hostChanges);
    if (events.empty()) {
        if (!found) before_ = std::move(bodies.position);
        return;
    }
    const BodyChanges& changes = found ? found->changes : hostChanges;
    const std::size_t before = backend_->size();
    followMergers(changes, events, step);
    endCheck();
    if (!found || !backend_->change(changes)) {
        if (found) bodies = backend_->bodies();
        gravlab::apply(changes, bodies);
        replaceBodies(bodies);
    }
    stepUnderWay_ = false;
    for (const ContactEvent& event : events) {
        contacts_.lost += event.lost;
        ++(event.kind == ContactKind::merge ? contacts_.merges : contacts_.bounces);
    }
    if (events_) events_->insert(events_->end(), events.begin(), events.end());
    now_.values.bodies = backend_->size();
    targetsKnown_ = targetsKnown_ && backend_->size() == before;
    // Another row may be the best for the bodies left.
    if (const KernelRow& row = backend_->activeKernel(); row.name != now_.values.pairs().kernel.kernel) {
        takeRow(now_.values, row, backend_->activeLaunch(), now_.choice.allowedError);
        ++revision_;
        dropForceChecks();
    }
    if (!check_ || rechecking_) backend_->requestForceCheck(checkTargets());
}

/// Adds what the mergers of a step took beside the pairs of their events to the last one, and notes fields that ended.
void Simulation::followMergers(const BodyChanges& changes, std::vector<ContactEvent>& events, const ContactStep& step) {
    const auto last = std::ranges::find(events.rbegin(), events.rend(), ContactKind::merge, &ContactEvent::kind);
    if (last == events.rend()) return;
    const ForceTerms others = othersOf(terms());
    if (const std::size_t size = backend_->size(); !others.empty() || countsLightBodies(events.size(), size)) {
        ParticleSet bodies = backend_->bodies();
        bodies.time = clock_.time();
        ParticleSet left = bodies;
        gravlab::apply(changes, left);
        last->lost += lostBeside(bodies, left, events, force(), others, step.threads);
    }
    for (const ContactEvent& event : events)
        for (const OuterField& field : fieldsOf(others))
            if (event.kind == ContactKind::merge && field.carrier() == event.second)
                note_ = "body " + std::to_string(event.second) + " merged into body " + std::to_string(event.first) +
                        " at step " + std::to_string(event.step) + ", so the field " + std::string(field.row().name) +
                        " that it carried has ended";
}

/// Ends a check under way, which a change of bodies would drop: where each step has contacts, none would ever end.
void Simulation::endCheck() {
    if (!check_ || rechecking_) backend_->wait();
    forceCheck();
}

/// Loads bodies that a step's contacts have changed.
void Simulation::replaceBodies(const ParticleSet& bodies) {
    backend_->loadChanged(bodies);
    backend_->setClock(clock_);
    pathsBegun_ = false;
}

const std::vector<std::uint32_t>& Simulation::checkTargets() {
    if (!targetsKnown_) {
        ParticleSet bodies = backend_->bodies();
        targets_ = targetsOf(bodies, othersOf(terms()));
        targetsKnown_ = true;
    }
    return targets_.of(backend_->activeKernel());
}

std::vector<ContactEvent> Simulation::takeContactEvents() {
    std::vector<ContactEvent> taken;
    if (events_) taken.swap(*events_);
    events_.emplace();
    return taken;
}

Diagnostics Simulation::withContacts(Diagnostics measured) const {
    measured.lost = contacts_.lost;
    return measured;
}

}  // namespace gravlab
