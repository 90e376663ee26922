// Sweeps in the window.
#include "app/lab/lab.h"

#include "app/bench/term_bench.h"
#include "app/plots/canvas.h"
#include "app/system/built_in.h"
#include "app/system/file_names.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"

#include <algorithm>
#include <cstdio>

namespace gravlab {
namespace {

// Short enough to watch, long enough for a stable median; no measurement may block a frame.
constexpr BenchmarkPlan kWindowPlan{.repeats = 3,
                                    .warmUpSeconds = 0.1,
                                    .repetitionSeconds = 0.1,
                                    .mostSeconds = 1,
                                    .checkOnHost = false,
                                    .checkBodies = 128};

}  // namespace

SweepPoint Lab::point() const {
    return {.backend = subject_.backend,
            .options = subject_.options,
            .bodies = subject_.bodies,
            .term = subject_.term,
            .kernel = subject_.kernel,
            .plan = kWindowPlan,
            .series = {}};
}

SweepSettings Lab::settings() const {
    SweepSettings settings{.precision = subject_.precision};
    if (subject_.term != kPairLawTerm) settings.scene = subject_.scene;
    return settings;
}

void Lab::startSweep(const LabSweep& sweep, LabSubject subject) {
    cancel();
    subject_ = std::move(subject);
    cancelled_ = false;
    const KernelRow& row = termKernel(subject_.backend, subject_.term, subject_.kernel.kernel);
    const SweepPoint base = point();
    shown_ = &sweep;
    finished_.clear();
    const SweepAxis& axis = sweepAxis(sweep.axis);
    std::vector<SweepPoint> points =
        sweep.rows.empty() ? pointsAlong(axis, row, base) : pointsOver(axis, sweepAxis(sweep.rows), row, base);
    sweep_.emplace(std::move(points), settings(), maker);
    status_ = "starting";
}

const LabSweep& Lab::sweepFor(const KernelRow& kernel) const {
    return sweep_ && shown_ ? *shown_ : gravlab::sweepFor(sweepIndex, kernel);
}

void Lab::startTune(LabSubject subject) {
    cancel();
    subject_ = std::move(subject);
    cancelled_ = false;
    try {
        if (subject_.term != kPairLawTerm) {
            std::vector<SweepPoint> points;
            for (const KernelChoice& choice : termChoices(subject_.backend, subject_.term, {}, true)) {
                points.push_back(point());
                points.back().kernel = choice;
            }
            shown_ = nullptr;
            finished_.clear();
            sweep_.emplace(std::move(points), settings(), maker);
            tunesTerm_ = true;
            status_ = "starting";
            return;
        }
        tuner_.emplace(
            TuneRequest{
                .backend = subject_.backend, .options = subject_.options, .bodies = subject_.bodies, .checkOnHost = false},
            settings(), maker);
        status_ = "starting";
    } catch (const UsageError& error) {
        status_ = error.what();
    }
}

void Lab::startMemory(const LabSubject& subject) {
    cancel();
    cancelled_ = false;
    memory_ = {};
    try {
        const BackendRow& row = gravlab::backend(subject.backend);
        probe_ = memoryProbe(row.onDevice ? row.name : hostBackend().name, subject.options);
        status_ = "starting";
    } catch (const Error& error) {
        status_ = error.what();
    }
}

/// A row a frame. A device failure ends the measurement and is its status.
void Lab::advanceMemory() {
    try {
        const bool more = probe_->measure(memory_);
        const std::size_t rows = memory_.latencies.size() + memory_.strides.size() + memory_.passes.size();
        status_ = "row " + std::to_string(rows) + " of " + std::to_string(probe_->rows());
        if (more) return;
        status_ = memory_.device;
    } catch (const Error& error) {
        status_ = error.what();
    }
    probe_.reset();
}

void Lab::cancel() {
    if (!sweep_ && !tuner_ && !probe_) return;
    probe_.reset();
    if (sweep_ || tuner_)
        if (auto left = sweep_ ? sweep_->takePreparation() : tuner_->takePreparation()) leaving_.push_back(std::move(left));
    if (sweep_) {
        sweep_->cancel();
        finished_.assign(sweep_->results().begin(), sweep_->results().end());
    }
    sweep_.reset();
    tuner_.reset();
    tunesTerm_ = false;
    status_ = "cancelled";
    cancelled_ = true;
}

double Lab::progress() const {
    if (probe_) {
        const std::size_t rows = memory_.latencies.size() + memory_.strides.size() + memory_.passes.size();
        return static_cast<double>(rows) / static_cast<double>(probe_->rows());
    }
    return sweep_ ? sweep_->progress() : tuner_ ? tuner_->progress() : 0;
}

void Lab::advance(double seconds, const std::function<void()>& quieten) {
    std::erase_if(leaving_, [](const auto& preparation) { return preparation->ready(0); });
    files_.poll();
    if (!sweep_ && !tuner_ && !probe_) return;
    quieten();
    if (probe_) return advanceMemory();
    if (sweep_) {
        const bool more = sweep_->advance(seconds);
        status_ = "point " + std::to_string(std::min(sweep_->results().size() + 1, sweep_->total())) + " of " +
                  std::to_string(sweep_->total());
        if (const SweepPoint* point = sweep_->current(); point && sweep_->preparing())
            status_ += std::string(", preparing ") + grouped(point->bodies).text + " bodies";
        if (more) return;
        finished_.assign(sweep_->results().begin(), sweep_->results().end());
        sweep_.reset();
        if (std::exchange(tunesTerm_, false)) return endTermTune();
        const auto isWrong = [](const SweepResult& result) {
            return !result.row.verified && !result.refused && result.row.trap.empty();
        };
        const auto wrong = std::count_if(finished_.begin(), finished_.end(), isWrong);
        status_ = std::to_string(finished_.size()) + " points";
        for (const SweepResult& result : finished_)
            if (isWrong(result)) status_ = result.row.note;
        if (wrong > 0) status_ = std::to_string(wrong) + " points failed: " + status_;
        return;
    }
    const bool more = tuner_->advance(seconds);
    status_ = tuner_->status();
    if (more) return;
    const std::optional<TunedChoice> found = tuner_->choice();
    const SweepResult* const automatic = tuner_->automatic();
    if (!found) {
        status_ = "no launch passed its check";
    } else {
        char gain[64] = "";
        if (automatic)
            std::snprintf(gain, sizeof gain, ", %+.1f %%",
                          100 * (found->interactionsPerSecond / automatic->row.stepInteractionsPerSecond - 1));
        status_ = launchSentence(found->backend, found->kernel, found->threads) + ": " +
                  withPrefix(found->interactionsPerSecond).text + " interactions/s in whole steps" + gain;
        store(*found);
    }
    tuner_.reset();
}

/// Stores the fastest verified kernel of the term.
void Lab::endTermTune() {
    const std::optional<TunedChoice> found = tunedTerm(finished_, subject_.precision);
    status_ = "no kernel passed its check";
    if (!found) return;
    status_ = rungName(termKernel(found->backend, found->term, found->kernel.kernel)) + ": " +
              withPrefix(found->interactionsPerSecond).text + " interactions/s of the term alone";
    store(*found);
}

void Lab::store(const TunedChoice& found) {
    tuned_ = found;
    files_.post({.work =
                     [choice = found] {
                         writeTuning(tuneCachePath(), readTuning(tuneCachePath())->with(choice));
                         return std::string();
                     },
                 .done =
                     [this](const FileOutcome& outcome) {
                         if (outcome.status != FileOutcome::Status::written) status_ += "; not stored: " + outcome.sentence;
                     }});
}

std::span<const SweepResult> Lab::results() const { return sweep_ ? sweep_->results() : std::span(finished_); }

const SweepResult* Lab::best() const {
    const SweepMeasure& measure = wholeSteps ? kStepRate : kForceRate;
    const SweepResult* best = nullptr;
    for (const SweepResult& result : results())
        if (result.row.verified && (!best || measure.value(result.row) > measure.value(best->row))) best = &result;
    return best;
}

std::string Lab::title() const {
    std::string text =
        (subject_.term == kPairLawTerm ? "" : subject_.term + ":") + subject_.kernel.kernel + " on " + subject_.backend;
    if (!shown_ || shown_->axis != "bodies") text += std::string(", N = ") + grouped(subject_.bodies).text;
    return text;
}

void drawResults(ImDrawList& ink, ImVec2 from, ImVec2 to, const LabResults& shown, const PlotStyle& style) {
    const SweepMeasure& measure = shown.wholeSteps ? kStepRate : kForceRate;
    if (!shown.sweep) return;
    const SweepAxis& axis = sweepAxis(shown.sweep->axis);
    if (shown.sweep->rows.empty())
        drawPlot(ink, from, to, sweepPlot(shown.title, axis, shown.results, measure), style);
    else
        drawHeatMap(ink, from, to, sweepMap(shown.title, axis, sweepAxis(shown.sweep->rows), shown.results, measure), style);
}

FileJob Lab::csvFile() {
    const std::string name = timedName("gravlab-lab", ".csv");
    return {.work =
                [name, found = std::vector<SweepResult>(results().begin(), results().end())] {
                    writeFileAtomically(name, sweepCsv(found));
                    return "written to " + name;
                },
            .done = [this](const FileOutcome& outcome) { status_ = outcome.sentence; }};
}

/// Drawn now: its letters are those of the panels, which belong to this thread.
FileJob Lab::pngFile() {
    constexpr int kWidth = 1600, kHeight = 1000;
    const std::string name = timedName("gravlab-lab", ".png");
    Canvas canvas(kWidth, kHeight, 26);
    drawResults(canvas.list(), ImVec2(0, 0), ImVec2(kWidth, kHeight - 40), shown(),
                {.light = true, .fontScale = 1, .lineWidth = 4, .legend = true});
    canvas.list().AddRectFilled(ImVec2(0, kHeight - 40), ImVec2(kWidth, kHeight), IM_COL32_WHITE);
    const std::string device = results().empty() ? "" : results().front().row.device;
    canvas.text(canvas.small(), ImVec2(16, kHeight - 34), IM_COL32(90, 90, 90, 255),
                (device + "; each point checked against fp64; gravlab " + std::string(version())).c_str());
    return {.work =
                [name, picture = canvas.finish()] {
                    writePng(name, picture, kWidth, kHeight, {{"Software", "gravlab " + std::string(version())}});
                    return "written to " + name;
                },
            .done = [this](const FileOutcome& outcome) { status_ = outcome.sentence; }};
}

}  // namespace gravlab
