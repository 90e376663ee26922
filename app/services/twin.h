// A twin: the second of two runs, on the first one's clock. What is drawn of both is elsewhere.
// Rule: whatever happens to the twin, the first run goes on.
#pragma once
#include "app/services/rewind.h"
#include "app/services/run.h"
#include "app/services/twin_monitor.h"
#include "app/services/twin_run.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace gravlab {

class Twin {
public:
    /// `runs`: the first run, behind which this puts the second.
    explicit Twin(std::deque<Run>& runs);
    ~Twin();

    bool on() const { return run_ != nullptr; }
    /// What is in force; off where there is no twin.
    const TwinChoice& choice() const { return choice_; }
    Simulation& simulation() { return run_->simulation(); }
    const Simulation& simulation() const { return run_->simulation(); }
    /// What tells the runs apart, first and twin.
    const std::pair<std::string, std::string>& labels() const { return labels_; }
    const TwinMonitor& watch() const { return watch_; }
    /// What a person should know about the settings in force; empty: nothing.
    std::string note() const { return run_ ? run_->note() : std::string(); }

    /// Starts, changes or ends the twin. `edited`: the first's bodies are not its scene's any more. Throws as Simulation
    /// does, and std::runtime_error where OpenGL has no room; what was in force then stays.
    void apply(const TwinChoice& wanted, bool edited);
    /// It is on and has all that is wanted but the view.
    bool follows(const TwinChoice& wanted) const;
    /// The first run has started again or has changed. Throws likewise; the twin is then off.
    void follow(bool restarted);
    /// The first run's bodies were edited so. Throws likewise; the twin is then off.
    void edit(const TwinRun::Edits& edits);
    void end();
    /// As it is now, to be kept beside the first; only while it is on.
    Rewind::Beside beside();
    /// Both went back to kept states: the first is at its own already. Throws likewise; the twin is then off.
    void goBack(const SecondState& then);

    /// What the first run has made of the last advance(), which may have failed later.
    struct Progress {
        std::int64_t steps = 0;
        double stepProgress = 0, innerStep = 0;  ///< as AdvanceStatus has them
    };
    const Progress& progress() const { return progress_; }
    /// Advances both by up to `steps` of the first within `seconds`; neither waits for a device. Stores both for the
    /// picture when they are at one time. A failure of the twin ends it and is thrown as DeviceError or UsageError.
    /// Where both are to stand at one time within the steps: at least every so many of the first's; 0: nowhere.
    struct Pauses {
        std::int64_t every = 0;
        std::function<void()> show{};
    };
    void advance(std::int64_t steps, double seconds, bool realTime, const Pauses& pauses);

    /// Nothing is left to do for the twin until the first goes on.
    bool even() const { return !on() || even_; }
    /// Takes up measurements. Once a frame.
    void update(bool realTime);

    /// The OpenGL context is lost: samples of vertices end.
    void dropPicture() { watch_.forgetPicture(); }

private:
    Run& first() { return runs_.front(); }
    Run& second() { return runs_.back(); }
    void start(const TwinChoice& wanted, bool fromPresent);
    void takeUp();
    void publish();
    TwinMonitor::Side side(Run& run) { return {run.simulation(), run.feed(), run.vertices()}; }

    std::deque<Run>& runs_;

    TwinChoice choice_;
    std::unique_ptr<TwinRun> run_;
    TwinMonitor watch_;
    std::pair<std::string, std::string> labels_;
    std::uint64_t labelled_ = 0;  ///< revision of the twin that the labels are of
    bool even_ = true;
    Progress progress_;
    double stepSeconds_ = 0;  ///< host time of one step of the first with what the twin makes beside it
    std::int64_t shownStep_ = -1, shownTwinStep_ = -1;
};

}  // namespace gravlab
