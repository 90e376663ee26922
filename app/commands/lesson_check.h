// Plays lessons off screen with their own answers: every condition must be reached within its time.
#pragma once
#include "app/model/lesson.h"
#include "app/model/start_options.h"

#include <map>
#include <memory>
#include <string>

namespace gravlab {

/// The result of a lesson.
struct LessonVerdict {
    std::string failure;  ///< the step that was not reached, its line and the reason; empty: all were reached
    int passedOver = 0;   ///< number of steps that need something missing on this machine
    double seconds = 0;
    std::string device;                    ///< device of the last step
    std::map<std::string, Value> numbers;  ///< numbers that the lesson kept
};

/// Limit for all lessons together [s].
constexpr double kLessonsLimit = 300;

/// Needs OpenGL, but no display. After `limit` seconds, the step under way counts as not reached.
LessonVerdict playLesson(const std::shared_ptr<const Lesson>& lesson, const StartOptions& options,
                         double limit = kLessonsLimit);

/// Prints one line for each lesson, or for the named one; returns false where one failed.
bool printLessons(const StartOptions& options, const std::string& only);

}  // namespace gravlab
