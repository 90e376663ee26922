#include "app/lab/own_bench.h"

#include "app/bench/kernel_source.h"
#include "app/services/run_host.h"
#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"

#include <utility>

namespace gravlab {

void OwnBench::advance(const ServiceFrame& frame) {
    OwnResult& own = frame.reports.own;
    if (std::exchange(wanted_, false)) {
        trial_.reset();
        begin(frame);
    }
    if (!trial_) return;
    const std::optional<OwnTrialReply> reply = trial_->poll();
    own.stage = trial_->stage();
    if (!reply) return;
    own.trying = false;
    finish(frame, trial_->request(), *reply);
    trial_.reset();
}

void OwnBench::begin(const ServiceFrame& frame) {
    OwnResult& own = frame.reports.own;
    const std::string& text = frame.document.labPanel.own.text;
    const RunConfiguration& run = frame.document.facts.configuration;
    own.tried = text;
    own.outcome = OwnOutcome::unfinished;
    own.sentence.clear();
    own.messages.clear();
    own.secondsPerForce = 0;
    own.trying = true;
    own.stage = "starting";
    ParticleSet bodies;
    frame.runs.simulation().snapshot(bodies);
    try {
        trial_ = std::make_unique<OwnTrial>(OwnTrialRequest{.text = text,
                                                            .file = own.file,
                                                            .device = run.backendOptions.device,
                                                            .softening = run.force.softening,
                                                            .bodies = inSingle(bodies)});
    } catch (const Error& error) {
        own.trying = false;
        own.outcome = OwnOutcome::failed;
        own.sentence = error.what();
    }
}

void OwnBench::finish(const ServiceFrame& frame, const OwnTrialRequest& request, const OwnTrialReply& reply) {
    OwnResult& own = frame.reports.own;
    own.outcome = reply.outcome;
    own.sentence = reply.sentence;
    own.messages = reply.code.messages;
    own.secondsPerForce = reply.secondsPerForce;
    own.bodies = request.bodies.size();
    if (reply.outcome != OwnOutcome::good) return;
    if (own.tried == frame.document.labPanel.own.exercise) own.exerciseSeconds = reply.secondsPerForce;
    try {
        const KernelRow& row =
            adoptOwnKernel("own", reply.code, ownLaunch(request.text, request.file), request.bodies.size());
        showOwnSource(row.name, request.text);
        own.kernel = row.name;
        // Sets backend and kernel as a user's choice would: refused in a sentence when the run cannot use them.
        UseTuned use;
        use.found.backend = kOwnKernelBackend;
        use.found.kernel.kernel = row.name;
        frame.posted.push_back({{std::move(use)}, Sender::lab});
    } catch (const Error& error) {
        own.outcome = OwnOutcome::failed;
        own.sentence = error.what();
    }
}

FileJob kernelFile(const OwnKernel& own, OwnResult& result, const std::string& file) {
    // An editor writes the file that it has opened.
    const std::string name = file.empty() ? own.file : file;
    const bool same = file.empty() || sameFile(file, own.file);
    return {.work =
                [name, same, text = own.text] {
                    writeFileAtomically(name, text, {.mayReplaceRead = same});
                    return "written to " + name;
                },
            .done =
                [&result, name](const FileOutcome& outcome) {
                    if (outcome.status == FileOutcome::Status::written) result.file = name;
                    result.sentence = outcome.sentence;
                }};
}

}  // namespace gravlab
