// `gravlab grade`: a folder of students' kernels as a table. Rule: the table is written in any case, also where no GPU is.
#include "app/bench/grade.h"
#include "app/commands/options.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"

#include <cstdio>
#include <optional>

namespace gravlab {

int gradeCommand(const Options& options) {
    const InterruptWatch watch;
    // A file that cannot be written is found before minutes of trials.
    std::optional<AtomicFile> csv;
    if (!options.csv.empty()) csv.emplace(options.csv);
    const bool table = options.csv != "-";
    const RunRequest& wanted = options.simulation;
    GradeRequest request{.folder = options.file, .device = wanted.backendOptions.device};
    request.bodies = wanted.bodies.value_or(request.bodies);
    request.seed = wanted.seed;
    request.limits.force = options.gradeSeconds;
    const GradeSheet sheet = gradeFolder(request, [&](const GradeSheet& now) {
        if (!table) return;
        if (now.rows.size() == 1) {
            if (now.ran()) std::printf("%s, %s bodies\n", now.device.c_str(), grouped(now.bodies).text);
            std::fputs(gradeTableHead().c_str(), stdout);
        }
        std::fputs(gradeTableLine(now, now.rows.back()).c_str(), stdout);
        std::fflush(stdout);
    });
    if (csv) {
        csv->write(gradeCsv(sheet));
        csv->commit();
    }
    if (!sheet.ran())
        throw NoDeviceError("no CUDA device is here: the kernels were compiled, no force was checked, and none was timed");
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
