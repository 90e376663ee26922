// `gravlab lesson`: a lesson on paper. The teacher's sheet contains the numbers that this machine measures.
#include "app/commands/lesson_check.h"
#include "app/commands/option_groups.h"
#include "app/files/open_file.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/worksheet.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "sim/api/errors.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>

namespace gravlab {
namespace {

bool measures(const Lesson& lesson) {
    return std::any_of(lesson.steps.begin(), lesson.steps.end(), [](const LessonStep& step) { return !step.keep.empty(); });
}

/// Plays the lesson off screen. Numbers that cannot be measured stay blank, and the sheet gives the reason.
LessonAnswers answersOf(const std::shared_ptr<const Lesson>& lesson) {
    LessonAnswers answers;
    if (!measures(*lesson)) return answers;
    notify(formatted("plays the lesson for its numbers, at most %d minutes", lesson->minutes > 0 ? lesson->minutes : 5));
    const InterruptWatch watch;
    try {
        const LessonVerdict verdict = playLesson(lesson, {});
        answers.numbers = verdict.numbers;
        answers.about = "Numbers as this machine measured them (" + printable(verdict.device) + ").";
        if (verdict.passedOver > 0)
            answers.about += " Steps for what is not here were passed over: " + std::to_string(verdict.passedOver) + ".";
        if (!verdict.failure.empty()) answers.about += " Not all of them: " + verdict.failure + ".";
    } catch (const NoDeviceError& error) {
        answers.about = std::string("Numbers were not measured here: ") + error.what() + ".";
    }
    if (answers.numbers.empty()) notify(answers.about);
    return answers;
}

struct LessonCommand : Subcommand {
    std::string name, worksheet = "-";
    bool answers = false;  ///< with explanations and answers

    void add(OptionRows& rows) override {
        rows.word("NAME", name, "lesson, see 'gravlab list lessons', or a FILE.toml with one")
            .required("lesson needs a name: gravlab lesson NAME; 'gravlab list lessons' shows them");
        rows.output("--worksheet", "FILE", worksheet,
                    "write it to print: FILE.html or FILE.md; '-' is standard output, as Markdown [-]");
        rows.flag("--answers", answers, "with explanations and answers, for the teacher");
    }
    void check() override {
        refuseToReplace({name}, start);
        if (worksheet != "-" && !worksheet.ends_with(".html") && !worksheet.ends_with(".md"))
            throw UsageError("--worksheet '" + worksheet + "': expected FILE.html, FILE.md or -");
    }
    int run() override {
        const auto lesson = lessonNamed(name);
        if (worksheet != "-") AtomicFile probe(worksheet);  // a missing folder is found before minutes of measurements
        LessonAnswers numbers;
        if (answers) numbers = answersOf(lesson);
        const bool page = worksheet.ends_with(".html");
        const LessonAnswers* const shown = answers ? &numbers : nullptr;
        writeFileAtomically(worksheet, page ? worksheetHtml(*lesson, shown) : worksheetMarkdown(*lesson, shown));
        return static_cast<int>(ExitCode::ok);
    }
};

}  // namespace

constinit const CommandRow kLessonCommand{"lesson", "print a lesson: a worksheet for students, or with the answers",
                                          "  gravlab lesson leapfrog --worksheet leapfrog.html\n"
                                          "  gravlab lesson leapfrog --worksheet answers.md --answers\n"
                                          "  gravlab --lesson leapfrog            goes through it in the window\n",
                                          made<LessonCommand>};

}  // namespace gravlab
