// `gravlab memory`: latencies of a device's memories, reads at strides, and ways between host and device.
#include "app/bench/benchmark_text.h"
#include "app/commands/options.h"
#include "app/system/interrupt.h"
#include "sim/core/error.h"

#include <cstdio>

namespace gravlab {

int memoryCommand(const Options& options) {
    const RunRequest& wanted = options.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    std::fprintf(stderr, "gravlab: %s\n", chosen.why.c_str());
    const InterruptWatch watch;
    const std::unique_ptr<MemoryProbe> probe = memoryProbe(chosen.row->name, wanted.backendOptions);
    MemoryTimes times;
    while (probe->measure(times)) InterruptWatch::check();
    std::printf("%s", options.json ? (memoryJson(times) + "\n").c_str() : memoryText(times).c_str());
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
