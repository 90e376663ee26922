// Lessons as TOML: docs/lessons.md says what a file holds. The lessons of the program are embedded; others are files.
// Rule: a file with a mistake is refused with its name and line, before any of it is shown.
#pragma once
#include "app/model/lesson.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// Content of an embedded file of assets/lessons by its name, and of "*" their names, a line each; empty when there is none
/// of that name.
std::string_view lessonFile(std::string_view name);

/// Names of the program's own lessons, in the order of the course: of the files that are embedded, by the place each names.
std::span<const std::string> lessonNames();

/// What a step may wait for in all [s].
constexpr double kLongestStep = 120;

/// The lesson that the text holds. `source` stands before the line in refusals. Throws InputError.
Lesson parseLesson(std::string_view text, const std::string& name, const std::string& source);

/// One of the program's own by its name, or of a file whose name ends with .toml. Made once for own ones. Throws UsageError
/// for an unknown name, InputError, IoError.
std::shared_ptr<const Lesson> lessonNamed(const std::string& nameOrFile);

}  // namespace gravlab
