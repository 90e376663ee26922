#include "app/commands/lesson_check.h"

#include "app/bench/verify.h"
#include "app/frontends/headless/headless.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/placeholders.h"
#include "app/session/session.h"
#include "app/system/host_clock.h"
#include "app/system/interrupt.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

namespace gravlab {

LessonVerdict playLesson(const std::shared_ptr<const Lesson>& lesson, const StartOptions& given, double limit) {
    constexpr double kFrame = 1.0 / 60;
    constexpr int kWidth = 160, kHeight = 90, kUnseen = 8;  // pictures only answer queries; most frames need none
    StartOptions options = given;
    options.simulation.scene = "two-body";
    options.watched = true;
    options.holdRate = false;
    HeadlessContext context(options.simulation.backendOptions.device);
    OffscreenTarget target(kWidth, kHeight);
    Session session;
    session.open<BaseHost>(options);
    const App& app = *session.app;
    const double begun = hostClock();
    double last = begun;
    session.teach(lesson, true);
    const LessonRunner& runner = *session.lessons;
    LessonVerdict verdict;
    for (int frame = 0;; ++frame) {
        InterruptWatch::check(kUnfinishedCheck);
        const double now = hostClock();
        session.turn(FrameClock::window(now - std::exchange(last, now)), {.framebuffer = target.framebuffer(),
                                                                          .width = frame % kUnseen == 0 ? target.width() : 0,
                                                                          .height = target.height()});
        // A run at the pace of the clock needs no more frames than a window shows; others advance with each frame.
        const bool byClock = (app.document.intent.speed != 0 && !app.document.intent.paused) ||
                             app.document.lesson.phase == LessonPhase::after;
        if (const double rest = kFrame - (hostClock() - now); byClock && rest > 0)
            std::this_thread::sleep_for(std::chrono::duration<double>(rest));
        verdict.seconds = hostClock() - begun;
        verdict.failure = runner.failure();
        if (!verdict.failure.empty() || runner.ended()) break;
        if (verdict.seconds > limit) {
            verdict.failure = LessonRunner::placeOf(*lesson, app.document.lesson.step) + ": not reached after " +
                              std::to_string(static_cast<int>(limit)) + " s";
            break;
        }
    }
    verdict.numbers = app.document.lesson.kept;
    verdict.device = app.document.facts.device;
    verdict.passedOver =
        static_cast<int>(std::count_if(lesson->steps.begin(), lesson->steps.end(), [&](const LessonStep& step) {
            return !missingFor(step, options.simulation.backendOptions).empty();
        }));
    return verdict;
}

bool printLessons(const StartOptions& options, const std::string& only) {
    std::vector<std::string> names(lessonNames().begin(), lessonNames().end());
    if (!only.empty()) names = {only};
    const double begun = hostClock();
    int failed = 0;
    for (const std::string& name : names) {
        const auto lesson = lessonNamed(name);
        const LessonVerdict verdict = playLesson(lesson, options, std::max(kLessonsLimit - (hostClock() - begun), 1.0));
        std::printf("%-16s %-7s %2zu steps, %5.1f s%s\n", lesson->name.c_str(),
                    verdict.failure.empty() ? "reached" : "FAILED", lesson->steps.size(), verdict.seconds,
                    verdict.passedOver > 0 ? (", " + std::to_string(verdict.passedOver) + " not here").c_str() : "");
        const std::string numbers =
            joined(verdict.numbers, [](const auto& number) { return number.first + " = " + shownValue(number.second); });
        if (!numbers.empty()) std::printf("%16s %s\n", "", numbers.c_str());
        if (!verdict.failure.empty()) std::printf("%16s %s\n", "", verdict.failure.c_str());
        std::fflush(stdout);
        failed += !verdict.failure.empty();
    }
    std::printf("%zu lessons, %d failed, %.1f s\n", names.size(), failed, hostClock() - begun);
    return failed == 0;
}

}  // namespace gravlab
