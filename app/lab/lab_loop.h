// The lab's work in a frame: measurements beside the running simulation, and the live picture of all pairs.
#pragma once
#include "app/lab/lab.h"
#include "app/lab/own_bench.h"
#include "app/services/run_host.h"

namespace gravlab {

class LabLoop {
public:
    /// Begins a measurement or writes its results. An unwritable file is a failure.
    EffectResult carryOut(const Measure& measure, Lab& lab, Document& document, RunHost& host);
    /// Begins to try the editor's text, or writes it into a file; with an empty name, into the default file.
    void tryKernel(Document& document);
    static EffectResult saveKernel(Document& document, const std::string& file) {
        return OwnBench::save(document.labPanel.own, file);
    }
    /// Copies the panel's choices into the lab.
    void follow(Lab& lab, const Document& document);
    /// Lets the lab measure, stores what a search has found, and refreshes the facts of the launch.
    void advance(Lab& lab, Document& document, RunHost& host);
    /// Refreshes the matrix several times a second while it is shown: painted by the device, or from a copy of the bodies.
    void refreshMatrix(Lab& lab, const Document& document, RunHost& host, bool realTime);
    void dropPicture(Lab& lab);

private:
    EffectResult exportMatrix(Document& document, RunHost& host, const char* ending);

    OwnBench own_;
    PairValue matrixValue_ = PairValue::force;    ///< quantity in the picture
    double launchReadAt_ = 0, matrixMadeAt_ = 0;  ///< host clock [s]
    std::int64_t matrixStep_ = -1;
    std::uint64_t matrixRun_ = 0, matrixRevision_ = 0;
};

}  // namespace gravlab
