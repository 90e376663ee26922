// Last stage of a change to a run: the built backend becomes the run's. Nothing here can refuse.
#include "sim/backends/kernel.h"
#include "sim/forces/fields/field_text.h"
#include "sim/run/simulation.h"

#include <utility>

namespace gravlab {

void Simulation::adopt(BuiltRun built) {
    Plan& plan = built.plan;
    const Scene* before = now_.scene;
    now_ = std::move(plan.configuration);
    if (built.backend) backend_ = std::move(built.backend);

    RunConfiguration& v = now_.values;
    v.bodies = backend_->size();
    v.terms.clear();
    for (const Term& term : backend_->termsInUse())
        v.terms.push_back({std::string(term.what->kind()),
                           term.what->description(),
                           {nameOf(term.how), term.how.launch},
                           term.how.allowedError,
                           term.how.opening,
                           term.what->offer()});
    v.fields = fieldsOf(othersOf(backend_->terms()));
    if (!now_.fields && v.fields->empty()) v.fields.reset();
    takeRow(v, backend_->activeKernel(), backend_->activeLaunch(), now_.choice.allowedError);
    v.pairs().opening = now_.choice.opening;  // a requested one waits for a row that has one
    if (v.start)
        names_ = v.start->names;
    else if (now_.scene->names.empty())
        names_ = noBodyNames();
    else if (now_.scene != before)
        names_ = std::make_shared<const BodyNames>(now_.scene->names);

    ++revision_;
    carried_ = std::move(plan.carried);
    if (plan.loads()) {
        targets_ = std::move(plan.targets);
        overlaps_ = plan.overlaps;
        targetsKnown_ = true;
        stepUnderWay_ = false;
    }
    if (now_.changes.start) runId_ = ++newest_;
    if (now_.changes.start || now_.changes.bodies) bodiesId_ = ++newest_;
    if (plan.resumed)
        clock_ = plan.resumed->clock;
    else if (now_.changes.start)
        clock_ = {.timeStep = v.timeStep};
    if (plan.loads()) backend_->setClock(clock_);
    if (plan.resumed)
        contacts_ = plan.resumed->contacts;
    else if (now_.changes.start)
        contacts_ = {};
    pathsBegun_ = false;
    // A step under way ends with the time step of its beginning; advance() rebases the clock after it.
    if (!stepUnderWay_ && clock_.timeStep != v.timeStep) clock_.rebase(v.timeStep);

    if (plan.loads() || now_.changes.force) {
        dropForceChecks();
        backend_->requestForceCheck(checkTargets());
    }
}

}  // namespace gravlab
