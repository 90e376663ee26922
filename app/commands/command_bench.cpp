// `gravlab bench`: a table of checked rates for lists of kernels, numbers of bodies and launches.
// Rule: all configurations are checked before the first is timed, so that a typing error costs no minutes.
#include "app/commands/command_bench.h"
#include "app/bench/benchmark_text.h"
#include "app/bench/own_trial.h"
#include "app/bench/term_bench.h"
#include "app/files/open_file.h"
#include "app/system/interrupt.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"
#include "sim/forces/law_numbers.h"
#include "sim/io/file/atomic_file.h"
#include "sim/scenes/scene.h"

#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace gravlab {
namespace {

/// A number of bodies with the launches and kernels to time.
struct BenchSweep {
    std::vector<std::size_t> bodies;
    std::vector<KernelChoice> choices;
};

std::vector<std::size_t> defaultBodies(const Scene& scene, std::string_view backend) {
    if (scene.fixedBodies != 0) return {scene.fixedBodies};
    std::vector<std::size_t> bodies = studiedBodies(gravlab::backend(backend).mostStudied);
    std::erase_if(bodies, [](std::size_t count) { return count < 1024; });
    return bodies;
}

/// Lists collapse where a row has nothing to tune, so each configuration is timed once.
std::vector<KernelChoice> choicesOf(const BenchCommand& command, std::string_view backend) {
    std::vector<std::string> names;
    for (const std::string& name : command.kernels) {
        if (name != "all") {
            names.push_back(name);
            continue;
        }
        for (const KernelRow& row : kernels())
            if (row.backend == backend) names.emplace_back(row.name);
    }
    if (names.empty()) names.emplace_back("auto");

    std::vector<KernelChoice> choices;
    for (const std::string& name : names) {
        const KernelRow* row = name == "auto" || namesKernelFile(name) ? nullptr : &kernel(backend, name);
        const LaunchConfig given = command.start.simulation.pairs().kernel.launch.config(row ? row->usual : LaunchConfig());
        const RunRequest& wanted = command.start.simulation;
        const double accuracy = !row || goesByAccuracy(*row) ? wanted.pairs().accuracy.value_or(0) : 0;
        const double opening = !row || goesByOpening(*row) ? wanted.pairs().opening.value_or(0) : 0;
        std::vector<int> blocks = command.blocks, unrolls = command.unrolls, splits = command.splits;
        if (namesKernelFile(name)) {  // its text defines the launch
            choices.push_back({.kernel = name});
            continue;
        }
        if (blocks.empty() || (row && row->blocks.last == 1)) blocks = {given.block};
        if (unrolls.empty() || (row && row->unrolls.empty())) unrolls = {given.unroll};
        if (splits.empty() || (row && row->splits.last == 1)) splits = {given.split};
        for (const int block : blocks)
            for (const int unroll : unrolls)
                for (const int split : splits) {
                    KernelChoice choice{nameUnlessAuto(name), given, accuracy, opening};
                    choice.launch.block = block;
                    choice.launch.unroll = unroll;
                    choice.launch.split = split;
                    if (std::find(choices.begin(), choices.end(), choice) == choices.end()) choices.push_back(choice);
                }
    }
    return choices;
}

/// Returns the choice. The kernel of a named file is first tried with these bodies.
KernelChoice taken(KernelChoice choice, const ForceSettings& force, const BackendOptions& options,
                   const ParticleSet& bodies) {
    if (choice.kernel && namesKernelFile(*choice.kernel))
        choice.kernel = adoptKernelFile(*choice.kernel, options.device, force.softening, inSingle(bodies)).name;
    return choice;
}

}  // namespace

int BenchCommand::run() {
    if (!figure.empty()) return drawFigure(*this);
    if (picture.frames > 0) return timeFrames(*this);
    if (!card.empty()) return measureCard(*this);
    const InterruptWatch watch;
    AtomicFile out(output.empty() ? "-" : output);
    const RunRequest& wanted = start.simulation;
    const Scene& scene = sceneNamed(wanted.scene, wanted.sceneVersion);
    requireParameters(scene, wanted.parameters);
    const Integrator& integrates = wanted.integrator ? integrator(*wanted.integrator) : usualIntegrator();
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const bool files = std::ranges::any_of(kernels, namesKernelFile);
    if (files && chosen.row->name != deviceBackend().name) {
        if (wanted.backend) throw UsageError("the file of a kernel runs on a GPU: leave out --backend");
        // Without a device, the errors of a kernel file are still found, and the last sentence names what is missing.
        for (const std::string& name : kernels)
            if (namesKernelFile(name)) adoptKernelFile(name, wanted.backendOptions.device, 0, {});
    }
    // They run one after the other, each on a backend made for it.
    std::vector<BackendOptions> machines(std::max<std::size_t>(threads.size(), 1), wanted.backendOptions);
    for (std::size_t k = 0; k < threads.size(); ++k) machines[k].threads = threads[k];
    std::unique_ptr<Backend> backend = chosen.row->make(machines.front());
    notify(formatted("%s; %s", backend->description().c_str(), chosen.why.c_str()));

    ForceSettings force{.law = wanted.law.value_or(scene.law),
                        .precision = wanted.precision.value_or(Precision::fp32),
                        .softening = wanted.softening.value_or(scene.softening)};
    takeLawNumbers(force, wanted.lawNumbers, scene);
    const BenchSweep sweep{counts.empty() ? defaultBodies(scene, chosen.row->name) : counts,
                           choicesOf(*this, chosen.row->name)};
    for (const std::size_t bodies : sweep.bodies)
        if (const Reason reason = refusal(*chosen.row, integrates, bodies); !reason.empty()) throw UsageError(reason);
    const double timeStep = wanted.timeStep.value_or(scene.timeStep);

    // A configuration that the options name must be possible; a refusal precedes all timings. 'all' takes every
    // configuration that can run.
    const bool everything = kernels == std::vector<std::string>{"all"};
    std::optional<ParticleSet> made = scene.build({sweep.bodies.front(), wanted.seed, wanted.parameters});
    backend->load(*made);
    if (!everything)
        for (const KernelChoice& choice : sweep.choices)
            if (!choice.kernel || !namesKernelFile(*choice.kernel)) backend->configure(force, choice);

    std::vector<BenchmarkRow> rows;
    bool allVerified = true;
    const TermRequests others = besidePairs(wanted.terms);
    const bool ofTerms = !others.empty();
    const BenchmarkPlan plan{.steps = steps, .repeats = repeats};
    for (const auto& [kind, request] : others) termChoices(chosen.row->name, kind, request, false);
    const bool live = format == "table" && (output.empty() || output == "-");  // prints rows as they are measured
    if (live) std::fputs(benchmarkTableHead().c_str(), stdout);
    const auto take = [&](BenchmarkRow row) {
        if (!row.verified)
            notify(formatted("%s, N = %zu: %s%s", row.kernel.c_str(), row.bodies, row.trap.empty() ? "no rate: " : "",
                             row.note.c_str()));
        allVerified = allVerified && (row.verified || !row.trap.empty());
        if (live) {
            std::fputs(benchmarkTableLine(row).c_str(), stdout);
            std::fflush(stdout);
        }
        rows.push_back(std::move(row));
    };
    const auto measureTerms = [&](std::size_t bodies) {
        for (const auto& [kind, request] : others) {
            TermStudy study = termStudy(wanted, kind, bodies);
            for (const KernelChoice& pairs : sweep.choices)
                for (const KernelChoice& choice : termChoices(chosen.row->name, kind, request, false)) {
                    InterruptWatch::check();
                    study.system.terms.front().how = pairs;
                    try {
                        take(timeTerm(*backend, study, choice, integrates, plan));
                    } catch (const UsageError& refused) {  // a row that cannot take these bonds, among all rows
                        if (request.kernel.kernel && *request.kernel.kernel != "all") throw;
                        notify(formatted("N = %zu, left out: %s", bodies, refused.what()));
                    }
                }
        }
    };
    const auto measure = [&](std::size_t bodies) {
        // The first of these bodies exist already.
        ParticleSet startBodies =
            made ? std::move(*std::exchange(made, std::nullopt)) : scene.build({bodies, wanted.seed, wanted.parameters});
        if (spreadMasses) gravlab::spreadMasses(startBodies);
        for (const KernelChoice& choice : sweep.choices) {
            InterruptWatch::check();
            backend->load(startBodies, {force, {}});
            try {
                configureTuned(*backend, force, taken(choice, force, wanted.backendOptions, startBodies),
                               wanted.tuning.get());
            } catch (const UsageError& refused) {
                if (!everything) throw;
                notify(formatted("N = %zu, left out: %s", bodies, refused.what()));
                continue;
            } catch (const Error& failed) {  // the trial of a file failed: other files may work
                if (failed.code() != ExitCode::checkFailed) throw;
                notify(formatted("N = %zu: no rate: %s", bodies, failed.what()));
                allVerified = false;
                continue;
            }
            take(timeKernel(*backend, integrates, timeStep, force, plan));
        }
    };
    for (const BackendOptions& machine : machines) {
        if (&machine != &machines.front()) {
            backend.reset();
            backend = chosen.row->make(machine);
        }
        for (const std::size_t bodies : sweep.bodies) ofTerms ? measureTerms(bodies) : measure(bodies);
    }
    const auto formats = benchmarkFormats();
    const auto row =
        std::find_if(formats.begin(), formats.end(), [&](const BenchmarkFormat& known) { return known.name == format; });
    std::fflush(stdout);
    out.write(live ? benchmarkTableFoot(rows) : row->text(rows));
    out.commit();
    return static_cast<int>(allVerified ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
