// The lab's work in a frame: measurements beside the running simulation, and the live picture of all pairs.
#pragma once
#include "app/control/host.h"
#include "app/lab/lab.h"
#include "app/lab/own_bench.h"
#include "app/services/run_host.h"
#include "app/system/file_jobs.h"

#include <optional>

namespace gravlab {

/// The job that writes the wanted file of the lab; empty: the measurement writes none. Lab and document outlive it.
std::optional<FileJob> labFile(const Measure& wanted, Lab& lab, Document& document, RunHost& host);

class LabLoop {
public:
    /// Begins a measurement, or cancels it.
    EffectResult carryOut(const Measure& measure, Lab& lab, Document& document);
    /// Begins to try the text of the editor.
    void tryKernel(Document& document);
    /// Copies the panel's choices into the lab.
    void follow(Lab& lab, const Document& document);
    /// Lets the lab measure, stores what a search has found, and refreshes the facts of the launch.
    void advance(Lab& lab, Document& document, RunHost& host);
    /// Refreshes the matrix several times a second while it is shown: painted by the device, or from a copy of the bodies.
    void refreshMatrix(Lab& lab, const Document& document, RunHost& host, bool realTime);
    void dropPicture(Lab& lab);

private:
    OwnBench own_;
    PairValue matrixValue_ = PairValue::force;    ///< quantity in the picture
    double launchReadAt_ = 0, matrixMadeAt_ = 0;  ///< host clock [s]
    std::int64_t matrixStep_ = -1;
    std::uint64_t matrixRun_ = 0, matrixRevision_ = 0;
};

}  // namespace gravlab
