// `gravlab memory`: latencies of a device's memories, reads at strides, and ways between host and device.
#include "app/bench/benchmark_text.h"
#include "app/commands/option_groups.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"

#include <cstdio>

namespace gravlab {
namespace {

struct MemoryCommand : Subcommand {
    bool json = false;

    void add(OptionRows& rows) override {
        rows.of({"run.backend", "run.device"});
        rows.flag("--json", json, "as JSON");
    }
    void check() override { refuseIdleDevice(start); }
    int run() override {
        const RunRequest& wanted = start.simulation;
        const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
        notify(chosen.why);
        const InterruptWatch watch;
        const std::unique_ptr<MemoryProbe> probe = memoryProbe(chosen.row->name, wanted.backendOptions);
        MemoryTimes times;
        while (probe->measure(times)) InterruptWatch::check();
        std::printf("%s", json ? (memoryJson(times) + "\n").c_str() : memoryText(times).c_str());
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kMemoryCommand{
    "memory", "time the memories of a device: latency of each level, reads at strides, ways to the host",
    "  gravlab memory\n  gravlab memory --backend cuda --json > memory.json\n", made<MemoryCommand>};

}  // namespace gravlab
