// `gravlab lesson`: a lesson on paper.
#include "app/commands/options.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/worksheet.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"

namespace gravlab {

int lessonCommand(const Options& options) {
    const auto lesson = lessonNamed(options.lesson);
    const bool page = options.worksheet.ends_with(".html");
    writeFileAtomically(options.worksheet.empty() ? "-" : options.worksheet,
                        page ? worksheetHtml(*lesson, options.answers) : worksheetMarkdown(*lesson, options.answers));
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
