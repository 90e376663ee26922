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

    if (plan.bodies && c.changes.bodies && !c.changes.force) {
        ForceTerms terms{backend.terms().front()};
        for (std::size_t k = 1; k < plan.terms.size(); ++k) terms.push_back(plan.terms[k].what);
        backend.loadAgain(*plan.bodies, terms);
    } else if (plan.loads()) {
        const auto chosen = [&](std::string_view kind) { return c.request.terms.contains(kind); };
        if (tuning) tuneTerms(plan.terms, chosen, *tuning, backend, force.precision, plan.read().size());
        backend.loadTerms(plan.read(), plan.terms);
    }
    // The meaning of an open kernel depends on the number of bodies.
    if (c.changes.backend || (plan.loads() ? !c.changes.bodies && tuning : c.changes.force))
        configureTuned(backend, force, c.choice, tuning);
    if (plan.resumed && !plan.otherFields)
        backend.restoreStates(plan.resumed->integratorState, plan.resumed->integrator == c.integrator->name);
    built.plan = std::move(plan);
    return built;
}

}  // namespace gravlab
