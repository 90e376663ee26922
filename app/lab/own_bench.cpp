#include "app/lab/own_bench.h"

#include "app/bench/kernel_source.h"
#include "app/tables/format.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"

#include <utility>

namespace gravlab {

void OwnBench::advance(Document& document, RunHost& host) {
    OwnKernel& own = document.labPanel.own;
    if (std::exchange(wanted_, false)) {
        trial_.reset();
        begin(document, host);
    }
    if (!trial_) return;
    const std::optional<OwnTrialReply> reply = trial_->poll();
    own.stage = trial_->stage();
    if (!reply) return;
    own.trying = false;
    finish(document, trial_->request(), *reply);
    trial_.reset();
}

void OwnBench::begin(Document& document, RunHost& host) {
    OwnKernel& own = document.labPanel.own;
    own.tried = own.text;
    own.outcome = OwnOutcome::unfinished;
    own.sentence.clear();
    own.messages.clear();
    own.secondsPerForce = 0;
    own.trying = true;
    own.stage = "starting";
    ParticleSet bodies;
    host.simulation().snapshot(bodies);
    try {
        trial_ = std::make_unique<OwnTrial>(OwnTrialRequest{.text = own.text,
                                                            .file = own.file,
                                                            .device = document.facts.configuration.backendOptions.device,
                                                            .softening = document.facts.configuration.force.softening,
                                                            .bodies = inSingle(bodies)});
    } catch (const Error& error) {
        own.trying = false;
        own.outcome = OwnOutcome::failed;
        own.sentence = error.what();
    }
}

void OwnBench::finish(Document& document, const OwnTrialRequest& request, const OwnTrialReply& reply) {
    OwnKernel& own = document.labPanel.own;
    own.outcome = reply.outcome;
    own.sentence = reply.sentence;
    own.messages = reply.code.messages;
    own.secondsPerForce = reply.secondsPerForce;
    own.bodies = request.bodies.size();
    if (reply.outcome != OwnOutcome::good) return;
    if (own.tried == own.exercise) own.exerciseSeconds = reply.secondsPerForce;
    try {
        const KernelRow& row =
            adoptOwnKernel("own", reply.code, ownLaunch(request.text, request.file), request.bodies.size());
        showOwnSource(row.name, request.text);
        own.kernel = row.name;
        // Sets backend and kernel as a user's choice would: refused in a sentence when the run cannot use them.
        RunRequest& wanted = document.intent.request;
        if (document.facts.configuration.backend != kOwnKernelBackend) wanted.changeBackend(std::string(kOwnKernelBackend));
        wanted.pairs().kernel = {std::string(row.name), {}};
    } catch (const Error& error) {
        own.outcome = OwnOutcome::failed;
        own.sentence = error.what();
    }
}

FileJob kernelFile(OwnKernel& own, const std::string& file) {
    // An editor writes the file that it has opened.
    const std::string name = file.empty() ? own.file : file;
    const bool same = file.empty() || sameFile(file, own.file);
    return {.work =
                [name, same, text = own.text] {
                    writeFileAtomically(name, text, {.mayReplaceRead = same});
                    return "written to " + name;
                },
            .done =
                [&own, name](const FileOutcome& outcome) {
                    if (outcome.status == FileOutcome::Status::written) own.file = name;
                    own.sentence = outcome.sentence;
                }};
}

}  // namespace gravlab
