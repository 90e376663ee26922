// The services that measure, search and predict beside the runs.
// Rule: each service reads the runs through their feeds. Only the lab may change a run, and it reports that.
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
    /// Discards results that a change of the runs invalidated. Call it after RunHost::apply().
    void follow(const RunHost& runs);
    /// Call it after the steps of a frame. `realTime`: for a window, where nothing waits.
    void advance(Document& document, RunHost& runs, bool realTime);
    /// Call it after a frame, with or without a picture. `drawSeconds`: GPU time of the picture.
    void look(Document& document, RunHost& runs, bool realTime, bool drawn, double drawSeconds);
    /// Writes the known results into the facts.
    void readFacts(Facts& facts) const;
    /// Whether a result is pending: the window then needs frames.
    bool busy(const Document& document) const;

    Telemetry telemetry;
    ConservationMonitor conservation;
    Instruments instruments;  ///< radial profile of a galaxy
    GroupFinder groupFinder;
    TreeViewer treeViewer;
    TrajectoryPrediction trajectory;
    DropPrediction dropPath;
    Lab lab;
    LabLoop labLoop;

private:
    std::uint64_t rateChanges_ = 0, jumps_ = 0;  ///< counters of the runs at the last follow()
};

/// Calls `measure`. In a window, memory may be too short for the measurement but enough for the run: a message then says so.
void measureBeside(Document& document, bool realTime, const std::function<void()>& measure);

}  // namespace gravlab
