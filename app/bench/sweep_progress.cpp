// The loop that all commands use.
#include "app/bench/sweep_progress.h"

#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "sim/core/error.h"

#include <cstdio>

namespace gravlab {

bool measureAll(Sweep& sweep) {
    ProgressLine progress("point", static_cast<std::int64_t>(sweep.total()), ProgressLine::Where::everyTenth);
    constexpr double kSlice = 0.5;  // [s] between two checks for an interrupt
    while (sweep.advance(kSlice)) {
        InterruptWatch::check();
        progress.show(static_cast<std::int64_t>(sweep.results().size()));
    }
    progress.finish();
    bool right = true, any = false;
    for (const SweepResult& result : sweep.results()) {
        any = any || result.row.verified;
        if (result.row.verified) continue;
        right = right && result.refused;
        std::fprintf(stderr, "gravlab: %s, N = %zu: left out: %s\n", result.row.kernel.c_str(), result.row.bodies,
                     result.row.note.c_str());
    }
    if (!any) throw Error(ExitCode::checkFailed, "no point could be measured; nothing was written");
    return right;
}

}  // namespace gravlab
