// `gravlab fingerprint`: a fingerprint of a scene's start and of its result on the reference backend. With --all, it makes a
// table of the results of every row of a backend for the same bodies.
#include "app/bench/row_fingerprints.h"
#include "app/commands/options.h"
#include "app/files/open_file.h"
#include "app/system/interrupt.h"
#include "sim/core/error.h"
#include "sim/run/fingerprint.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace gravlab {
namespace {

int printAllRows(const Options& options) {
    const InterruptWatch watch;
    const RunRequest& wanted = options.simulation;
    std::printf("%s", rowPrintHead().c_str());
    printRows({.backend = std::string(chooseBackend(wanted.backend, wanted.backendOptions).row->name),
               .options = wanted.backendOptions,
               .bodies = options.bench.bodies,
               .kernels = options.bench.kernels},
              [](const RowPrint& print) {
                  std::printf("%s", csvOf(print).c_str());
                  std::fflush(stdout);
              });
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

int fingerprintCommand(const Options& asked) {
    if (asked.printsAllRows) return printAllRows(asked);
    const Options options = withFile(asked);
    const Fingerprint print = fingerprint(options.simulation, options.steps >= 0 ? options.steps : kFingerprintSteps);
    const RunConfiguration& s = print.configuration;
    if (options.json) {
        const nlohmann::ordered_json json{{"scene", s.scene},
                                          {"bodies", s.bodies},
                                          {"seed", s.seed},
                                          {"steps", print.steps},
                                          {"integrator", s.integrator},
                                          {"time_step", s.timeStep},
                                          {"softening", s.force.softening},
                                          {"start", "sha256:" + print.start},
                                          {"state", "sha256:" + print.state}};
        std::printf("%s\n", json.dump(2).c_str());
    } else {
        std::printf("%s\nstart  sha256:%s\nstate  sha256:%s\n", fingerprintText(print).c_str(), print.start.c_str(),
                    print.state.c_str());
    }
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
