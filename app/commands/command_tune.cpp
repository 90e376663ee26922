// `gravlab tune`: finds the fastest kernel and launch for this device and some numbers of bodies, and stores them for
// `--kernel auto`.
// Rule: results are stored after each number of bodies, so an interrupt loses only one of them.
#include "app/bench/term_bench.h"
#include "app/bench/tuner.h"
#include "app/commands/options.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/core/error.h"

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

}  // namespace

int tuneCommand(const Options& options) {
    const InterruptWatch watch;
    const RunRequest& wanted = options.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const std::filesystem::path file = tuneCachePath();
    if (file.empty()) throw IoError("there is no folder for the tuning cache: neither XDG_CACHE_HOME nor HOME is set");
    std::fprintf(stderr, "gravlab: %s\n", chosen.why.c_str());

    bool all = true;
    std::string stored = "nothing was stored";
    const std::vector<std::size_t> counts =
        options.bench.bodies.empty() ? tunedBodies(chosen.row->name) : options.bench.bodies;
    const TermRequests others = besidePairs(wanted.terms);
    for (const auto& [kind, request] : others) {
        const std::unique_ptr<Backend> backend = chosen.row->make(wanted.backendOptions);
        for (const std::size_t bodies : counts) {
            TermStudy study = termStudy(wanted, kind, bodies);
            const std::optional<TunedChoice> found = tuneTerm(*backend, study, request);
            if (!found) {
                std::fprintf(stderr, "gravlab: %s, N = %zu: no kernel passed its check; nothing was stored\n", kind.c_str(),
                             bodies);
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
                     .kernels = options.bench.kernels},
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
            std::fprintf(stderr, "gravlab: N = %zu: no launch passed its check; nothing was stored\n", bodies);
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

}  // namespace gravlab
