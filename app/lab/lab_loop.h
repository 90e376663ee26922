// The lab's part of a frame: measurements beside the running simulation, and the live picture of all pairs.
#pragma once
#include "app/lab/lab.h"
#include "app/lab/own_bench.h"
#include "app/services/run_host.h"

namespace gravlab {

class LabLoop {
public:
    /// Begins a measurement or writes what was measured. A file that cannot be written is a failure.
    EffectResult carryOut(const Measure& measure, Lab& lab, Document& document, RunHost& host);
    /// Begins to try the text of the editor, or writes it into a file; an empty name: its own.
    void tryKernel(Document& document);
    static EffectResult saveKernel(Document& document, const std::string& file) {
        return OwnBench::save(document.labPanel.own, file);
    }
    /// Shows what the panel says.
    void follow(Lab& lab, const Document& document);
    /// Lets the lab measure, takes up what a search has found, and keeps the facts of the launch new.
    void advance(Lab& lab, Document& document, RunHost& host);
    /// Some times a second while the matrix is shown: painted by the device, or from a copy of the bodies.
    void refreshMatrix(Lab& lab, const Document& document, RunHost& host, bool realTime);
    void dropPicture(Lab& lab);

private:
    EffectResult exportMatrix(Document& document, RunHost& host, const char* ending);

    OwnBench own_;
    PairValue matrixValue_ = PairValue::force;    ///< of the picture
    double launchReadAt_ = 0, matrixMadeAt_ = 0;  ///< host clock [s]
    std::int64_t matrixStep_ = -1;
    std::uint64_t matrixRun_ = 0, matrixRevision_ = 0;
};

}  // namespace gravlab
