// Where a lesson is, and how it is shown.
#include "app/control/parameter_rows.h"

namespace gravlab {

using namespace rows;

std::vector<Parameter> lessonParameters() {
    std::vector<Parameter> all;
    all.push_back(withMember(
        {.path = "lesson.large",
         .label = "Large type",
         .idea = "the lesson in large type, to be read from the last row",
         .kind = Kind::flag,
         .usual = "false"},
        [](Document & d) -> auto& { return d.lesson.large; }));
    all.push_back(withMember(
        {.path = "lesson.progress",
         .label = "Progress",
         .idea = "the steps of each lesson that were reached",
         .kind = Kind::text,
         .usual = "(none)",
         .kept = {.configuration = "lessons.progress"}},
        [](Document & d) -> auto& { return d.lesson.progress; }));
    const auto add = [&](Parameter row, auto get) { all.push_back(fact(std::move(row), get)); };
    add({.path = "lesson.name", .label = "Lesson", .idea = "the lesson that is open", .kind = Kind::text},
        [](const Document& d) -> Value { return d.lesson.lesson ? Value(d.lesson.lesson->name) : Value(); });
    add({.path = "lesson.step", .label = "Step", .idea = "of the lesson, from 1", .kind = Kind::integer},
        [](const Document& d) -> Value { return d.lesson.lesson ? wholeValue(d.lesson.step + 1) : Value(); });
    add({.path = "lesson.steps", .label = "Steps", .idea = "of the lesson", .kind = Kind::integer},
        [](const Document& d) -> Value { return d.lesson.lesson ? wholeValue(d.lesson.lesson->steps.size()) : Value(); });
    add({.path = "lesson.phase",
         .label = "Phase",
         .idea = "of the step: setup, predict, begin, act, after, question, done",
         .kind = Kind::text},
        [](const Document& d) -> Value { return d.lesson.lesson ? Value(std::string(nameOf(d.lesson.phase))) : Value(); });
    return all;
}

}  // namespace gravlab
