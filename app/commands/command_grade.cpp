// `gravlab grade`: a folder of students' kernels as a table. Rule: the table is written in any case, also where no GPU is.
#include "app/bench/grade.h"
#include "app/commands/option_groups.h"
#include "app/system/interrupt.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"

#include <cstdio>
#include <optional>

namespace gravlab {
namespace {

struct GradeCommand : Subcommand {
    std::string folder, csv;
    double seconds = 10;  ///< longest time of a force

    void add(OptionRows& rows) override {
        rows.word("FOLDER", folder, "folder with the kernels, FOLDER/*.cu, see docs/own-kernels.md")
            .required("grade needs a folder with kernels: gravlab grade FOLDER");
        rows.of({"run.bodies", "run.seed", "run.device"});
        rows.read("--seconds", "SECONDS", seconds, parsePositive,
                  "longest time of a force; a kernel that takes longer hangs [10]");
        rows.output("--csv", "FILE", csv, "the table, a row an error; '-' is standard output");
    }
    void check() override {
        refuseHelpers(start);
        if (!csv.empty() && csv != "-" && !csv.ends_with(".csv"))
            throw UsageError("--csv '" + csv + "': expected FILE.csv or -");
    }
    int run() override {
        const InterruptWatch watch;
        // A file that cannot be written is found before minutes of trials.
        std::optional<AtomicFile> file;
        if (!csv.empty()) file.emplace(csv);
        const bool table = csv != "-";
        const RunRequest& wanted = start.simulation;
        GradeRequest request{.folder = folder, .device = wanted.backendOptions.device};
        request.bodies = wanted.bodies.value_or(request.bodies);
        request.seed = wanted.seed;
        request.limits.force = seconds;
        const GradeSheet sheet = gradeFolder(request, [&](const GradeSheet& now) {
            if (!table) return;
            if (now.rows.size() == 1) {
                if (now.ran()) std::printf("%s, %s bodies\n", now.device.c_str(), grouped(now.bodies).text);
                std::fputs(gradeTableHead().c_str(), stdout);
            }
            std::fputs(gradeTableLine(now, now.rows.back()).c_str(), stdout);
            std::fflush(stdout);
        });
        if (file) {
            file->write(gradeCsv(sheet));
            file->commit();
        }
        if (!sheet.ran())
            throw NoDeviceError(
                "no CUDA device is here: the kernels were compiled, no force was checked, and none was timed");
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kGradeCommand{
    "grade", "check, time and compare the kernels of a folder, for a course",
    "  gravlab grade homework --csv marks.csv\n  gravlab grade homework -n 64k --seconds 2\n", made<GradeCommand>};

}  // namespace gravlab
