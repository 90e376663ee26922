// A twin: the second of two runs, on the first one's clock. Its picture is drawn elsewhere.
// Rule: whatever happens to the twin, the first run continues.
#pragma once
#include "app/runs/history.h"
#include "app/runs/run.h"
#include "app/runs/twin_monitor.h"
#include "app/runs/twin_run.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace gravlab {

class Twin {
public:
    /// `runs` holds the first run; the twin adds the second behind it.
    explicit Twin(std::deque<Run>& runs);
    ~Twin();

    bool on() const { return run_ != nullptr; }
    /// The choice in force; off where there is no twin.
    const TwinChoice& choice() const { return choice_; }
    Simulation& simulation() { return run_->simulation(); }
    const Simulation& simulation() const { return run_->simulation(); }
    /// Labels that distinguish the runs, first and twin.
    const std::pair<std::string, std::string>& labels() const { return labels_; }
    const TwinMonitor& watch() const { return watch_; }
    /// The first run is at a time that the twin, which has caught up, has no step for.
    bool between() const { return even_ && !run_->met(first().simulation()); }
    /// A remark for the user about the settings in force; empty: there is none.
    std::string note() const { return run_ ? run_->note() : std::string(); }

    /// Starts, changes or ends the twin. `edited`: the first's bodies differ from its scene's. Throws as Simulation does,
    /// and std::runtime_error where OpenGL has no room; the former choice then stays in force.
    void apply(const TwinChoice& wanted, bool edited);
    /// The twin is on and fulfils `wanted`, apart from the view.
    bool follows(const TwinChoice& wanted) const;
    /// The first run has started again or has changed. Throws likewise; the twin is then off.
    void follow(bool restarted);
    /// The first run's bodies had these edits. Throws likewise; the twin is then off.
    void edit(const TwinRun::Edits& edits);
    void end();
    /// The twin's present state, to be kept beside the first; only while it is on.
    History::Beside beside();
    /// Both runs go back to kept states; the first has done so already. Throws likewise; the twin is then off.
    void goBack(const SecondState& then);

    /// Progress of the first run in the last advance(), which may have failed later.
    struct Progress {
        std::int64_t steps = 0;
        double stepProgress = 0, innerStep = 0;  ///< see AdvanceStatus
    };
    const Progress& progress() const { return progress_; }
    /// Advances both by up to `steps` of the first within `seconds`; neither waits for a device. Stores both for the picture
    /// when they are at the same time. A failure of the twin ends it and is thrown as DeviceError or UsageError. Pauses
    /// are common times of both within the steps, at most `every` steps of the first apart; 0: none.
    struct Pauses {
        std::int64_t every = 0;
        std::function<void()> show{};
    };
    void advance(std::int64_t steps, double seconds, bool realTime, const Pauses& pauses);

    /// The twin has nothing to do until the first run continues.
    bool even() const { return !on() || even_; }
    /// Takes measurements. Call once a frame.
    void update(bool realTime);

    /// The OpenGL context is being lost: samples of vertices end.
    void dropPicture() { watch_.forgetPicture(); }

private:
    Run& first() { return runs_.front(); }
    const Run& first() const { return runs_.front(); }
    Run& second() { return runs_.back(); }
    void start(const TwinChoice& wanted, bool fromPresent);
    void followSimulation();
    void label();
    void publish();
    TwinMonitor::Side side(Run& run) { return {run.simulation(), run.feed(), run.vertices()}; }

    std::deque<Run>& runs_;

    TwinChoice choice_;
    std::unique_ptr<TwinRun> run_;
    TwinMonitor watch_;
    std::pair<std::string, std::string> labels_;
    std::uint64_t labelled_ = 0;  ///< revision of the twin that the labels belong to
    bool even_ = true;
    Progress progress_;
    double stepSeconds_ = 0;  ///< host time of one step of the first, with the twin's steps beside it [s]
    std::int64_t shownStep_ = -1, shownTwinStep_ = -1;
};

}  // namespace gravlab
