// The services that measure, search and predict beside the runs. A frame calls them in the order of their list.
#pragma once
#include "app/lab/lab.h"
#include "app/lab/lab_loop.h"
#include "app/model/document.h"
#include "app/services/conservation.h"
#include "app/services/group_finder.h"
#include "app/services/instruments.h"
#include "app/services/service.h"
#include "app/services/telemetry.h"
#include "app/services/trajectory_prediction.h"
#include "app/services/tree_viewer.h"

#include <array>
#include <functional>

namespace gravlab {

struct Services {
    /// See Service for when each is called.
    void follow(const RunHost& runs);
    void advance(const ServiceFrame& frame);
    void look(const ServiceFrame& frame);
    void readFacts(Facts& facts) const;
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

}  // namespace gravlab
