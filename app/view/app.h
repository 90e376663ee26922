// An open document with its runs, the services that measure them, and the view that draws them.
// Rule: each component does its own work. app/view/frame.h gives the order of a frame; these functions are its steps.
// Settings change by commands alone: others read the document, and report.
#pragma once
#include "app/control/command.h"
#include "app/control/host.h"
#include "app/lab/lab.h"
#include "app/lab/lab_loop.h"
#include "app/model/document.h"
#include "app/runs/run_host.h"
#include "app/services/conservation.h"
#include "app/services/group_finder.h"
#include "app/services/instruments.h"
#include "app/services/pace.h"
#include "app/services/service.h"
#include "app/services/telemetry.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/tree_viewer.h"
#include "app/view/run_view.h"

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace gravlab {

/// The services that measure, search and predict beside the runs. A frame calls them in the order of their list.
struct Services {
    /// See Service for when each is called.
    void follow(const RunHost& runs);
    void advance(const ServiceFrame& frame);
    void look(const ServiceFrame& frame);
    void readFacts(RunFacts& facts) const;
    bool busy() const;

    ConservationMonitor conservation;
    Instruments instruments;  ///< radial profile of a galaxy
    Lab lab;
    LabLoop labLoop{lab};
    GroupFinder groupFinder;
    TreeViewer treeViewer;
    TrajectoryPrediction trajectory;
    DropPrediction dropPath;
    Telemetry telemetry;
    const std::array<Service*, 8> all{&conservation, &instruments, &labLoop,  &groupFinder,
                                      &treeViewer,   &trajectory,  &dropPath, &telemetry};
};

/// Calls `measure`. In a window, memory may be too short for the measurement but enough for the run: a message then says so.
void measureBeside(News& news, bool realTime, const std::function<void()>& measure);

class App {
    Document document_;  // first member: the others read it

public:
    /// Needs a current OpenGL context, unless the options want the picture later: remakePicture() then makes it. Throws
    /// where the options request something impossible.
    explicit App(const StartOptions& options);
    App(const App&) = delete;
    App& operator=(const App&) = delete;

    /// Builds the runs that the intent describes. A refusal leaves the run unchanged, sets the document's message and
    /// returns false. `again` restarts the scene although nothing in it changed.
    bool apply(bool again = false);
    /// The same, for functions that open files. The app outlives it.
    std::function<bool(bool again)> applyIntent() {
        return [this](bool again) { return apply(again); };
    }
    /// Leaves commands for the controller, which the next frame posts.
    void post(Posted commands) { posted_.push_back(std::move(commands)); }
    std::vector<Posted> takePosted() { return std::exchange(posted_, {}); }
    /// Finds groups in the present state while the caller waits.
    void findGroups() { services.groupFinder.advance(serviceFrame(false)); }
    /// Moves the camera by itself for that time [s]; see Document.
    void turn(double seconds) { document_.turn(seconds); }
    void glide(double seconds) { document_.glide(seconds); }
    /// Advances, publishes and measures: within the time budget (realTime), or by exactly stepsPerFrame steps (film).
    void advance(bool realTime);
    /// Call it after a picture is drawn and before it is shown. It makes steps of the next frame where
    /// RunHost::takesAhead().
    void advanceAhead();
    /// Draws the newest complete step and reads the finished timers. A size of 0 only reads the timers.
    void draw(unsigned framebuffer, int width, int height);
    /// Whether the next frame would differ from the last one without a new intent.
    bool moving() const;
    /// Whether the run falls behind its speed on a device that also draws: each picture delays steps there.
    bool behind() const { return behind_; }
    /// Whether more steps are due than the last frame made.
    bool wantsMore() const { return wantsMore_; }
    /// Rest after a frame that took `frameSeconds` [s]. Drawing then uses at most half of the processors' time.
    double idleSeconds(double frameSeconds) const { return view.idleSeconds(runs, frameSeconds, wantsMore_); }
    /// True for a window, which must never wait; false for a film, whose frames are complete.
    bool realTime() const { return realTime_; }

    /// Releases all OpenGL objects while their context, which is lost, is still current. The run, the camera and all choices
    /// stay. Only remakePicture() may follow. Throws DeviceError when the simulation's device is lost too.
    void dropPicture();
    /// Recreates the OpenGL objects in the current context and publishes the newest complete step. Trails start anew.
    void remakePicture();

    Document& written(WriteKey) { return document_; }
    const Document& document = document_;
    const DocumentReports reports{document_};
    RunHost runs;
    Services services;
    RunView view;

private:
    ServiceFrame serviceFrame(bool realTime, bool drawn = false, double drawSeconds = 0) {
        return {document, reports, runs, posted_, realTime, drawn, drawSeconds};
    }
    double stepSeconds();
    double deviceSeconds() const;
    void askPace(double now);
    std::int64_t stepsOfAQueue();
    bool onDevice();
    void readFacts();

    std::vector<Posted> posted_;
    Pace pace_;
    std::uint64_t pacedRun_ = 0;
    double advancedAt_ = 0;  ///< host clock [s]; 0: not yet
    bool realTime_ = false, behind_ = false;
    bool wantsMore_ = false;
};

}  // namespace gravlab
