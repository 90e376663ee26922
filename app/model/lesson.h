// A lesson as it is read from its file, and where somebody is in it. Rule: plain data; app/lessons reads files and goes
// through lessons, panels show this.
#pragma once
#include "sim/core/value.h"

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

/// A question before or after what is done: one of its choices, or a number.
struct LessonQuestion {
    std::string text;
    std::vector<std::string> choices;  ///< empty: a number is asked for
    double answer = 0;                 ///< number of the choice from 1, or the number
    double tolerance = 0.05;           ///< of a number, relative
    std::string why;                   ///< shown once it is answered
};

/// A number that is kept for later texts: `name = expression`.
struct LessonNumber {
    std::string name, expression;
};

/// What a kept number may be: of a class that does as it is told, and of every check.
struct LessonRange {
    std::string name{};
    double least = 0, most = 0;
};

/// Recorded rates of a named device: a row a kernel, a column a value of `over`.
struct LessonTable {
    std::string device{};  ///< file of docs/benchmarks without its ending
    std::string over{};    ///< column of that file: n, block, unroll, split
    std::vector<std::string> kernels{};
    std::vector<int> at{};
    std::map<std::string, int> where{};  ///< other columns that are held fixed
};

struct LessonStep {
    std::size_t line = 0;  ///< where it begins in the file
    std::string title, text;
    std::string needs;              ///< a backend without which the step is passed over; empty: none
    std::vector<LessonLine> setup;  ///< brings the scene there
    std::optional<LessonQuestion> predict;
    std::vector<LessonLine> begin;  ///< after the prediction
    std::string control;            ///< path of the parameter or name of the action that is lit up
    std::string task;               ///< what to do, in words
    std::vector<LessonLine> until;  ///< waits for what is done or measured, one after the other
    std::vector<LessonLine> show;   ///< does it: "Show me", and checks
    std::vector<LessonLine> after;
    std::vector<LessonNumber> keep;
    std::vector<LessonRange> ranges;  ///< of numbers that are kept by then
    std::vector<std::string> watch;   ///< parameters whose values are shown while it goes on
    std::string kernel;               ///< "BACKEND NAME": a kernel whose text is offered; empty: none
    std::optional<LessonTable> recorded;
    std::string explain;  ///< shown once `until` was reached
    std::optional<LessonQuestion> question;
};

struct Lesson {
    std::string name, title, idea;
    int minutes = 0;
    int place = 0;  ///< in the course, from 1; 0: none
    std::vector<LessonStep> steps;
};

/// Where a step is.
enum class LessonPhase { setup, predict, begin, act, after, question, done };
std::string_view nameOf(LessonPhase phase);

struct LessonOffer {
    std::string name, title, idea;
    int steps = 0, minutes = 0;
    bool operator==(const LessonOffer&) const = default;
};

struct LessonState {
    std::vector<LessonOffer> offered;  ///< empty: nobody goes through lessons here
    std::string progress;              ///< "leapfrog:3 order:1", steps that were reached
    bool listed = false;               ///< the list of lessons is shown
    bool large = false;                ///< to be read from the last row

    std::shared_ptr<const Lesson> lesson;  ///< null: none is open
    std::size_t step = 0;
    LessonPhase phase = LessonPhase::setup;
    bool late = false;                      ///< what is waited for takes longer than its limit
    std::optional<double> guess, answered;  ///< of this step
    std::map<std::string, Value> kept;      ///< numbers of all steps so far
    std::string problem;                    ///< a line that could not be done

    bool shown() const { return listed || lesson != nullptr; }
    const LessonStep* now() const { return lesson ? &lesson->steps[step] : nullptr; }
    bool operator==(const LessonState&) const = default;
};

/// Steps of the lesson of that name that the text of a progress says were reached; and the text with one more.
int reachedOf(std::string_view progress, std::string_view lesson);
std::string withReached(std::string_view progress, std::string_view lesson, int steps);

}  // namespace gravlab
