// What measures, predicts or searches beside the runs: one interface, so that a frame calls all of them alike.
// Rule: a service reads the runs through their feeds, and reports. It posts commands where a setting must change.
#pragma once
#include "app/control/command.h"
#include "app/model/document.h"
#include "app/system/host_clock.h"

#include <vector>

namespace gravlab {

class RunHost;

/// A frame, as services see it.
struct ServiceFrame {
    const Document& document;
    const DocumentReports& reports;
    RunHost& runs;
    std::vector<Posted>& posted;  ///< commands for the controller
    bool realTime = true;         ///< a frame of a window: nothing waits
    bool drawn = false;           ///< it has a picture
    double drawSeconds = 0;       ///< GPU time of the picture [s]
    double now = hostClock();     ///< [s]
};

class Service {
public:
    virtual ~Service() = default;
    /// After RunHost::apply(): discards results that a change of the runs invalidated.
    virtual void follow(const RunHost&) {}
    /// After the steps of a frame.
    virtual void advance(const ServiceFrame&) {}
    /// After the picture of a frame, also where it has none.
    virtual void look(const ServiceFrame&) {}
    /// Writes the known results into the facts.
    virtual void readFacts(RunFacts&) const {}
    /// A result is under way: then frames are needed.
    virtual bool busy() const { return false; }
};

}  // namespace gravlab
