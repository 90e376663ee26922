#include "app/lab/lab_loop.h"

#include "app/bench/kernel_source.h"
#include "app/lab/pair_numbers.h"
#include "app/system/file_names.h"
#include "app/system/host_clock.h"
#include "render/finish_drawing.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <new>
#include <utility>

namespace gravlab {
namespace {

/// Ends a trial that cannot begin, with the reason.
void refuse(OwnResult& own, const std::string& why) {
    own.trying = false;
    own.outcome = OwnOutcome::failed;
    own.sentence = why;
}

}  // namespace

void OwnBench::advance(const ServiceFrame& frame) {
    OwnResult& own = frame.reports.own;
    if (std::exchange(wanted_, false)) {
        trial_.reset();
        prepare(frame);
    }
    if (state_.waiting()) begin(frame);
    if (!trial_) return;
    const std::optional<OwnTrialReply> reply = trial_->poll();
    own.stage = trial_->stage();
    if (!reply) return;
    own.trying = false;
    finish(frame, trial_->request(), *reply);
    trial_.reset();
}

void OwnBench::prepare(const ServiceFrame& frame) {
    OwnResult& own = frame.reports.own;
    own.tried = frame.document.labPanel.own.text;
    own.outcome = OwnOutcome::unfinished;
    own.sentence.clear();
    own.messages.clear();
    own.secondsPerForce = 0;
    own.trying = true;
    own.stage = "starting";
    state_ = frame.runs.first().feed().hold();
}

void OwnBench::begin(const ServiceFrame& frame) {
    OwnResult& own = frame.reports.own;
    try {
        const std::shared_ptr<const FedState> state = state_.take();
        if (!state) return;
        trial_ = std::make_unique<OwnTrial>(OwnTrialRequest{.text = *own.tried,
                                                            .file = own.file,
                                                            .device = state->configuration.backendOptions.device,
                                                            .softening = state->force.softening,
                                                            .bodies = inSingle(state->state.bodies)});
    } catch (const DeviceError&) {
        throw;  // no run is left whose bodies a trial could take
    } catch (const Error& error) {
        refuse(own, error.what());
    } catch (const std::bad_alloc&) {
        refuse(own, "There is not enough memory for a copy of the bodies.");
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
        use.found.backend = deviceBackend().name;
        use.found.kernel.kernel = row.name;
        frame.posted.push_back({{std::move(use)}, Sender::lab});
    } catch (const Error& error) {
        refuse(own, error.what());
    }
}

FileJob kernelFile(const OwnKernel& own, OwnResult& result, const std::string& file) {
    // An editor writes the file that it has opened.
    const std::string name = file.empty() ? own.file : file;
    const bool same = file.empty() || sameFile(file, own.file);
    return {.work =
                [name, same, text = own.text] {
                    writeFileAtomically(name, *text, {.mayReplaceRead = same});
                    return "written to " + name;
                },
            .done =
                [&result, name](const FileOutcome& outcome) {
                    if (outcome.status == FileOutcome::Status::written) result.file = name;
                    result.sentence = outcome.sentence;
                }};
}

namespace {

LabSubject subjectOf(const Document& document) {
    const RunConfiguration& running = document.facts.configuration;
    const std::string term(rowOf(document.facts, document.labPanel.term).term);
    return {.backend = running.backend,
            .options = running.backendOptions,
            .term = term,
            .scene = running.scene,
            .kernel = std::ranges::find(running.terms, term, &TermInUse::term)->kernel,
            .bodies = running.bodies,
            .precision = running.force.precision};
}

/// 16.8 million numbers as text take seconds, so they are made where the file is written.
FileJob matrixFile(const Document& document, const DocumentReports& reports, RunHost& host, const char* ending) {
    const std::string name = timedName("gravlab-matrix", ending);
    const auto state = std::make_shared<std::shared_ptr<const FedState>>();
    return {.work =
                [name, state, value = document.labPanel.matrix] {
                    writePairNumbers(name, (*state)->state.bodies.position, (*state)->force, value);
                    return "written to " + name;
                },
            .done = [&said = reports.matrixSaved](const FileOutcome& outcome) { said = outcome.sentence; },
            .ready = [state, ticket = std::make_shared<StateTicket>(
                                 host.first().feed().hold())] { return (*state = ticket->take()) != nullptr; }};
}

}  // namespace

std::optional<FileJob> labFile(const Measure& wanted, Lab& lab, const Document& document, const DocumentReports& reports,
                               RunHost& host) {
    lab.wholeSteps = document.labPanel.wholeSteps;
    if (wanted.what == Measure::What::csv) return lab.csvFile();
    if (wanted.what == Measure::What::png) return lab.pngFile();
    if (wanted.what == Measure::What::matrixCsv) return matrixFile(document, reports, host, ".csv");
    if (wanted.what == Measure::What::matrixNpy) return matrixFile(document, reports, host, ".npy");
    return std::nullopt;
}

void LabLoop::follow(const Document& document) {
    lab_.sweepIndex = document.labPanel.sweep;
    lab_.wholeSteps = document.labPanel.wholeSteps;
}

EffectResult LabLoop::carryOut(const Measure& measure, const Document& document, const DocumentReports& reports) {
    follow(document);
    const RunFacts& facts = document.facts;
    if (measure.what == Measure::What::sweep) {
        const LabSubject subject = subjectOf(document);
        lab_.startSweep(lab_.sweepFor(rowOf(facts, subject.term)), subject);
    }
    if (measure.what == Measure::What::tune) lab_.startTune(subjectOf(document));
    if (measure.what == Measure::What::memory) lab_.startMemory(subjectOf(document));
    if (measure.what == Measure::What::cancel) lab_.cancel();
    // Known at once, so that the next command of this frame sees it.
    reports.facts.labBusy = lab_.busy();
    reports.facts.labStatus = lab_.status();
    return {};
}

void LabLoop::tryKernel(const DocumentReports& reports) {
    own_.ask();
    reports.own.trying = true;
}

void LabLoop::advance(const ServiceFrame& frame) {
    const Document& document = frame.document;
    follow(document);
    if (frame.realTime) measure(frame);
    refreshMatrix(document, frame.runs, frame.realTime);
    const LabPanel& panel = document.labPanel;
    shown_ = panel.own.trying || (panel.visits && panel.shows(LabPage::matrix)) || (panel.open && lab_.matrix.waiting());
}

void LabLoop::readFacts(RunFacts& facts) const {
    facts.labBusy = lab_.busy();
    if (facts.labStatus != lab_.status()) facts.labStatus = lab_.status();
    facts.labBest.reset();
    if (const SweepResult* best = lab_.best())
        facts.labBest = LabBest{
            best->point.term,
            {best->point.term == kPairLawTerm ? best->row.kernel : nameOf(best->point.kernel), best->point.kernel.launch},
            best->point.options.threads};
}

void LabLoop::measure(const ServiceFrame& frame) {
    const Document& document = frame.document;
    RunHost& host = frame.runs;
    constexpr double kFactsInterval = 0.5;  // [s]; querying the driver costs some microseconds
    if (const double now = hostClock(); document.labPanel.open && now - launchReadAt_ > kFactsInterval) {
        launchReadAt_ = now;
        frame.reports.facts.launch = host.simulation().backend().launchFacts();
        frame.reports.facts.figures = host.simulation().backend().figures();
    }
    own_.advance(frame);
    if (!document.labPanel.open && lab_.busy()) lab_.cancel();
    // Wait only while measuring: other work on the device would count as the kernel's.
    constexpr double kLeastSlice = 0.02;  // [s]; a shorter measurement would be mostly overhead
    lab_.advance(std::max(document.intent.timeBudgetMs * 1e-3, kLeastSlice), [&] {
        host.simulation().backend().wait();
        finishDrawing();
    });
    if (std::optional<TunedChoice> found = lab_.takeTuned())
        frame.posted.push_back({{UseTuned{std::move(*found)}}, Sender::lab});
}

void LabLoop::refreshMatrix(const Document& document, RunHost& host, bool realTime) {
    constexpr double kInterval = 0.12;  // [s]
    if (!document.labPanel.shows(LabPage::matrix)) return;
    const double now = hostClock();
    const RunFacts& facts = document.facts;
    PairMatrix& matrix = lab_.matrix;
    Backend& backend = host.simulation().backend();
    matrix.poll(backend);
    matrix.show(document.labPanel.matrix);
    if (matrixValue_ != document.labPanel.matrix) matrixStep_ = -1;
    matrixValue_ = document.labPanel.matrix;
    const bool asks = matrix.wantsPair();
    if (realTime && !asks && now - matrixMadeAt_ < kInterval) return;
    if (matrixStep_ == facts.step && matrixRun_ == facts.bodiesId && matrixRevision_ == facts.revision && !asks) return;
    matrixMadeAt_ = now;
    matrixStep_ = facts.step;
    matrixRun_ = facts.bodiesId;
    matrixRevision_ = facts.revision;
    if (matrix.paint(backend, facts.configuration.backendOptions.device)) {
        if (realTime) return;
        backend.wait();  // a film shows the numbers of its own frame
        matrix.poll(backend);
        return;
    }
    ParticleSet bodies;
    if (facts.configuration.bodies <= PairMatrix::kMostBodies) host.simulation().snapshot(bodies);
    matrix.compute(bodies.position, host.simulation().force());
    matrix.upload();
}

void LabLoop::dropPicture() {
    lab_.matrix.forgetTexture();
    matrixStep_ = -1;
}

}  // namespace gravlab
