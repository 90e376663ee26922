#include "app/lessons/lesson_runner.h"

#include "app/lessons/lesson_file.h"
#include "app/lessons/placeholders.h"
#include "app/model/twin_choice.h"
#include "sim/backends/backend.h"
#include "sim/core/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

/// What every lesson begins from, whatever was set before it.
constexpr std::string_view kFresh[] = {"set twin.on false",
                                       "set twin.view side",
                                       "set view.tree_cells none",
                                       "set view.selected none",
                                       "set view.four false",
                                       "set run.bodies auto",
                                       "set run.seed 1",
                                       "set run.backend auto",
                                       "set run.kernel auto",
                                       "set run.threads auto",
                                       "set run.integrator leapfrog",
                                       "set run.time_step auto",
                                       "set run.softening auto",
                                       "set run.precision auto",
                                       "set run.law auto",
                                       "set run.steps_per_frame 1",
                                       "set run.speed auto",
                                       "set run.paused false"};

bool begins(const LessonStep& step) {
    return std::any_of(step.setup.begin(), step.setup.end(),
                       [](const LessonLine& line) { return line.text.starts_with("open "); });
}

}  // namespace

bool isRight(const LessonQuestion& question, double answer) {
    if (!question.choices.empty()) return answer == question.answer;
    return std::abs(answer - question.answer) <= question.tolerance * std::abs(question.answer);
}

Reason missingFor(const LessonStep& step, const BackendOptions& options) {
    return step.needs.empty() ? Reason() : backend(step.needs).unavailable(options);
}

LessonRunner::LessonRunner(bool canonical)
    : canonical_(canonical),
      script_(
          controller_, [this](const std::string& line) { answered(line); }, true) {}

void LessonRunner::offer(LessonState& state) {
    state.offered.clear();
    for (const std::string_view name : lessonNames()) {
        const auto lesson = lessonNamed(std::string(name));
        state.offered.push_back(
            {lesson->name, lesson->title, lesson->idea, static_cast<int>(lesson->steps.size()), lesson->minutes});
    }
}

std::string LessonRunner::placeOf(const Lesson& lesson, std::size_t step) {
    const LessonStep& here = lesson.steps[step];
    return "step " + std::to_string(step + 1) + ", '" + here.title + "' (line " + std::to_string(here.line) + ")";
}

/// The answer of a line, as the interpreter gives it.
void LessonRunner::answered(const std::string& json) {
    if (dropping_) return;
    const auto answer = nlohmann::json::parse(json);
    const std::string status = answer.at("status");
    // A fresh start sets what can be set: a run from a file has no seed.
    if (status == "applied" || current_.number == 0) return;
    if (phase_ == LessonPhase::act && status == "failed" && !canonical_) {
        late_ = true;
        lines_.push_front(current_);  // a student may take longer
        return;
    }
    const std::string why = "line " + std::to_string(current_.number) + ", '" + current_.text +
                            "': " + answer.value("why", std::string("it was not applied"));
    if (problem_.empty()) problem_ = why;
    if (failure_.empty() && canonical_) failure_ = placeOf(*lesson_, step_) + ": " + why;
}

void LessonRunner::drop() {
    lines_.clear();
    dropping_ = true;
    script_.abandon({});
    dropping_ = false;
}

void LessonRunner::open(Document& document, std::shared_ptr<const Lesson> lesson, std::size_t step) {
    lesson_ = std::move(lesson);
    LessonState& state = document.lesson;
    state.lesson = lesson_;
    state.listed = false;
    state.kept.clear();
    ended_ = false;
    document.ui.visible = document.ui.panel = document.ui.measurements = true;
    go(document, std::min(step, lesson_->steps.size() - 1), true);
}

/// `jumps`: what the steps before would have set is brought there.
void LessonRunner::go(Document& document, std::size_t step, bool jumps) {
    drop();
    const std::vector<LessonStep>& steps = lesson_->steps;
    if (jumps) {
        for (const std::string_view line : kFresh) lines_.push_back({0, std::string(line)});
        for (const std::string_view key : twinKeys()) lines_.push_back({0, "set twin." + std::string(key) + " same"});
        std::size_t from = step;
        while (from > 0 && !begins(steps[from])) --from;
        // A scene does not bring back what earlier steps had set, such as the second run. What cannot be set is left out.
        for (std::size_t before = 0; before < from; ++before)
            if (missingFor(steps[before], document.intent.request.backendOptions).empty())
                for (const LessonLine& line : steps[before].setup)
                    if (line.text.starts_with("set ")) lines_.push_back({0, line.text});
        for (; from < step; ++from)
            if (missingFor(steps[from], document.intent.request.backendOptions).empty()) queue(steps[from].setup);
    }
    step_ = step;
    phase_ = LessonPhase::setup;
    late_ = false;
    problem_.clear();
    LessonState& state = document.lesson;
    state.step = step;
    state.guess.reset();
    state.answered.reset();
    held_ = false;
    if (missingFor(steps[step], document.intent.request.backendOptions).empty())
        queue(steps[step].setup);
    else
        phase_ = LessonPhase::done;  // its text can be read
    if (phase_ == LessonPhase::setup && steps[step].predict) holdForPrediction(document);
}

/// The run stands still until the prediction is made: its numbers would give the answer away.
void LessonRunner::holdForPrediction(const Document& document) {
    constexpr std::string_view kRuns = "set run.paused false", kRests = "set run.paused true";
    bool runs = !document.intent.paused, waits = false;
    for (const LessonLine& line : lines_) {
        runs = line.text == kRuns || (runs && line.text != kRests);
        waits = waits || line.text.starts_with("wait ");
    }
    held_ = runs;
    if (!runs) return;
    const LessonLine rest{0, std::string(kRests)};
    if (waits) {  // for what only a run brings
        lines_.push_back(rest);
        return;
    }
    std::erase_if(lines_, [&](const LessonLine& line) { return line.text == kRuns; });
    lines_.push_front(rest);
}

void LessonRunner::take(Document& document, const LessonOrder& order) {
    LessonState& state = document.lesson;
    using What = LessonOrder::What;
    try {
        if (order.what == What::list) state.listed = !state.listed;
        if (state.listed) document.ui.measurements = true;
        if (order.what == What::open) open(document, lessonNamed(order.name));
    } catch (const Error& error) {
        return document.say(error.what());
    }
    if (order.what == What::close) {
        drop();
        if (std::exchange(held_, false)) document.intent.paused = false;
        lesson_ = nullptr;
        state.lesson = nullptr;
        state.listed = false;
    }
    if (!lesson_) return;
    if (order.what == What::go) {
        const int last = static_cast<int>(lesson_->steps.size()) - 1, to = std::clamp(order.step, 0, last);
        // One step on goes on from what the student has reached; all else is a jump.
        go(document, static_cast<std::size_t>(to), !(phase_ == LessonPhase::done && to == static_cast<int>(step_) + 1));
    }
    if (order.what == What::answer && phase_ == LessonPhase::predict) state.guess = order.answer;
    if (order.what == What::answer && phase_ == LessonPhase::question) state.answered = order.answer;
    if (order.what == What::show && phase_ == LessonPhase::act) {
        drop();
        queue(lesson_->steps[step_].show);
        queue(lesson_->steps[step_].until);
    }
}

/// Goes on where nothing more is to be done or waited for. False: nothing changes.
bool LessonRunner::nextPhase(Document& document) {
    const LessonStep& step = lesson_->steps[step_];
    LessonState& state = document.lesson;
    switch (phase_) {
        case LessonPhase::setup:
            phase_ = step.predict ? LessonPhase::predict : LessonPhase::begin;
            if (phase_ == LessonPhase::begin) queue(step.begin);
            if (canonical_ && step.predict) state.guess = step.predict->answer;
            return true;
        case LessonPhase::predict:
            if (!state.guess) return false;
            phase_ = LessonPhase::begin;
            if (std::exchange(held_, false)) lines_.push_back({0, "set run.paused false"});
            queue(step.begin);
            return true;
        case LessonPhase::begin:
            phase_ = LessonPhase::act;
            if (canonical_) queue(step.show);
            queue(step.until);
            return true;
        case LessonPhase::act:
            phase_ = LessonPhase::after;
            late_ = false;
            queue(step.after);
            return true;
        case LessonPhase::after:
            finish(document);
            phase_ = step.question ? LessonPhase::question : LessonPhase::done;
            if (canonical_ && step.question) state.answered = step.question->answer;
            return true;
        case LessonPhase::question:
            if (!state.answered) return false;
            phase_ = LessonPhase::done;
            return true;
        case LessonPhase::done:
            if (const int reached = static_cast<int>(step_) + 1; reachedOf(state.progress, lesson_->name) < reached)
                state.progress = withReached(state.progress, lesson_->name, reached);
            if (!canonical_ || ended_) return false;
            if (step_ + 1 == lesson_->steps.size()) {
                ended_ = true;
                return false;
            }
            go(document, step_ + 1, false);
            return true;
    }
    return false;
}

/// Keeps the numbers of a step.
void LessonRunner::finish(Document& document) {
    std::map<std::string, Value>& kept = document.lesson.kept;
    for (const LessonNumber& number : lesson_->steps[step_].keep) {
        kept[number.name] = evaluate(number.expression, numbersOf(document, kept));
        if (canonical_ && failure_.empty() && isNothing(kept[number.name]))
            failure_ = placeOf(*lesson_, step_) + ": '" + number.name + " = " + number.expression + "' was not measured";
    }
    for (const LessonRange& range : lesson_->steps[step_].ranges) {
        const double number = numberOf(kept[range.name]).value_or(std::nan(""));
        if (canonical_ && failure_.empty() && !(number >= range.least && number <= range.most))
            failure_ = placeOf(*lesson_, step_) + ": " + range.name + " is " + shownValue(kept[range.name]) +
                       ", not within " + shownValue(range.least) + " to " + shownValue(range.most);
    }
}

bool LessonRunner::update(Workspace& workspace, double seconds) {
    const bool asked = !workspace.lesson.orders.empty();
    for (const LessonOrder& order : std::exchange(workspace.lesson.orders, {})) take(workspace, order);
    if (!lesson_) return asked;
    const std::size_t step = step_;
    constexpr int kMostLines = 100;
    for (int count = 0; count < kMostLines && failure_.empty(); ++count) {
        if (script_.ready()) {
            if (lines_.empty()) {
                if (!nextPhase(workspace)) break;
                continue;
            }
            current_ = lines_.front();
            lines_.pop_front();
            script_.take(current_.number, current_.text);
        }
        script_.look(workspace, workspace.apply(controller_), seconds);
        if (!script_.ready() || late_) break;
    }
    LessonState& state = workspace.lesson;
    const bool changed = asked || step_ != step || state.phase != phase_ || state.late != late_ || state.problem != problem_;
    state.phase = phase_;
    state.late = late_;
    state.problem = problem_;
    return changed;
}

}  // namespace gravlab
