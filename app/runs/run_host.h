// Owns the runs; the only place where an intent of the document becomes an action on them.
// Rule: nothing here waits for a device except on the user's request. A refused change leaves the runs unchanged.
#pragma once
#include "app/control/host.h"
#include "app/model/document.h"
#include "app/runs/body_editor.h"
#include "app/runs/history.h"
#include "app/runs/run.h"
#include "app/runs/twin.h"
#include "app/runs/virial_check.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace gravlab {

/// How long a step takes, before the first one is complete.
struct StepForecast {
    double last = 0, part = -1, seconds = 0;
    /// `now`: part of the step that is done, after `computed` seconds in all. 0: too little of it. The walk of a tree is
    /// timed alone: at the start the work before it is longer than the tree's share.
    double after(double now, double computed, bool pairs) {
        if (now < last) part = -1;
        last = now;
        if (part < 0 && now > (pairs ? 0 : 0.1)) part = now, seconds = computed;
        const double done = now - part;
        return part >= 0 && done > (pairs ? 0.02 : 0.05) ? (computed - seconds) / done : 0;
    }
};

class RunHost {
public:
    /// Starts the run of the document's intent, without its twin. Needs a current OpenGL context. The start is published, so
    /// that a draw before the first advance shows t = 0. Throws as Simulation does. The document must outlive it.
    RunHost(Document& document, const RunRequest& request, bool picture = true);

    /// Applies changed intent. A refused change leaves the run unchanged; its text becomes the message, and the result is
    /// false. `again`: the scene starts anew although none of its settings changed.
    bool apply(bool again = false);
    EffectResult edit(const EditBodies& wanted) { return editor_.edit(wanted); }
    EffectResult replace(const ParticleSet& bodies) { return editor_.replace(bodies); }
    /// Goes to a kept state, where the run pauses. Throws DeviceError: the bodies are lost.
    EffectResult jump(const JumpTo& to);
    /// See Host. States of all changes together take at most kStatesOfChanges bytes; the oldest are dropped first.
    Inverse keepState();
    Inverse keepSizes() { return editor_.keepSizes(); }
    static constexpr std::size_t kStatesOfChanges = std::size_t{512} << 20;
    /// Starts the twin of `choice`, or throws; `apply()` makes a message of it.
    void beginTwin(const TwinChoice& choice);
    /// Advances within `seconds` (realTime) or by exactly the requested steps (film), and publishes.
    void advance(bool realTime, double seconds);
    /// Called about four times a second during the exact steps of one frame, for signals; an exception ends the steps.
    std::function<void()> whileStepping;
    /// Called before the first step of a window's frame, between its steps and after them, where a host computes few bodies:
    /// for results that must not depend on the number of frames. Large frames have at most 64 calls.
    std::function<void()> betweenSteps;
    /// Limit for the next steps of a window: up to the next frame of a film.
    std::int64_t mostSteps = std::numeric_limits<std::int64_t>::max();
    /// Whether the run may start the steps of the next frame before the picture of this one is shown. A device that stores
    /// vertices where OpenGL draws them computes while the picture is handed to the display.
    bool takesAhead() const;
    /// Starts those steps, which the next advance() shows. Only where takesAhead().
    void advanceAhead(double seconds);
    /// Whether the next advance() shows steps that were started ahead, in place of making some.
    bool ahead() const { return ahead_ > 0; }
    /// Waits for the device of the first run and takes its results: for callers whose output must not depend on the
    /// duration.
    void settle();

    /// Keeps states to go back to from now on, in at most `bytes` of memory. Windows only: each is a copy of all bodies.
    void keepHistory(std::size_t bytes) { history_ = std::make_unique<History>(bytes); }
    /// Shows `count` states of other times, one after the other: they become kept states in the order of their times, or in
    /// their own order where times are unknown. Needs a history. Of more than its memory holds, only so many are read.
    /// Returns how many it holds.
    std::size_t replay(std::size_t count, const std::function<RunState(std::size_t)>& read);
    /// Null as long as no history is kept.
    const History* history() const { return history_.get(); }

    /// Releases all OpenGL objects while their context is still current, because that context is being lost. Throws
    /// DeviceError when the simulation's device is lost too.
    void dropPicture();
    /// Makes the picture anew in the context that is current now and publishes the newest complete step. Trails start anew.
    void makePicture();
    /// Appends the newest step to the trails, once.
    void recordTrails(const Look& look);

    /// The first run, and the second one that it is compared with.
    std::deque<Run>& runs() { return runs_; }
    const std::deque<Run>& runs() const { return runs_; }
    Run& first() { return runs_.front(); }
    const Run& first() const { return runs_.front(); }
    Simulation& simulation() { return first().simulation(); }
    const Simulation& simulation() const { return first().simulation(); }
    /// The response that a held body had before; the usual one where it is unknown.
    double responseOf(std::uint32_t id) const { return editor_.responseOf(id); }
    Twin& twin() { return twin_; }
    const Twin& twin() const { return twin_; }
    /// Virial check of the bodies that the run began with.
    VirialCheck& virial() { return virial_; }
    const VirialCheck& virial() const { return virial_; }

    /// Counts the events after which renderers need colours and traits anew: other bodies, another run, another context.
    std::uint64_t appearanceRevision() const { return appearanceRevision_; }
    /// Counts the changes that invalidate earlier rates, and jumps to kept states.
    std::uint64_t rateChanges() const { return rateChanges_; }
    std::uint64_t jumps() const { return jumps_; }
    /// The ended run to whose state the last of these jumps returned, by undo; 0: it stayed in its run.
    std::uint64_t returnedTo() const { return returnedTo_; }
    /// Whether the twin has failed between two commands, so that the intent still wants it. apply() does not start it again
    /// before the intent changes.
    bool twinFailed() const { return failedTwin_ && *failedTwin_ == document_.intent.twin; }
    /// Whether the next frame would differ from the last one without any new intent.
    bool moving() const;

private:
    friend class BodyEditor;
    /// The state of a run that a change ended.
    struct LeftState {
        std::shared_ptr<const FedState> state;  ///< null: there was no memory left for it
        BodyEditor::Memory editor;
        bool edited = false;
        std::uint64_t run = 0;  ///< as Simulation has it
    };
    bool change(const RunRequest& wanted, bool reset);
    void followSimulation();
    void followEdits();
    void afterSteer();
    void followMergers();
    void readFacts();
    void readProgress();
    void readTwin();
    void refreshBodyCache(bool start = false);
    void showAnew();
    void countAnew();
    void sayPath();
    EffectResult jumpTo(const History::Kept& target, std::uint64_t ended, const std::function<void()>& go);
    EffectResult returnTo(const LeftState& left);
    void forgetTrails();

    void tryTwin(const std::function<void()>& action);
    void applyTwin();
    void followWithTwin(bool restarted);
    void syncTwin(const std::optional<SecondState>& then);
    std::int64_t advancePair(std::int64_t steps, double seconds, bool realTime, std::int64_t every);
    std::size_t trailPointsWithin() const;
    std::int64_t stepsOfATrailPoint(std::int64_t steps) const;
    std::int64_t stepsOfALook(std::int64_t steps) const;
    void noteTrailPoint();
    /// Time that the device or the processors have computed steps so far [s].
    double computedSeconds();
    std::int64_t stepsOfAFrame(bool realTime) const;
    void updateTwin(bool realTime);

    Document& document_;
    VirialCheck virial_;
    std::deque<Run> runs_;
    Twin twin_{runs_};
    std::optional<TwinChoice> failedTwin_;  ///< the intent in which it failed
    BodyEditor editor_{document_, *this};
    std::unique_ptr<History> history_;
    double replayDue_ = 0;                       ///< host clock [s]
    std::deque<std::weak_ptr<LeftState>> left_;  ///< oldest first
    std::uint64_t appearanceRevision_ = 0, rateChanges_ = 0, jumps_ = 0, returnedTo_ = 0;
    std::int64_t trailStep_ = -1;  ///< newest step in the trails
    std::int64_t stepsSinceChange_ = 0;
    std::int64_t ahead_ = 0;  ///< steps that no vertices show yet
    double lastStepAt_ = 0;   ///< host clock [s]
    StepForecast forecast_;
    std::string saidPath_;  ///< path that stderr last reported
};

}  // namespace gravlab
