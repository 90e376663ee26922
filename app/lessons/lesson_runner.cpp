#include "app/lessons/lesson_runner.h"

#include "app/lessons/lesson_file.h"
#include "app/lessons/placeholders.h"
#include "app/parameters/parameter.h"
#include "app/parameters/twin_settings.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

/// The state at the start of every lesson, whatever the settings before it.
constexpr std::string_view kFresh[] = {
    "twin.on false",         "twin.view side",     "view.tree_cells none", "view.selected none",
    "view.four false",       "run.bodies auto",    "run.seed 1",           "run.backend auto",
    "run.kernel auto",       "run.threads auto",   "run.integrator auto",  "run.time_step auto",
    "run.softening auto",    "run.precision auto", "run.law auto",         "run.fields auto",
    "run.steps_per_frame 1", "run.speed auto",     "run.paused false",     "lab.open false"};

bool opensScene(const LessonLine& line) { return line.text.starts_with("open "); }

bool begins(const LessonStep& step) { return std::ranges::any_of(step.setup, opensScene); }

/// Removes the settings that every scene has for itself.
void dropSceneSettings(std::vector<SetParameter>& settings) {
    constexpr std::string_view kRun = "run.", kOfScene[] = {"time_step", "softening", "law"};
    std::erase_if(settings, [&](const SetParameter& setting) {
        return setting.path.starts_with(kRun) && std::ranges::count(kOfScene, setting.path.substr(kRun.size())) > 0;
    });
}

void addSettings(const LessonStep& step, std::vector<SetParameter>& settings) {
    for (const LessonLine& line : step.setup) {
        if (opensScene(line)) dropSceneSettings(settings);
        if (!line.text.starts_with("set ")) continue;
        const std::optional<ScriptLine> parsed = parseScriptLine(line.text);
        settings.push_back({parsed->name, parsed->value});
    }
}

}  // namespace

bool isRight(const LessonQuestion& question, double answer) {
    if (!question.choices.empty()) return answer == question.answer;
    return std::abs(answer - question.answer) <= question.tolerance * std::abs(question.answer);
}

Reason missingFor(const LessonStep& step, const BackendOptions& options) {
    return step.needs.empty() ? Reason() : backend(step.needs).unavailable(options);
}

LessonRunner::LessonRunner(Controller& controller, bool canonical)
    : canonical_(canonical),
      controller_(controller),
      script_(
          controller_, Sender::lesson, [this](const ScriptAnswer& answer) { answered(answer); }, true) {}

void LessonRunner::offer(LessonProgress& state) {
    state.offered.clear();
    for (const std::string& name : lessonNames()) {
        const auto lesson = lessonNamed(name);
        state.offered.push_back(
            {lesson->name, lesson->title, lesson->idea, static_cast<int>(lesson->steps.size()), lesson->minutes});
    }
}

std::string LessonRunner::placeOf(const Lesson& lesson, std::size_t step) {
    const LessonStep& here = lesson.steps[step];
    return "step " + std::to_string(step + 1) + ", '" + here.title + "' (line " + std::to_string(here.line) + ")";
}

void LessonRunner::answered(const ScriptAnswer& answer) {
    if (dropping_ || answer.status == CommandStatus::applied || answer.status == CommandStatus::running) return;
    if (phase_ == LessonPhase::act && answer.status == CommandStatus::failed && !canonical_) {
        late_ = true;
        lines_.push_front(current_);  // a student may need more time
        return;
    }
    blame("line " + std::to_string(current_.number) + ", '" + current_.text +
          "': " + (answer.why.empty() ? "it was not applied" : answer.why));
}

/// Records a failure of a line or of a step's scene.
void LessonRunner::blame(const std::string& why) {
    if (problem_.empty()) problem_ = why;
    if (failure_.empty() && canonical_) failure_ = placeOf(*lesson_, step_) + ": " + why;
}

void LessonRunner::drop() {
    lines_.clear();
    dropping_ = true;
    script_.abandon({});
    dropping_ = false;
}

void LessonRunner::open(const Document& document, LessonProgress& state, std::shared_ptr<const Lesson> lesson,
                        std::size_t step) {
    lesson_ = std::move(lesson);
    state.lesson = lesson_;
    state.listed = false;
    state.kept.clear();
    ended_ = false;
    showPanel({"window.visible", "window.panels", "window.measurements"});
    if (document.ui.depth == Depth::watch)
        controller_.post(SetParameter{"window.depth", std::string("teach")}, Sender::lesson);
    go(document, state, std::min(step, lesson_->steps.size() - 1), true);
}

void LessonRunner::showPanel(std::initializer_list<const char*> switches) {
    std::vector<Command> settings;
    for (const char* path : switches) settings.emplace_back(SetParameter{path, true});
    controller_.post(std::move(settings), Sender::lesson);
}

/// Begins the scene of a step without the settings before it, in one command, so that the run is built once.
void LessonRunner::beginAt(const LessonStep& step, std::vector<SetParameter> earlier) {
    Begin fresh;
    for (const std::string_view line : kFresh) {
        const std::size_t space = line.find(' ');
        fresh.settings.push_back({std::string(line.substr(0, space)), valueOf(line.substr(space + 1))});
    }
    for (const std::string_view key : twinKeys())
        fresh.settings.push_back({"twin." + std::string(key), std::string("same")});
    const auto opens = std::ranges::find_if(step.setup, opensScene);
    if (opens != step.setup.end()) dropSceneSettings(earlier);
    fresh.settings.insert(fresh.settings.end(), earlier.begin(), earlier.end());
    if (opens != step.setup.end()) fresh.scene = parseScriptLine(opens->text)->name;
    controller_.follow(begins_ = controller_.post(std::move(fresh), Sender::lesson));
    // The scene exists already; the other settings of the step follow it.
    for (const LessonLine& line : step.setup)
        if (opens == step.setup.end() || &line != &*opens) lines_.push_back(line);
}

void LessonRunner::lookAtBeginning() {
    for (const Event& event : controller_.take(begins_))
        if (event.status != CommandStatus::applied) blame(event.why);
}

/// `jumps`: also restores the settings of the steps before.
void LessonRunner::go(const Document& document, LessonProgress& state, std::size_t step, bool jumps) {
    drop();
    bool begun = false;  // and the settings of the step are queued
    const std::vector<LessonStep>& steps = lesson_->steps;
    if (jumps) {
        std::size_t from = step;
        while (from > 0 && !begins(steps[from])) --from;
        const auto possible = [&](const LessonStep& one) {
            return missingFor(one, document.intent.request.backendOptions).empty();
        };
        // A scene does not restore other settings of earlier steps, such as the second run.
        std::vector<SetParameter> earlier;
        for (std::size_t before = 0; before < from; ++before)
            if (possible(steps[before])) addSettings(steps[before], earlier);
        beginAt(steps[from], std::move(earlier));
        if (!possible(steps[from])) lines_.clear();
        for (std::size_t between = from + 1; between < step; ++between)
            if (possible(steps[between])) queue(steps[between].setup);
        begun = from == step;
    }
    step_ = step;
    phase_ = LessonPhase::setup;
    late_ = false;
    problem_.clear();
    state.step = step;
    state.guess.reset();
    state.answered.reset();
    held_ = false;
    if (!missingFor(steps[step], document.intent.request.backendOptions).empty())
        phase_ = LessonPhase::done;  // its text stays readable
    else if (!begun)
        queue(steps[step].setup);
    if (phase_ == LessonPhase::setup && steps[step].predict) holdForPrediction(document);
}

/// The run pauses until the student predicts: its numbers would reveal the answer.
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
    if (waits) {  // the wait needs a running run
        lines_.push_back(rest);
        return;
    }
    std::erase_if(lines_, [&](const LessonLine& line) { return line.text == kRuns; });
    lines_.push_front(rest);
}

EffectResult LessonRunner::carryOut(const LessonGo& wish, const Document& document, LessonProgress& state) {
    using What = LessonGo::What;
    moved_ = true;
    if (wish.what == What::list) state.listed = !state.listed;
    if (state.listed) showPanel({"window.measurements"});
    if (wish.what == What::open) open(document, state, lessonNamed(wish.name));
    if (wish.what == What::close) {
        drop();
        if (std::exchange(held_, false)) controller_.post(SetParameter{"run.paused", false}, Sender::lesson);
        lesson_ = nullptr;
        state.lesson = nullptr;
        state.listed = false;
    }
    if (!lesson_) return {};
    if (wish.what == What::go) {
        const int last = static_cast<int>(lesson_->steps.size()) - 1, to = std::clamp(wish.step, 0, last);
        // The next step continues from the student's state; every other step is a jump.
        go(document, state, static_cast<std::size_t>(to),
           !(phase_ == LessonPhase::done && to == static_cast<int>(step_) + 1));
    }
    if (wish.what == What::answer && phase_ == LessonPhase::predict) state.guess = wish.answer;
    if (wish.what == What::answer && phase_ == LessonPhase::question) state.answered = wish.answer;
    if (wish.what == What::show && phase_ == LessonPhase::act) {
        drop();
        queue(lesson_->steps[step_].show);
        queue(lesson_->steps[step_].until);
    }
    return {};
}

/// Advances where nothing more is to be done or waited for. Returns false when nothing changes.
bool LessonRunner::nextPhase(const Document& document, LessonProgress& state) {
    const LessonStep& step = lesson_->steps[step_];
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
            reachedAt_ = document.facts.time;
            late_ = false;
            queue(step.after);
            return true;
        case LessonPhase::after:
            if ((measuring_ = measures(document))) return false;
            finish(document, state);
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
            go(document, state, step_ + 1, false);
            return true;
    }
    return false;
}

/// Whether a number of the step still belongs to a state before the one that fulfilled the task: samples come now and then,
/// and later on a loaded machine.
bool LessonRunner::measures(const Document& document) const {
    bool lags = false;
    const NumberOf known = numbersOf(document, document.lesson.kept);
    for (const LessonNumber& number : lesson_->steps[step_].keep)
        evaluate(number.expression, [&](std::string_view name) {
            const Parameter* row = findParameter(name);
            lags = lags || (row && row->lags && row->lags(document, reachedAt_));
            return known(name);
        });
    return lags;
}

/// Keeps the numbers of a step.
void LessonRunner::finish(const Document& document, LessonProgress& state) {
    std::map<std::string, Value>& kept = state.kept;
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

bool LessonRunner::update(const Document& document, LessonProgress& state, Host& host, double seconds) {
    const bool moved = std::exchange(moved_, false);
    if (controller_.posted()) controller_.apply(host);  // the scene of a step precedes its phases
    lookAtBeginning();
    if (!lesson_) return moved;
    const std::size_t step = step_;
    constexpr int kMostLines = 100;
    for (int count = 0; count < kMostLines && failure_.empty(); ++count) {
        if (script_.ready()) {
            if (lines_.empty()) {
                if (!nextPhase(document, state)) break;
                continue;
            }
            current_ = lines_.front();
            lines_.pop_front();
            script_.take(current_.number, current_.text);
        }
        controller_.apply(host);
        lookAtBeginning();
        script_.look(document, seconds);
        if (!script_.ready() || late_) break;
    }
    const bool changed = moved || step_ != step || state.phase != phase_ || state.late != late_ || state.problem != problem_;
    state.phase = phase_;
    state.late = late_;
    state.problem = problem_;
    return changed;
}

}  // namespace gravlab
