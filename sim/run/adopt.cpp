// Last stage of a change to a run: the built backend becomes the run's. Nothing here can refuse.
#include "sim/backends/kernel.h"
#include "sim/run/simulation.h"

#include <atomic>
#include <utility>

namespace gravlab {

void Simulation::adopt(BuiltRun built) {
    static std::atomic<std::uint64_t> newest{0};
    Plan& plan = built.plan;
    const Scene* before = now_.scene;
    now_ = std::move(plan.configuration);
    if (built.backend) backend_ = std::move(built.backend);

    RunConfiguration& v = now_.values;
    v.bodies = backend_->size();
    v.kernel = {std::string(backend_->activeKernel().name), backend_->activeLaunch()};
    // An accuracy is in force only for a row that an allowed error controls.
    const KernelRow& row = backend_->activeKernel();
    v.accuracy = row.approximates && !row.byOpening ? keptAccuracy(row, v.force, now_.choice.allowedError) : 0;
    const std::vector<Term> terms = backend_->termsInUse();
    v.terms.clear();
    for (std::size_t k = 1; k < terms.size(); ++k)
        v.terms.push_back({std::string(terms[k].what->kind()),
                           terms[k].what->description(),
                           {nameOf(terms[k].how), terms[k].how.launch},
                           terms[k].how.allowedError,
                           terms[k].what->offer()});
    if (v.start)
        names_ = v.start->names;
    else if (now_.scene->names.empty())
        names_ = noBodyNames();
    else if (now_.scene != before)
        names_ = std::make_shared<const BodyNames>(now_.scene->names);

    ++revision_;
    carried_ = std::move(plan.carried);
    if (plan.bodies) {
        targets_ = std::move(plan.targets);
        stepUnderWay_ = false;
    }
    if (now_.changes.start) runId_ = ++newest;
    if (now_.changes.start || now_.changes.bodies) bodiesId_ = ++newest;
    if (plan.resumed)
        clock_ = plan.resumed->clock;
    else if (now_.changes.start)
        clock_ = {.timeStep = v.timeStep};
    if (plan.bodies) backend_->setClock(clock_);
    if (plan.resumed)
        contacts_ = plan.resumed->contacts;
    else if (now_.changes.start)
        contacts_ = {};
    pathsBegun_ = false;
    // A step under way ends with the time step of its beginning; advance() rebases the clock after it.
    if (!stepUnderWay_ && clock_.timeStep != v.timeStep) clock_.rebase(v.timeStep);

    if (plan.bodies || now_.changes.force) {
        check_.reset();
        recheck_.reset();
        rechecking_ = false;
        backend_->requestForceCheck(targets_.of(row));
    }
}

}  // namespace gravlab
