// Prepares backend, bodies and launch of a point.
#include "app/bench/sweep_bench.h"

#include "app/bench/term_bench.h"
#include "sim/core/error.h"
#include "sim/forces/law_numbers.h"
#include "sim/scenes/scene.h"

#include <optional>
#include <utility>

namespace gravlab {

void SweepBench::drop() {
    trial.reset();
    backend.reset();
}

void prepare(SweepBench& bench, const SweepPoint& point, const SweepSettings& settings, const BackendMaker& make) {
    const Scene& scene = sceneNamed(settings.scene);
    if (!bench.backend || bench.name != point.backend || bench.options != point.options) {
        bench.drop();
        bench.backend = make(point.backend, point.options);
        bench.name = point.backend;
        bench.options = point.options;
    }
    if (const Reason reason = refusal(backend(point.backend), integrator(settings.integrator), point.bodies);
        !reason.empty())
        throw UsageError(reason);
    if (point.term != kPairLawTerm) {
        bench.start = {};
        TermStudy study = termStudy({.scene = settings.scene,
                                     .seed = settings.seed,
                                     .timeStep = settings.timeStep,
                                     .softening = settings.softening,
                                     .precision = settings.precision},
                                    point.term, point.bodies);
        const Integrator& steps = loadTerm(*bench.backend, study, point.kernel, integrator(settings.integrator));
        BenchmarkPlan plan = point.plan;
        plan.ofTerm = true;
        bench.trial = std::make_unique<Trial>(*bench.backend, steps, study.timeStep, study.force, plan);
        return;
    }
    if (bench.start.size() != point.bodies) {
        bench.start = {};
        bench.start = scene.build({.bodies = point.bodies, .seed = settings.seed});
        if (settings.unequalMasses) spreadMasses(bench.start);
    }
    ForceSettings force{
        .law = scene.law, .precision = settings.precision, .softening = settings.softening.value_or(scene.softening)};
    takeLawNumbers(force, {}, scene);
    bench.backend->load(bench.start, {force, {}});
    configureTuned(*bench.backend, force, point.kernel, settings.tuning.get());
    bench.trial = std::make_unique<Trial>(*bench.backend, integrator(settings.integrator),
                                          settings.timeStep.value_or(scene.timeStep), force, point.plan);
}

Preparation::Preparation(SweepBench bench, SweepPoint point, SweepSettings settings, BackendMaker make)
    : worker_([point = std::move(point), settings = std::move(settings), make = std::move(make)](SweepBench from, auto&) {
          Prepared prepared{.bench = std::move(from)};
          try {
              prepare(prepared.bench, point, settings, make);
          } catch (...) {
              prepared.error = std::current_exception();
          }
          return prepared;
      }) {
    worker_.ask(std::move(bench));
}

SweepBench Preparation::take(std::exception_ptr& error) {
    worker_.wait();
    std::optional<Prepared> prepared = worker_.poll();
    error = prepared->error;
    return std::move(prepared->bench);
}

}  // namespace gravlab
