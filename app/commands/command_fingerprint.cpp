// `gravlab fingerprint`: a fingerprint of a scene's start and of its result on the reference backend. With --all, it makes a
// table of the results of every row of a backend for the same bodies.
#include "app/bench/row_fingerprints.h"
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/system/interrupt.h"
#include "sim/api/errors.h"
#include "sim/run/fingerprint.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace gravlab {
namespace {

struct FingerprintCommand : Subcommand {
    std::int64_t steps = kFingerprintSteps;
    bool json = false, all = false;
    std::vector<std::size_t> bodies;  ///< with `all`
    std::vector<std::string> kernels;

    void add(OptionRows& rows) override {
        constexpr const char* kOfAll = "with --all: ";
        addSceneOrFile(rows, "plummer");
        addPhysics(rows);
        rows.whole("--steps", "COUNT", steps, 0, 1000000, "steps before the hash [16]");
        rows.flag("--json", json, "as JSON");
        rows.flag("--all", all,
                  "instead of a scene: run every kernel, law, precision and integrator of a backend on built-in bodies, and "
                  "write hashes, launches and memory as CSV, to compare two builds on one machine");
        for (const char* path : {"run.backend", "run.device", "run.threads", "run.simd"})
            rows.of(parameter(path), kOfAll).needs("--all");
        addKernelList(rows, kernels, std::string(kOfAll) + "only these kernels");
        rows.numbersOfBodies("--sizes", bodies, std::string(kOfAll) + "numbers of bodies [1 to 16384]").needs("--all");
    }
    void check() override {
        checkStart(*this, {.kernels = kernels});
        if (!all && !kernels.empty()) throw UsageError("--kernel needs --all: it does nothing without --all");
    }
    int run() override;
    int printAll() const;
};

int FingerprintCommand::printAll() const {
    const InterruptWatch watch;
    const RunRequest& wanted = start.simulation;
    std::printf("%s", rowPrintHead().c_str());
    printRows({.backend = std::string(chooseBackend(wanted.backend, wanted.backendOptions).row->name),
               .options = wanted.backendOptions,
               .bodies = bodies,
               .kernels = kernels},
              [](const RowPrint& print) {
                  std::printf("%s", csvOf(print).c_str());
                  std::fflush(stdout);
              });
    return static_cast<int>(ExitCode::ok);
}

int FingerprintCommand::run() {
    if (all) return printAll();
    const Fingerprint print = fingerprint(withFile(start).simulation, steps);
    const RunConfiguration& s = print.configuration;
    if (json) {
        const nlohmann::ordered_json members{{"scene", s.scene},
                                             {"bodies", s.bodies},
                                             {"seed", s.seed},
                                             {"steps", print.steps},
                                             {"integrator", s.integrator},
                                             {"time_step", s.timeStep},
                                             {"softening", s.force.softening},
                                             {"start", "sha256:" + print.start},
                                             {"state", "sha256:" + print.state}};
        std::printf("%s\n", members.dump(2).c_str());
    } else {
        std::printf("%s\nstart  sha256:%s\nstate  sha256:%s\n", fingerprintText(print).c_str(), print.start.c_str(),
                    print.state.c_str());
    }
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

constinit const CommandRow kFingerprintCommand{"fingerprint",
                                               "hash what a scene starts from and what the reference backend makes of it",
                                               "  gravlab fingerprint plummer -n 1024 --steps 16 --seed 1\n"
                                               "  gravlab fingerprint --all --backend cuda > before.csv\n",
                                               made<FingerprintCommand>};

}  // namespace gravlab
