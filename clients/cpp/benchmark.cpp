// Three rows of the kernel table on the fastest backend that works here: checked, then timed.
#include <gravlab/backends.h>
#include <gravlab/simulation.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
    const std::size_t bodies = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8192;
    bool cuda = false;
    for (const gravlab::BackendInfo& backend : gravlab::backendList()) {
        if (backend.name == "cuda") cuda = backend.reason.empty();
        if (!backend.reason.empty()) std::printf("without %s: %s\n", backend.name.c_str(), backend.reason.c_str());
    }
    const char* const cpuRows[] = {"naive", "simd", "simd-threads"};
    const char* const cudaRows[] = {"global", "tiled", "symmetric"};
    try {
        gravlab::Experiment run(
            {.scene = "plummer", .count = bodies, .settings = {{"backend", cuda ? "cuda" : "cpu"}, {"precision", "fp32"}}});
        std::printf("%s\n%-14s %14s %16s\n", run.backend().c_str(), "kernel", "ms per step", "G pairs/s");
        for (const char* kernel : cuda ? cudaRows : cpuRows) {
            run.set("kernel", kernel);
            run.step(1);  // the first step loads code, and computes one force more
            const gravlab::ForceError error = run.check();
            if (!error.passed) {
                std::printf("%-14s wrong: %s\n", kernel, error.text.c_str());
                return 7;
            }
            run.step(5);
            const gravlab::Rate rate = run.rate();
            std::printf("%-14s %14.3f %16.3f\n", kernel, 200 * rate.seconds, 1e-9 * rate.perSecond());
        }
    } catch (const gravlab::Error& error) {
        std::fprintf(stderr, "benchmark: %s\n", error.what());
        return static_cast<int>(error.code());
    }
}
