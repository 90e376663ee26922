// Lessons as TOML; docs/lessons.md defines the content of a file. The lessons of the program are embedded; others are files.
// Rule: a file with a mistake is refused with its name and line, before any of it is shown.
#pragma once
#include "app/model/lesson.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// Content of an embedded file of assets/lessons by its name. For "*", it is the list of names, one on each line. Empty when
/// no file has that name.
std::string_view lessonFile(std::string_view name);

/// Names of the program's own lessons, which are the embedded files, ordered by the place in the course that each file
/// gives.
std::span<const std::string> lessonNames();

/// Limit of all waits in a step [s].
constexpr double kLongestStep = 120;

/// Parses the text of a lesson. `source` precedes the line in refusals. Throws InputError.
Lesson parseLesson(std::string_view text, const std::string& name, const std::string& source);

/// A lesson of the program by its name, or of a file whose name ends with .toml. The program's own lessons are parsed once.
/// Throws UsageError for an unknown name, InputError, IoError.
std::shared_ptr<const Lesson> lessonNamed(const std::string& nameOrFile);

}  // namespace gravlab
