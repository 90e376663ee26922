// The work behind the lab's panel: sweeps and searches that run inside the frame loop, their results, and their export.
// Rule: requests queue work, advance() does it; the lab never touches the running simulation.
#pragma once
#include "app/bench/pair_matrix.h"
#include "app/bench/sweep_axis.h"
#include "app/bench/tuner.h"
#include "app/files/file_jobs.h"
#include "app/plots/plot.h"
#include "app/tables/lab_sweep.h"
#include "sim/backends/memory_probe.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gravlab {

/// The run from which a sweep starts.
struct LabResults {
    const LabSweep* sweep = nullptr;  ///< null: nothing was measured
    std::string title;
    std::span<const SweepResult> results;
    bool wholeSteps = false;  ///< which rate is drawn
};
void drawResults(ImDrawList& ink, ImVec2 from, ImVec2 to, const LabResults& shown, const PlotStyle& style);

struct LabSubject {
    std::string backend{};
    BackendOptions options{};
    std::string term = std::string(kPairLawTerm);  ///< the kind of term that is measured
    std::string scene{};                           ///< has the term; not used for the pair law
    KernelInUse kernel{};
    std::size_t bodies = 0;
    Precision precision = Precision::fp32;
};

class Lab {
public:
    /// Copies of the panel's choices.
    std::size_t sweepIndex = 0;  ///< index in labSweeps()
    bool wholeSteps = false;     ///< which rate is drawn
    PairMatrix matrix;           ///< updated while its page is shown
    Sweep::Maker maker{};        ///< replaces the table of backends, for tests

    /// Begins a sweep at the next advance(); a running one is ended first.
    void startSweep(const LabSweep& sweep, LabSubject subject);
    void startTune(LabSubject subject);
    /// Begins to time the memories of a backend; a running measurement is ended first.
    void startMemory(const LabSubject& subject);
    /// The chosen sweep, or the first that applies to this kernel when the chosen one does not.
    const LabSweep& sweepFor(const KernelRow& kernel) const;
    void cancel();
    /// Whether the last measurement was cancelled.
    bool cancelled() const { return cancelled_; }

    bool busy() const { return sweep_ || tuner_ || probe_ || files_.busy(); }
    bool tuning() const { return tuner_ || tunesTerm_; }
    double progress() const;
    /// One line: the present measurement, or how it ended.
    const std::string& status() const { return status_; }

    /// Works for about `seconds`. Calls `quieten` first, which waits for other work on the device, so that it is not
    /// measured. Never throws for a device failure: that is a status.
    void advance(double seconds, const std::function<void()>& quieten);
    /// A choice that a search has found and stored, once.
    std::optional<TunedChoice> takeTuned() { return std::exchange(tuned_, std::nullopt); }

    /// Times of memories; rows are added while they are measured.
    const MemoryTimes& memory() const { return memory_; }
    /// The results of the last sweep; they grow while it runs.
    std::span<const SweepResult> results() const;
    const SweepResult* best() const;
    LabResults shown() const { return {shown_, title(), results(), wholeSteps}; }

    /// What writes gravlab-lab-DATE.csv or .png into the current folder; the status says how that ended. The lab outlives
    /// it.
    FileJob csvFile();
    FileJob pngFile();

private:
    std::string title() const;
    SweepPoint point() const;
    SweepSettings settings() const;
    void endTermTune();
    void store(const TunedChoice& found);
    void advanceMemory();

    std::optional<Sweep> sweep_;
    bool tunesTerm_ = false;  ///< the sweep is the search for the best kernel of a term
    std::optional<Tuner> tuner_;
    std::unique_ptr<MemoryProbe> probe_;
    MemoryTimes memory_;
    const LabSweep* shown_ = nullptr;
    LabSubject subject_;
    std::vector<SweepResult> finished_;
    std::string status_;
    bool cancelled_ = false;
    std::optional<TunedChoice> tuned_;
    std::vector<std::unique_ptr<Preparation>> leaving_;  ///< of what was cancelled: nobody waits for them
    FileJobs files_;                                     ///< what a search has found, to be stored
};

}  // namespace gravlab
