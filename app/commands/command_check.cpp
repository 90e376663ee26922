// `gravlab check`: verifies every backend and kernel on this machine.
// Rule: one failure is exit code 7. Kernels that cannot run here are listed with the reason and are no failure.
#include "app/bench/physics_check.h"
#include "app/bench/verify.h"
#include "app/commands/lesson_check.h"
#include "app/commands/option_groups.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"

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

/// Checks the kernels, unless an option says otherwise.
struct CheckCommand : Subcommand {
    bool physics = false;               ///< the reference table
    bool lessons = false;               ///< the lessons
    std::optional<double> tolerance{};  ///< relative error allowed, instead of the usual limits
    std::string lesson;                 ///< empty: all
    std::vector<std::string> kernels;

    void add(OptionRows& rows) override {
        rows.flag("--physics", physics,
                  "instead of the kernels: known systems against their known answers, with tolerances");
        rows.flag("--lessons", lessons,
                  "instead of the kernels: play every lesson with its own answers, off screen, and name each step that is "
                  "not reached")
            .excludes("--physics")
            .excludes("--tolerance", "--tolerance does nothing with --lessons: a step is reached or not");
        addKernelList(rows, kernels, "only these kernels, of a force term as TERM:ROW [all]")
            .excludes("--physics")
            .excludes("--lessons");
        rows.text("--lesson", "NAME", lesson, "play only that one; a FILE.toml is a lesson of one's own").needs("--lessons");
        rows.of({"run.device", "run.threads", "run.simd"});
        rows.read("--tolerance", "ERROR", tolerance, parsePositive, "relative error allowed, instead of the usual limits");
    }
    int run() override {
        const InterruptWatch watch;
        if (physics) return static_cast<int>(printPhysics(physicsRows()) ? ExitCode::ok : ExitCode::checkFailed);
        if (lessons) return static_cast<int>(printLessons(start, lesson) ? ExitCode::ok : ExitCode::checkFailed);
        // An option that no backend accepts is no fault of a kernel.
        (void)hostBackend().make(start.simulation.backendOptions);
        int passed = 0, failed = 0;
        for (const BackendRow& row : backends())
            for (const Verdict& verdict : verifyAll({&row, 1}, start.simulation.backendOptions, tolerance, kernels)) {
                InterruptWatch::check(kUnfinishedCheck);
                print(verdict);
                passed += verdict.state == Verdict::State::passed;
                failed += verdict.state == Verdict::State::failed;
            }
        std::printf("%d passed, %d failed\n", passed, failed);
        return static_cast<int>(failed == 0 ? ExitCode::ok : ExitCode::checkFailed);
    }
};

}  // namespace

constinit const CommandRow kCheckCommand{"check", "verify every backend and kernel on this machine",
                                         "  gravlab check\n  gravlab check --physics\n  gravlab check --lessons\n",
                                         made<CheckCommand>};

}  // namespace gravlab
