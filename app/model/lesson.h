// A lesson as read from its file, and the student's position in it. Rule: plain data; app/lessons reads files and runs
// lessons, panels show this.
#pragma once
#include "sim/core/value.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A line of the script language with its place in the file.
struct LessonLine {
    std::size_t number = 0;
    std::string text;
};

/// A question before or after the task: one of its choices, or a number.
struct LessonQuestion {
    std::string text;
    std::vector<std::string> choices;  ///< empty: the answer is a number
    double answer = 0;                 ///< number of the choice from 1, or the number
    double tolerance = 0.05;           ///< of a number, relative
    std::string why;                   ///< shown after the answer
};

/// A number kept for later texts: `name = expression`.
struct LessonNumber {
    std::string name, expression;
};

/// The expected range of a kept number, for a student who follows the lesson and for every check.
struct LessonRange {
    std::string name{};
    double least = 0, most = 0;
};

/// Recorded rates of a named device: a row per kernel, a column per value of `over`.
struct LessonTable {
    std::string device{};  ///< file of docs/benchmarks without its extension
    std::string over{};    ///< column of that file: n, block, unroll, split
    std::vector<std::string> kernels{};
    std::vector<int> at{};
    std::map<std::string, int> where{};  ///< other columns with fixed values
};

struct LessonStep {
    std::size_t line = 0;  ///< its first line in the file
    std::string title, text;
    std::string needs;              ///< a backend without which the step is skipped; empty: none
    std::vector<LessonLine> setup;  ///< prepares the scene
    std::optional<LessonQuestion> predict;
    std::vector<LessonLine> begin;  ///< after the prediction
    std::string control;            ///< path of the highlighted parameter, or name of the highlighted action
    std::string task;               ///< what to do, in words
    std::vector<LessonLine> until;  ///< conditions to wait for, one after the other
    std::vector<LessonLine> show;   ///< carries out the task: "Show me", and checks
    std::vector<LessonLine> after;
    std::vector<LessonNumber> keep;
    std::vector<LessonRange> ranges;  ///< of the numbers kept so far
    std::vector<std::string> watch;   ///< parameters whose values are shown during the step
    std::string kernel;               ///< "BACKEND NAME": a kernel whose text is offered; empty: none
    std::string picture;              ///< name of a drawing, see app/plots/diagram.h; empty: none
    std::optional<LessonTable> recorded;
    std::string explain;  ///< shown after `until`
    std::optional<LessonQuestion> question;
    /// Whether its drawing takes the place of the picture: it neither opens a scene nor has a task in one.
    bool drawsLarge() const {
        const auto opens = [](const LessonLine& one) { return one.text.starts_with("open "); };
        return !picture.empty() && task.empty() && std::ranges::none_of(setup, opens);
    }
};

struct Lesson {
    std::string name, title, idea;
    int minutes = 0;
    int place = 0;  ///< in the course, from 1; 0: none
    std::vector<LessonStep> steps;
};

/// The phase of a step.
enum class LessonPhase { setup, predict, begin, act, after, question, done };
std::string_view nameOf(LessonPhase phase);

struct LessonOffer {
    std::string name, title, idea;
    int steps = 0, minutes = 0;
    bool operator==(const LessonOffer&) const = default;
};

/// What the runner of lessons reports.
struct LessonProgress {
    std::vector<LessonOffer> offered;  ///< empty: no lessons in this program
    std::string progress;              ///< "leapfrog:3 order:1": reached steps
    bool listed = false;               ///< whether the list of lessons is shown

    std::shared_ptr<const Lesson> lesson;  ///< null: no lesson is open
    std::size_t step = 0;
    LessonPhase phase = LessonPhase::setup;
    bool late = false;                      ///< the condition takes longer than its limit
    std::optional<double> guess, answered;  ///< of this step
    std::map<std::string, Value> kept;      ///< numbers of all steps so far
    std::string problem;                    ///< a line that failed

    bool shown() const { return listed || lesson != nullptr; }
    const LessonStep* now() const { return lesson ? &lesson->steps[step] : nullptr; }
    bool operator==(const LessonProgress&) const = default;
};

struct LessonState : LessonProgress {
    bool large = false;  ///< letters large enough for the back of a lecture hall
    bool operator==(const LessonState&) const = default;
};

/// Reached steps of the lesson with that name in a text of progress; and the text with one more.
int reachedOf(std::string_view progress, std::string_view lesson);
std::string withReached(std::string_view progress, std::string_view lesson, int steps);

}  // namespace gravlab
