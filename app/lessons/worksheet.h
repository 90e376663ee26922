// A lesson on paper: what to do, lines to write on; with the answers for the teacher.
#pragma once
#include "app/model/lesson.h"

#include <string>

namespace gravlab {

std::string worksheetMarkdown(const Lesson& lesson, bool answers);
/// A page by itself, ready to be printed.
std::string worksheetHtml(const Lesson& lesson, bool answers);

}  // namespace gravlab
