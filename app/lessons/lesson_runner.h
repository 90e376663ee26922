// Goes through a lesson: brings the scene of a step there, waits for what the student does, keeps the numbers, asks.
// Rule: the lines of a lesson are done by the interpreter of scripts (app/control/script.h), and by nothing else.
#pragma once
#include "app/control/controller.h"
#include "app/control/script.h"
#include "app/model/document.h"
#include "app/model/lesson.h"

#include <deque>
#include <memory>
#include <span>
#include <string>

namespace gravlab {

class LessonRunner {
public:
    /// Its lines go through the controller, which outlives it. `canonical`: it answers and does everything itself, as a
    /// check does; else a student does.
    explicit LessonRunner(Controller& controller, bool canonical = false);
    LessonRunner(const LessonRunner&) = delete;
    LessonRunner& operator=(const LessonRunner&) = delete;

    /// Makes the program's lessons known to menus and panels.
    static void offer(LessonState& state);
    /// Opens a lesson at a step, from 0.
    void open(Document& document, std::shared_ptr<const Lesson> lesson, std::size_t step = 0);
    /// What somebody asks of it at the panel or by a command.
    EffectResult carryOut(const LessonGo& asked, Document& document);
    /// Once a frame, before the runs go on. `seconds`: time so far, which only rises. Whether what is shown of it changed.
    bool update(Document& document, Host& host, double seconds);
    /// Lines are under way that only frames bring on.
    bool needsFrame() const { return phase_ != LessonPhase::act && script_.needsFrame(); }

    /// Of a check: why a step cannot be reached, with its name and line; empty: so far all could.
    const std::string& failure() const { return failure_; }
    /// Of a check: all steps are done.
    bool ended() const { return ended_; }
    /// "step 2, 'An ellipse' (line 31)".
    static std::string placeOf(const Lesson& lesson, std::size_t step);

private:
    void go(Document& document, std::size_t step, bool jumps);
    void beginAt(const LessonStep& step, std::vector<SetParameter> earlier);
    void lookAtBeginning();
    void blame(const std::string& why);
    void answered(const ScriptAnswer& answer);
    void drop();
    void queue(std::span<const LessonLine> lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }
    bool nextPhase(Document& document);
    void finish(Document& document);
    void holdForPrediction(const Document& document);

    bool canonical_;
    Controller& controller_;
    Script script_;
    Ticket begins_ = 0;  ///< of what brings the scene of a step there
    std::deque<LessonLine> lines_;
    LessonLine current_;
    LessonPhase phase_ = LessonPhase::done;
    bool dropping_ = false, late_ = false, ended_ = false, asked_ = false;
    bool held_ = false;  ///< the run waits for the prediction
    std::string problem_, failure_;
    std::shared_ptr<const Lesson> lesson_;
    std::size_t step_ = 0;
};

/// Whether an answer is right: the choice, or the number within its tolerance.
bool isRight(const LessonQuestion& question, double answer);
/// Why a step cannot be done on this machine; empty: it can.
Reason missingFor(const LessonStep& step, const BackendOptions& options);

}  // namespace gravlab
