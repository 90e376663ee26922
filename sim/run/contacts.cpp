// Contacts at the end of each step: the run steps one at a time, and loads bodies that contacts have changed.
#include "sim/backends/kernel.h"
#include "sim/backends/step_cursor.h"
#include "sim/core/validation.h"
#include "sim/run/judge.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"

#include <algorithm>
#include <utility>

namespace gravlab {

ContactSettings contactOf(const RunRequest& wanted, const Scene& scene) {
    ContactSettings contact = scene.contact;
    contact.mode = wanted.contact.value_or(contact.mode);
    contact.restitution = wanted.restitution.value_or(contact.restitution);
    contact.friction = wanted.friction.value_or(contact.friction);
    if (wanted.radius || wanted.density) {
        contact.radius = wanted.radius.value_or(0);
        contact.density = wanted.density.value_or(0);
    }
    return contact;
}

void suitContact(Plan& plan, const Present& present) {
    const Configuration& c = plan.configuration;
    const ContactSettings& contact = c.values.contact;
    const bool goesOn = plan.resumed && (!c.changes.start || plan.resumed->clock.step != 0);
    if (!plan.bodies && c.changes.sizes) {
        plan.resumed = present.state();
        plan.bodies = {plan.resumed, &plan.resumed->bodies};
    }
    const bool all = c.changes.sizes || (c.changes.start && !goesOn), edits = c.changes.bodies && !plan.resumed;
    if (plan.bodies && (all || edits) && (contact.radius > 0 || contact.density > 0)) {
        auto sized = std::make_shared<ParticleSet>(*plan.bodies);
        giveRadii(*sized, contact, !all);
        plan.bodies = std::move(sized);
    }
    if (plan.bodies)
        requireContact(contact, c.values.force, plan.bodies.get());
    else if (c.changes.contact && contact.acts())
        requireContact(contact, c.values.force, present.bodies().get());
}

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
    const std::size_t before = backend_->size();
    std::vector<ContactEvent> events;
    if (watches_) {
        FoundContacts* const found = backend_->contactWatch()->find();
        if (!found) return;
        events = resolveContacts(*found, now_.values.contact, now_.values.force, step);
        if (events.empty()) return;
        endCheck();
        if (!backend_->change(found->changes)) {
            ParticleSet bodies = backend_->bodies();
            gravlab::apply(found->changes, bodies);
            replaceBodies(bodies);
        }
    } else {
        ParticleSet bodies = backend_->bodies();
        events = resolveContacts(before_, bodies, now_.values.contact, now_.values.force, step);
        if (events.empty()) {
            before_ = std::move(bodies.position);
            return;
        }
        endCheck();
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
