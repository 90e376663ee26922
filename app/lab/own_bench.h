// Tries a user's own kernel: a trial beside the frames, and the use of its result. Rule: compile only on request, and only a
// kernel that passed its trial enters the run.
#pragma once
#include "app/bench/own_trial.h"
#include "app/control/host.h"
#include "app/services/run_host.h"

#include <memory>
#include <string>

namespace gravlab {

class OwnBench {
public:
    /// Requests a trial of the text at the next advance().
    void ask() { wanted_ = true; }
    /// Begins a requested trial with the bodies of the run, and collects a finished one. Never waits.
    void advance(Document& document, RunHost& host);
    /// Writes the text into that file, or, without a name, into the default file. The result also appears as a sentence in
    /// the panel.
    static EffectResult save(OwnKernel& own, const std::string& file);

private:
    void begin(Document& document, RunHost& host);
    static void finish(Document& document, const OwnTrialRequest& request, const OwnTrialReply& reply);

    bool wanted_ = false;
    std::unique_ptr<OwnTrial> trial_;
};

}  // namespace gravlab
