// The bench at which a kernel of one's own is tried: a trial beside the frames, and what becomes of its result.
// Rule: only what was asked for is compiled, and only what passed its trial comes to the run.
#pragma once
#include "app/bench/own_trial.h"
#include "app/services/run_host.h"

#include <memory>

namespace gravlab {

class OwnBench {
public:
    /// Asks for a trial of the text at the next advance().
    void ask() { wanted_ = true; }
    /// Begins what was asked for with the bodies of the run, and takes up what has ended. Never waits.
    void advance(Document& document, RunHost& host);
    /// Writes the text into the file that was named, or one of its own name. What became of it is a sentence there.
    static void save(OwnKernel& own);

private:
    void begin(Document& document, RunHost& host);
    static void finish(Document& document, const OwnTrialRequest& request, const OwnTrialReply& reply);

    bool wanted_ = false;
    std::unique_ptr<OwnTrial> trial_;
};

}  // namespace gravlab
