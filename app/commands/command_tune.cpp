// `gravlab tune`: finds the fastest kernel and launch for this device and some numbers of bodies, and stores them for
// `--kernel auto`.
// Rule: results are stored after each number of bodies, so an interrupt loses only one of them.
#include "app/bench/term_bench.h"
#include "app/bench/tuner.h"
#include "app/commands/option_groups.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

#include "sim/backends/backend.h"

#include <cstdio>
#include <string>

namespace gravlab {
namespace {

std::vector<std::size_t> tunedBodies(std::string_view backendName) {
    return studiedBodies(std::max<std::size_t>(backend(backendName).mostStudied / 4, 16384));
}

void print(const Tuner& tuner, const TunedChoice& found) {
    const SweepResult* const automatic = tuner.automatic();
    std::printf("N = %-9s %s: %s interactions/s in whole steps", grouped(found.bodies).text,
                launchSentence(found.backend, found.kernel, found.threads).c_str(),
                withPrefix(found.interactionsPerSecond).text);
    if (automatic) {
        const double gain = found.interactionsPerSecond / automatic->row.stepInteractionsPerSecond - 1;
        std::printf(", %+.1f %% against the backend's own choice", 100 * gain);
    }
    std::printf("\n");
    std::fflush(stdout);
}

struct TuneCommand : Subcommand {
    std::vector<std::size_t> counts;
    std::vector<std::string> kernels;

    void add(OptionRows& rows) override {
        rows.numbersOfBodies("-n,--bodies", counts, "numbers of bodies [CUDA: 1k,4k,16k,64k,256k; CPU: 1k,4k,16k]");
        rows.of({"run.backend", "run.device", "run.threads", "run.precision"});
        addKernelList(rows, kernels, "only these kernels [all]");
        rows.value(
            "--term-kernel", "TERM=ROW", [this](auto&, auto& text) { start.simulation.terms = parsedTermRequests(text); },
            "instead, the kernels of a force term beside the pair law; TERM=all for every one");
        rows.rowOf(
                "--scene", "SCENE", start.simulation.scene, [](auto& text) -> auto& { return sceneNamed(text); },
                "with --term-kernel: the scene whose bodies and term are computed")
            .needs("--term-kernel");
    }
    void check() override {
        checkStart(*this, {.files = false, .kernels = kernels, .bodies = counts});
        // Where --kernel is a list, --term-kernel pair-law=ROW is a list of one.
        if (const auto& pairs = start.simulation.pairs().kernel.kernel; pairs && kernels.empty()) kernels = {*pairs};
    }
    int run() override;
};

int TuneCommand::run() {
    const InterruptWatch watch;
    const RunRequest& wanted = start.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const std::filesystem::path file = tuneCachePath();
    if (file.empty()) throw IoError("there is no folder for the tuning cache: neither XDG_CACHE_HOME nor HOME is set");
    notify(chosen.why);

    bool all = true;
    std::string stored = "nothing was stored";
    if (counts.empty()) counts = tunedBodies(chosen.row->name);
    const TermRequests others = besidePairs(wanted.terms);
    for (const auto& [kind, request] : others) {
        const std::unique_ptr<Backend> backend = chosen.row->make(wanted.backendOptions);
        for (const std::size_t bodies : counts) {
            TermStudy study = termStudy(wanted, kind, bodies);
            const std::optional<TunedChoice> found = tuneTerm(*backend, study, request);
            if (!found) {
                notify(formatted("%s, N = %zu: no kernel passed its check; nothing was stored", kind.c_str(), bodies));
                all = false;
                continue;
            }
            writeTuning(file, readTuning(file)->with(*found));
            std::printf("N = %-9s %s: %s, %s interactions/s\n", grouped(bodies).text, kind.c_str(),
                        found->kernel.kernel.c_str(), withPrefix(found->interactionsPerSecond).text);
            std::fflush(stdout);
        }
    }
    if (!others.empty()) {
        std::printf("stored in %s, where runs find it that leave the kernel of the term open\n", file.c_str());
        return static_cast<int>(all ? ExitCode::ok : ExitCode::checkFailed);
    }
    for (const std::size_t bodies : counts) {
        Tuner tuner({.backend = std::string(chosen.row->name),
                     .options = wanted.backendOptions,
                     .bodies = bodies,
                     .kernels = kernels},
                    {.seed = wanted.seed, .precision = wanted.precision.value_or(Precision::fp32)});
        ProgressLine progress((std::string("tuning N = ") + grouped(bodies).text + ", step").c_str(), 1000);
        constexpr double kSlice = 0.5;  // [s] between checks for an interrupt
        while (tuner.advance(kSlice)) {
            InterruptWatch::check(stored);
            progress.show(static_cast<std::int64_t>(1000 * tuner.progress()));
        }
        progress.finish();
        const std::optional<TunedChoice> found = tuner.choice();
        if (!found) {
            notify(formatted("N = %zu: no launch passed its check; nothing was stored", bodies));
            all = false;
            continue;
        }
        writeTuning(file, readTuning(file)->with(*found));
        stored = std::string("what was found up to N = ") + grouped(found->bodies).text + " is stored in " + file.string();
        print(tuner, *found);
    }
    std::printf("stored in %s, where --kernel auto finds it\n", file.c_str());
    return static_cast<int>(all ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace

constinit const CommandRow kTuneCommand{"tune", "find the fastest kernel and launch for this device, for --kernel auto",
                                        "  gravlab tune\n  gravlab tune -n 16k,64k --kernel tiled,tiled-split\n",
                                        made<TuneCommand>};

}  // namespace gravlab
