// Runs a lesson: prepares the scene of a step, waits for the student's actions, keeps the numbers, asks the questions.
// Rule: only the interpreter of scripts (app/control/script.h) runs the lines of a lesson.
#pragma once
#include "app/control/controller.h"
#include "app/control/script.h"
#include "app/model/document.h"
#include "app/model/lesson.h"

#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace gravlab {

class LessonRunner {
public:
    /// The lines go through the controller, which must outlive the runner. `canonical`: the runner itself answers and acts,
    /// as in a check; else a student does.
    explicit LessonRunner(Controller& controller, bool canonical = false);
    LessonRunner(const LessonRunner&) = delete;
    LessonRunner& operator=(const LessonRunner&) = delete;

    /// Lists the program's lessons for menus and panels.
    static void offer(LessonProgress& state);
    /// Opens a lesson at a step, from 0. `state` is the document's.
    void open(const Document& document, LessonProgress& state, std::shared_ptr<const Lesson> lesson, std::size_t step = 0);
    /// Carries out a request from the panel or from a command.
    EffectResult carryOut(const LessonGo& wish, const Document& document, LessonProgress& state);
    /// Call it once a frame, before the steps of the runs. `seconds`: elapsed time, which must not decrease. Returns whether
    /// the displayed state changed.
    bool update(const Document& document, LessonProgress& state, Host& host, double seconds);
    /// Whether lines are under way that need frames to continue.
    bool needsFrame() const {
        return phase_ != LessonPhase::act && (script_.needsFrame() || (phase_ == LessonPhase::after && measuring_));
    }

    /// For a check: why a step cannot be reached, with its name and line; empty: no failure so far.
    const std::string& failure() const { return failure_; }
    /// For a check: whether all steps are done.
    bool ended() const { return ended_; }
    /// "step 2, 'An ellipse' (line 31)".
    static std::string placeOf(const Lesson& lesson, std::size_t step);

private:
    void go(const Document& document, LessonProgress& state, std::size_t step, bool jumps);
    void showPanel(std::initializer_list<const char*> switches);
    void beginAt(const LessonStep& step, std::vector<SetParameter> earlier);
    void lookAtBeginning();
    void blame(const std::string& why);
    void answered(const ScriptAnswer& answer);
    void drop();
    void queue(std::span<const LessonLine> lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }
    bool nextPhase(const Document& document, LessonProgress& state);
    bool measures(const Document& document) const;
    void finish(const Document& document, LessonProgress& state);
    void holdForPrediction(const Document& document);

    bool canonical_;
    Controller& controller_;
    Script script_;
    Ticket begins_ = 0;  ///< ticket of the command that prepares the scene of a step
    std::deque<LessonLine> lines_;
    LessonLine current_;
    LessonPhase phase_ = LessonPhase::done;
    bool dropping_ = false, late_ = false, ended_ = false, moved_ = false;
    bool held_ = false;  ///< the run is paused until the prediction
    std::string problem_, failure_;
    std::shared_ptr<const Lesson> lesson_;
    std::size_t step_ = 0;
    bool measuring_ = false;  ///< the step's numbers are still to be measured
    double reachedAt_ = 0;    ///< time of the state that fulfilled the step's task [T]
};

/// Whether an answer is right: the choice, or the number within its tolerance.
bool isRight(const LessonQuestion& question, double answer);
/// Why a step is impossible on this machine; empty: it is possible.
Reason missingFor(const LessonStep& step, const BackendOptions& options);

}  // namespace gravlab
