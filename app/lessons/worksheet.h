// A lesson on paper: Markdown, or a page for the printer. Students get it without answers and numbers.
#pragma once
#include "app/model/lesson.h"

#include <map>
#include <string>

namespace gravlab {

/// Content of a teacher's sheet alone.
struct LessonAnswers {
    std::map<std::string, Value> numbers{};  ///< measured numbers; all others stay blank
    std::string about{};                     ///< where they were measured, or why they were not
};

/// `answers`: null for students.
std::string worksheetMarkdown(const Lesson& lesson, const LessonAnswers* answers);
std::string worksheetHtml(const Lesson& lesson, const LessonAnswers* answers);

}  // namespace gravlab
