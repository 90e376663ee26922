// `gravlab check`: verifies every backend and kernel on this machine.
// Rule: one failure is exit code 7. Kernels that cannot run here are listed with the reason and are no failure.
#include "app/bench/physics_check.h"
#include "app/bench/verify.h"
#include "app/commands/lesson_check.h"
#include "app/commands/options.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/core/error.h"

#include <cstdio>

namespace gravlab {
namespace {

constexpr const char* kStateNames[] = {"passed", "FAILED", "not here"};

void print(const Verdict& v) {
    std::printf("%-10s %-20s %-9s", v.backend.c_str(), v.kernel.c_str(), kStateNames[static_cast<int>(v.state)]);
    if (v.configurations > 0)
        std::printf(" %7s comparisons, relative error: worst median %.1e, worst body %.1e",
                    grouped(static_cast<std::uint64_t>(v.configurations)).text, v.worstMedian, v.worst);
    std::printf("\n");
    if (!v.note.empty()) std::printf("%31s %s\n", "", v.note.c_str());
    std::fflush(stdout);
}

}  // namespace

int checkCommand(const Options& options) {
    const InterruptWatch watch;
    if (options.check.physics) return static_cast<int>(printPhysics(physicsRows()) ? ExitCode::ok : ExitCode::checkFailed);
    if (options.check.lessons) return static_cast<int>(printLessons(options) ? ExitCode::ok : ExitCode::checkFailed);
    // An option that no backend accepts is no fault of a kernel.
    (void)hostBackend().make(options.simulation.backendOptions);
    int passed = 0, failed = 0;
    for (const BackendRow& row : backends())
        for (const Verdict& verdict :
             verifyAll({&row, 1}, options.simulation.backendOptions, options.check.tolerance, options.bench.kernels)) {
            InterruptWatch::check(kUnfinishedCheck);
            print(verdict);
            passed += verdict.state == Verdict::State::passed;
            failed += verdict.state == Verdict::State::failed;
        }
    std::printf("%d passed, %d failed\n", passed, failed);
    return static_cast<int>(failed == 0 ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
