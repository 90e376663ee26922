// The lab's work in a frame: measurements beside the running simulation, the live picture of all pairs, and trials of a
// user's own kernel.
// Rule: compile only on request, and only a kernel that passed its trial enters the run.
#pragma once
#include "app/bench/own_trial.h"
#include "app/control/host.h"
#include "app/files/file_jobs.h"
#include "app/lab/lab.h"
#include "app/runs/run_host.h"
#include "app/services/service.h"

#include <memory>
#include <optional>
#include <string>

namespace gravlab {

/// The job that writes the text into that file, or, without a name, into its default file. The panel also shows the result.
/// `result` outlives it.
FileJob kernelFile(const OwnKernel& own, OwnResult& result, const std::string& file);

class OwnBench {
public:
    /// Requests a trial of the text at the next advance().
    void ask() { wanted_ = true; }
    /// Begins a requested trial once the bodies of the run have come, and collects a finished one. Never waits.
    void advance(const ServiceFrame& frame);

private:
    void prepare(const ServiceFrame& frame);
    void begin(const ServiceFrame& frame);
    static void finish(const ServiceFrame& frame, const OwnTrialRequest& request, const OwnTrialReply& reply);

    bool wanted_ = false;
    StateTicket state_;
    std::unique_ptr<OwnTrial> trial_;
};

/// The job that writes the wanted file of the lab; empty: the measurement writes none. Lab and reports outlive it.
std::optional<FileJob> labFile(const Measure& wanted, Lab& lab, const Document& document, const DocumentReports& reports,
                               RunHost& host);

class LabLoop : public Service {
public:
    explicit LabLoop(Lab& lab) : lab_(lab) {}
    /// Begins a measurement, or cancels it.
    EffectResult carryOut(const Measure& measure, const Document& document, const DocumentReports& reports);
    /// Begins to try the text of the editor.
    void tryKernel(const DocumentReports& reports);
    /// Copies the panel's choices into the lab and refreshes the picture of all pairs. In a window the lab measures, and
    /// posts what a search has found.
    void advance(const ServiceFrame& frame) override;
    void readFacts(RunFacts& facts) const override;
    bool busy() const override { return lab_.busy() || shown_; }
    void dropPicture();

private:
    void follow(const Document& document);
    void measure(const ServiceFrame& frame);
    void refreshMatrix(const Document& document, RunHost& host, bool realTime);

    Lab& lab_;
    bool shown_ = false;  ///< the panel shows what changes without a measurement
    OwnBench own_;
    PairValue matrixValue_ = PairValue::force;    ///< quantity in the picture
    double launchReadAt_ = 0, matrixMadeAt_ = 0;  ///< host clock [s]
    std::int64_t matrixStep_ = -1;
    std::uint64_t matrixRun_ = 0, matrixRevision_ = 0;
};

}  // namespace gravlab
