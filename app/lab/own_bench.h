// Tries a user's own kernel: a trial beside the frames, and the use of its result. Rule: compile only on request, and only a
// kernel that passed its trial enters the run.
#pragma once
#include "app/bench/own_trial.h"
#include "app/services/service.h"
#include "app/system/file_jobs.h"

#include <memory>
#include <string>

namespace gravlab {

/// The job that writes the text into that file, or, without a name, into its default file. The panel also shows the result.
/// `result` outlives it.
FileJob kernelFile(const OwnKernel& own, OwnResult& result, const std::string& file);

class OwnBench {
public:
    /// Requests a trial of the text at the next advance().
    void ask() { wanted_ = true; }
    /// Begins a requested trial with the bodies of the run, and collects a finished one. Never waits.
    void advance(const ServiceFrame& frame);

private:
    void begin(const ServiceFrame& frame);
    static void finish(const ServiceFrame& frame, const OwnTrialRequest& request, const OwnTrialReply& reply);

    bool wanted_ = false;
    std::unique_ptr<OwnTrial> trial_;
};

}  // namespace gravlab
