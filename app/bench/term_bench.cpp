#include "app/bench/term_bench.h"

#include "app/bench/verify.h"
#include "app/system/interrupt.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"
#include "sim/forces/law_numbers.h"
#include "sim/scenes/scene.h"

#include <algorithm>

namespace gravlab {
namespace {

/// The example of a drag belongs to no scene: at the scene's time step it pulls all bodies into one point within a thousand
/// steps, and the clock decides how many steps are timed. The rounding of a sum of nearly equal pulls then exceeds the gate.
/// With this fraction of the time step the bodies stay apart, and a step takes as long.
constexpr double kStepUnderADrag = 1.0 / 1024;

}  // namespace

TermStudy termStudy(const RunRequest& wanted, std::string_view kind, std::size_t bodies) {
    const Scene& scene = sceneNamed(wanted.scene, wanted.sceneVersion);
    const SceneRequest request{.bodies = bodies, .seed = wanted.seed, .parameters = wanted.parameters};
    TermStudy study{.kind = std::string(kind), .system = {}, .force = {}, .timeStep = 0};
    study.force = {.law = wanted.law.value_or(scene.law),
                   .precision = wanted.precision.value_or(Precision::fp32),
                   .softening = wanted.softening.value_or(scene.softening)};
    takeLawNumbers(study.force, wanted.lawNumbers, scene);
    study.timeStep = wanted.timeStep.value_or(scene.timeStep);
    study.system.bodies = scene.build(request);
    study.system.terms = {{std::make_shared<const PairLaw>(study.force), wanted.pairs().choice()}};
    if (scene.terms)
        for (const auto& term : scene.terms(request, study.system.bodies))
            if (term->kind() == kind && study.system.terms.size() == 1) study.system.terms.push_back({term});
    std::string known;
    for (const TermKind& row : termKinds()) {
        addTo(known, row.name);
        if (row.name != kind || !row.example || study.system.terms.size() > 1) continue;
        study.system.terms.push_back({row.example(study.system.bodies)});
        const TermOffer offer = study.system.terms[1].what->offer();
        if (offer.usesVelocities && !offer.conservesEnergy && !wanted.timeStep) study.timeStep *= kStepUnderADrag;
    }
    if (study.system.terms.size() == 1)
        throw UsageError("the scene '" + wanted.scene + "' has no force term '" + study.kind +
                         "'; known are: " + (known.empty() ? "none beside the pair law" : known));
    return study;
}

std::vector<KernelChoice> termChoices(std::string_view backend, std::string_view kind, const TermRequest& request,
                                      bool launches) {
    constexpr int kBlocks[] = {32, 64, 128, 256, 512};
    std::vector<KernelChoice> choices;
    const bool all = !request.kernel.kernel || *request.kernel.kernel == "all";
    std::vector<const KernelRow*> rows;
    if (all)
        rows = listedKernels(backend, kind);
    else
        rows = {&termKernel(backend, kind, request.kernel.kernel)};
    if (rows.empty()) termKernel(backend, kind, {});  // throws with what is missing
    for (const KernelRow* row : rows) {
        KernelChoice choice = request.choice(kind);
        choice.kernel = std::string(row->name);
        for (const LaunchConfig& launch :
             launches ? launchesOf(*row, kBlocks) : std::vector{request.kernel.launch.config(row->usual)}) {
            choice.launch = checkedLaunch(*row, launch);
            choices.push_back(choice);
        }
    }
    return choices;
}

const Integrator& loadTerm(Backend& backend, TermStudy& study, const KernelChoice& how, const Integrator& integrator) {
    study.system.terms[1].how = how;
    backend.load(study.system);
    // Under leapfrog, positions and velocities are of different times, and the check would compare unlike forces.
    const bool drags = study.system.terms[1].what->usesVelocities() && !takesVelocities(integrator.program);
    return drags ? gravlab::integrator("symplectic-euler") : integrator;
}

BenchmarkRow timeTerm(Backend& backend, TermStudy& study, const KernelChoice& how, const Integrator& integrator,
                      BenchmarkPlan plan) {
    plan.ofTerm = true;
    return timeKernel(backend, loadTerm(backend, study, how, integrator), study.timeStep, study.force, plan);
}

std::optional<TunedChoice> tunedTerm(std::span<const SweepResult> results, Precision precision) {
    // Rates compare rows that count the same pairs. Where one leaves out pairs, whole steps are compared: the rest of them
    // is the same in all.
    const bool bySteps = std::ranges::any_of(results, [](const SweepResult& result) {
        return termKernel(result.point.backend, result.point.term, nameOf(result.point.kernel)).byCutOff;
    });
    const auto faster = [&](const BenchmarkRow& a, const BenchmarkRow& b) {
        return bySteps ? a.msPerStep < b.msPerStep : a.interactionsPerSecond > b.interactionsPerSecond;
    };
    const SweepResult* best = nullptr;
    for (const SweepResult& result : results)
        if (result.row.verified && (!best || faster(result.row, best->row))) best = &result;
    if (!best) return std::nullopt;
    return TunedChoice{.backend = best->point.backend,
                       .device = best->facts.device,
                       .driver = best->facts.driver,
                       .precision = precision,
                       .bodies = best->point.bodies,
                       .term = best->point.term,
                       .kernel = {nameOf(best->point.kernel), best->point.kernel.launch},
                       .threads = {},
                       .interactionsPerSecond = best->row.interactionsPerSecond};
}

std::optional<TunedChoice> tuneTerm(Backend& backend, TermStudy& study, const TermRequest& request) {
    const BenchmarkPlan plan{.repeats = 3, .warmUpSeconds = 0.05, .repetitionSeconds = 0.05, .mostSeconds = 1};
    std::vector<SweepResult> results;
    for (const KernelChoice& choice : termChoices(backend.name(), study.kind, request, true)) {
        InterruptWatch::check();
        SweepResult& result = results.emplace_back();
        result.point = {.backend = std::string(backend.name()),
                        .options = {},
                        .bodies = study.system.bodies.size(),
                        .term = study.kind,
                        .kernel = choice,
                        .plan = plan,
                        .series = {}};
        try {
            result.row = timeTerm(backend, study, choice, usualIntegrator(), plan);
        } catch (const UsageError&) {  // a row that cannot compute this term, among all rows
            if (request.kernel.kernel && *request.kernel.kernel != "all") throw;
            result.row.verified = false;
        }
        result.facts = backend.launchFacts();
    }
    return tunedTerm(results, study.force.precision);
}

}  // namespace gravlab
