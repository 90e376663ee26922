// Plays lessons off screen with their own answers: every condition must be reached in its time.
#pragma once
#include "app/model/lesson.h"
#include "app/model/options.h"

#include <map>
#include <memory>
#include <string>

namespace gravlab {

/// What became of a lesson.
struct LessonVerdict {
    std::string failure;  ///< the step that is not reached, its line and why; empty: all were
    int passedOver = 0;   ///< steps that need what is not here
    double seconds = 0;
    std::string device;                    ///< what the last step ran on
    std::map<std::string, Value> numbers;  ///< that were kept
};

/// All lessons together end within that [s].
constexpr double kLessonsLimit = 300;

/// Needs no display, but OpenGL. `limit`: after so many seconds the step under way is not reached.
LessonVerdict playLesson(const std::shared_ptr<const Lesson>& lesson, const Options& options, double limit = kLessonsLimit);

/// Prints a line a lesson; false where one failed.
bool printLessons(const Options& options);

}  // namespace gravlab
