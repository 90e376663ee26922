// The texts of a lesson: their markup, for panels and worksheets, and a lesson on paper, in Markdown or as a page for the
// printer. Students get it without answers and numbers.
#pragma once
#include "app/model/lesson.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

struct TextBlock {
    enum class Kind { paragraph, point, code } kind = Kind::paragraph;
    std::string text;  ///< one line; code may have several
};
std::vector<TextBlock> blocksOf(std::string_view text);

/// Content of a teacher's sheet alone.
struct LessonAnswers {
    std::map<std::string, Value> numbers{};  ///< measured numbers; all others stay blank
    std::string about{};                     ///< where they were measured, or why they were not
};

/// `answers`: null for students.
std::string worksheetMarkdown(const Lesson& lesson, const LessonAnswers* answers);
std::string worksheetHtml(const Lesson& lesson, const LessonAnswers* answers);

}  // namespace gravlab
