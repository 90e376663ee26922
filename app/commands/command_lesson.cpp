// `gravlab lesson`: a lesson on paper. The teacher's sheet contains the numbers that this machine measures.
#include "app/commands/lesson_check.h"
#include "app/commands/options.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/worksheet.h"
#include "app/system/interrupt.h"
#include "sim/core/error.h"
#include "sim/core/text.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <cstdio>

namespace gravlab {
namespace {

bool measures(const Lesson& lesson) {
    return std::any_of(lesson.steps.begin(), lesson.steps.end(), [](const LessonStep& step) { return !step.keep.empty(); });
}

/// Plays the lesson off screen. Numbers that cannot be measured stay blank, and the sheet gives the reason.
LessonAnswers answersOf(const std::shared_ptr<const Lesson>& lesson, const Options& options) {
    LessonAnswers answers;
    if (!measures(*lesson)) return answers;
    std::fprintf(stderr, "gravlab: plays the lesson for its numbers, at most %d minutes\n",
                 lesson->minutes > 0 ? lesson->minutes : 5);
    const InterruptWatch watch;
    try {
        const LessonVerdict verdict = playLesson(lesson, options);
        answers.numbers = verdict.numbers;
        answers.about = "Numbers as this machine measured them (" + printable(verdict.device) + ").";
        if (verdict.passedOver > 0)
            answers.about += " Steps for what is not here were passed over: " + std::to_string(verdict.passedOver) + ".";
        if (!verdict.failure.empty()) answers.about += " Not all of them: " + verdict.failure + ".";
    } catch (const NoDeviceError& error) {
        answers.about = std::string("Numbers were not measured here: ") + error.what() + ".";
    }
    if (answers.numbers.empty()) std::fprintf(stderr, "gravlab: %s\n", printable(answers.about).c_str());
    return answers;
}

}  // namespace

int lessonCommand(const Options& options) {
    const auto lesson = lessonNamed(options.lesson);
    const std::string file = options.sheet.worksheet.empty() ? "-" : options.sheet.worksheet;
    if (file != "-") AtomicFile probe(file);  // a missing folder is found before minutes of measurements
    LessonAnswers answers;
    if (options.sheet.answers) answers = answersOf(lesson, options);
    const bool page = options.sheet.worksheet.ends_with(".html");
    const LessonAnswers* const told = options.sheet.answers ? &answers : nullptr;
    writeFileAtomically(file, page ? worksheetHtml(*lesson, told) : worksheetMarkdown(*lesson, told));
    return static_cast<int>(ExitCode::ok);
}

}  // namespace gravlab
