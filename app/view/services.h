// What works beside the runs: it measures, searches and predicts.
// Rule: each service reads the runs through their feeds; nothing of it changes a run but the lab, which says so.
#pragma once
#include "app/lab/lab.h"
#include "app/lab/lab_loop.h"
#include "app/model/document.h"
#include "app/services/conservation.h"
#include "app/services/group_finder.h"
#include "app/services/instruments.h"
#include "app/services/run_host.h"
#include "app/services/telemetry.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/tree_viewer.h"

#include <cstdint>
#include <functional>

namespace gravlab {

struct Services {
    /// Forgets what a change of the runs made wrong. After RunHost::apply().
    void follow(const RunHost& runs);
    /// After the steps of a frame. `realTime`: a window, in which nothing waits.
    void advance(Document& document, RunHost& runs, bool realTime);
    /// After the picture of a frame, where one was drawn. `drawSeconds`: its time on the GPU.
    void look(Document& document, RunHost& runs, bool realTime, bool drawn, double drawSeconds);
    /// Writes what is known into the facts.
    void readFacts(Facts& facts) const;
    /// A result is on its way: then frames are needed.
    bool busy(const Document& document) const;

    Telemetry telemetry;
    ConservationMonitor conservation;
    Instruments instruments;  ///< a galaxy over its radius
    GroupFinder groupFinder;
    TreeViewer treeViewer;
    TrajectoryPrediction trajectory;
    DropPrediction dropPath;
    Lab lab;
    LabLoop labLoop;

private:
    std::uint64_t rateChanges_ = 0, jumps_ = 0;  ///< of the runs, that were followed
};

/// Does `measure`. In a window memory may be too short for what is measured beside a run, and enough for the run: then it
/// is said.
void measureBeside(Document& document, bool realTime, const std::function<void()>& measure);

}  // namespace gravlab
