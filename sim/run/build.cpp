#include "sim/run/build.h"

#include <utility>

namespace gravlab {

BuiltRun build(Plan plan, Backend* running) {
    const Configuration& c = plan.configuration;
    const ForceSettings& force = c.values.force;
    const Tuning* tuning = c.request.tuning.get();
    BuiltRun built;
    if (c.changes.backend)
        built.backend =
            makeTuned(*c.backend.row, c.request.backendOptions, c.choice, tuning, force.precision, c.values.bodies);
    Backend& backend = built.backend ? *built.backend : *running;

    if (plan.bodies && c.changes.bodies && !c.changes.force)
        backend.load(*plan.bodies);
    else if (plan.bodies)
        backend.load(*plan.bodies, {force, fitted(c.choice, plan.bodies->size())}, plan.others);
    // What an open kernel means depends on the number of bodies.
    if (c.changes.backend || (plan.bodies ? c.changes.start && tuning : c.changes.force))
        configureTuned(backend, force, c.choice, tuning);
    if (plan.resumed) backend.restoreStates(plan.resumed->integratorState, plan.resumed->integrator == c.integrator->name);
    built.plan = std::move(plan);
    return built;
}

}  // namespace gravlab
