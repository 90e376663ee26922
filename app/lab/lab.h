// What the lab does behind its panel: sweeps and searches that run inside the frame loop, their results, and their export.
// Rule: it asks for work in requests and does it in advance(); nothing of it touches the running simulation.
#pragma once
#include "app/bench/pair_matrix.h"
#include "app/bench/sweep_axis.h"
#include "app/bench/tuner.h"
#include "app/control/host.h"
#include "app/plots/plot.h"
#include "app/tables/lab_sweep.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

/// Results of a sweep, as a curve or a map shows them.
struct LabResults {
    const LabSweep* sweep = nullptr;  ///< null: nothing was measured
    std::string title;
    std::span<const SweepResult> results;
    bool wholeSteps = false;  ///< which rate is drawn
};
/// Nothing of no results.
void drawResults(ImDrawList& list, ImVec2 from, ImVec2 to, const LabResults& shown, const PlotStyle& style);

/// The run that a sweep starts from.
struct LabSubject {
    std::string backend;
    BackendOptions options;
    KernelInUse kernel;
    std::size_t bodies = 0;
    Precision precision = Precision::fp32;
};

class Lab {
public:
    /// As the panel of the document says.
    std::size_t sweepIndex = 0;  ///< of labSweeps()
    bool wholeSteps = false;     ///< which rate is drawn
    PairMatrix matrix;           ///< kept new while its page is shown
    Sweep::Maker maker{};        ///< replaces the table of backends, for tests

    /// Begins a sweep at the next advance(); one that runs is ended first.
    void startSweep(const LabSweep& sweep, LabSubject subject);
    void startTune(LabSubject subject);
    /// The sweep that was chosen, or the first that this kernel can walk along where it cannot walk along that one.
    const LabSweep& sweepFor(const KernelRow& kernel) const;
    void cancel();
    /// The last measurement was ended before its end.
    bool cancelled() const { return cancelled_; }

    bool busy() const { return sweep_ || tuner_; }
    bool tuning() const { return tuner_.has_value(); }
    double progress() const;
    /// One line: what is measured now, or how it ended.
    const std::string& status() const { return status_; }

    /// Works for about `seconds`. `quieten` is called first: it lets work of others on the device end, so that it is not
    /// measured. Never throws for a device: that is a status.
    void advance(double seconds, const std::function<void()>& quieten);
    /// A choice that a search has found and stored, once.
    std::optional<TunedChoice> takeTuned() { return std::exchange(tuned_, std::nullopt); }

    /// The results of the last sweep; they grow while it runs.
    std::span<const SweepResult> results() const;
    const SweepResult* best() const;
    LabResults shown() const { return {shown_, title(), results(), wholeSteps}; }

    /// Write gravlab-lab-DATE.csv or .png into the current folder and say so in the status.
    EffectResult exportCsv();
    EffectResult exportPng();

private:
    std::string title() const;

    std::optional<Sweep> sweep_;
    std::optional<Tuner> tuner_;
    const LabSweep* shown_ = nullptr;
    LabSubject subject_;
    std::vector<SweepResult> finished_;
    std::string status_;
    bool cancelled_ = false;
    std::optional<TunedChoice> tuned_;
    std::vector<std::unique_ptr<Preparation>> leaving_;  ///< of what was cancelled: nobody waits for them
};

}  // namespace gravlab
