// A lesson on paper: Markdown, or a page for the printer. For students without answers and numbers.
#pragma once
#include "app/model/lesson.h"

#include <map>
#include <string>

namespace gravlab {

/// What only a teacher's sheet has.
struct LessonAnswers {
    std::map<std::string, Value> numbers{};  ///< that were measured; blanks for all others
    std::string about{};                     ///< where they were measured, or why they were not
};

/// `answers`: null for students.
std::string worksheetMarkdown(const Lesson& lesson, const LessonAnswers* answers);
std::string worksheetHtml(const Lesson& lesson, const LessonAnswers* answers);

}  // namespace gravlab
