#include "app/view/service_results.h"

#include "app/view/app.h"

namespace gravlab {

ServiceResults serviceResultsOf(const App& app) {
    const Services& s = app.services;
    const RunFacts& facts = app.document.facts;
    const History* history = app.runs.history();
    const Twin& twin = app.runs.twin();
    const auto& profile = s.instruments.newest();
    return {.rates = s.telemetry,
            .conserved = {.points = s.conservation.points(),
                          .marks = s.conservation.marks(),
                          .worst = s.conservation.worstChange(),
                          .why = s.conservation.why(),
                          .advice = s.conservation.advice(facts.configuration, *facts.integrator, facts.scene->units)},
            .profile = profile ? &profile->profile : nullptr,
            .profileStep = profile ? profile->step : 0,
            .balance = app.runs.virial().found(),
            .history = history ? ServiceResults::History{true, history->marks(), history->why()} : ServiceResults::History{},
            .pair = {twin.watch().curve(), twin.watch().changes(), twin.watch().sampling(), twin.labels()},
            .path = s.trajectory.path(),
            .dropPath = s.dropPath.path(),
            .measured = {.sweep = s.lab.sweepFor(rowOf(facts, app.document.labPanel.term)),
                         .shown = s.lab.shown(),
                         .busy = s.lab.busy(),
                         .tuning = s.lab.tuning(),
                         .progress = s.lab.progress(),
                         .status = s.lab.status(),
                         .best = s.lab.best(),
                         .memory = s.lab.memory()},
            .matrix = s.lab.matrix};
}

void requestMeasurements(App& app, const PanelNeeds& needs) {
    if (needs.profile) app.services.instruments.on = *needs.profile;
    if (needs.balance) app.runs.virial().read(!app.realTime());
    if (needs.pair) app.services.lab.matrix.point((*needs.pair)[0], (*needs.pair)[1]);
}

}  // namespace gravlab
