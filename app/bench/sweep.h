// Checks and times many configurations one after the other, in small steps: the one engine behind figures, `tune` and the
// sweeps of the lab. Rule: it has its own backends and never touches a running simulation.
#pragma once
#include "app/bench/sweep_bench.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// The result of a point. `row.verified` says whether it has rates, `row.note` why not: refused, wrong, or failed.
struct SweepResult {
    SweepPoint point;
    BenchmarkRow row;
    LaunchFacts facts;     ///< of the timed launch
    DevicePeaks peaks;     ///< when the point requests them
    bool refused = false;  ///< row or device refuses it: nothing was run
};

class Sweep {
public:
    using Maker = BackendMaker;

    /// Points are measured in order; neighbours with the same backend and bodies use the same loaded ones. `make` replaces
    /// the table of backends. Throws UsageError for an unknown scene or integrator.
    Sweep(std::vector<SweepPoint> points, SweepSettings settings, Maker make = {});
    ~Sweep();

    /// Works for about `seconds` and waits for its own work. True while points remain. A refused, wrong or failed point
    /// becomes a result with the reason; only an interrupt is thrown. Returns early while a point is being prepared in a
    /// separate thread, however many bodies it has.
    bool advance(double seconds);
    bool preparing() const { return preparation_ != nullptr; }
    /// Moves the pending preparation out, for a caller that ends the sweep without waiting; null when there is none.
    std::unique_ptr<Preparation> takePreparation() { return std::move(preparation_); }
    /// Ends the sweep. Finished results stay.
    void cancel();
    bool finished() const { return next_ == points_.size(); }
    bool cancelled() const { return cancelled_; }
    /// 0..1, the present point included.
    double progress() const;
    std::size_t total() const { return total_; }
    /// The present point; null when there is none.
    const SweepPoint* current() const { return finished() ? nullptr : &points_[next_]; }
    std::span<const SweepResult> results() const { return results_; }
    const SweepSettings& settings() const { return settings_; }

private:
    bool begin(double seconds);
    void store(BenchmarkRow row, bool refused);
    void fail(const std::string& note, bool refused);

    std::vector<SweepPoint> points_;
    SweepSettings settings_;
    Maker make_;
    std::size_t next_ = 0, total_ = 0;
    bool cancelled_ = false;
    std::vector<SweepResult> results_;

    SweepBench bench_;
    std::unique_ptr<Preparation> preparation_;
};

/// The verified result with the highest rate of whole steps; null when there is none.
const SweepResult* bestOf(std::span<const SweepResult> results);

/// Whether a result represents more steps than were run, because the time of the plan ended first.
bool isExtrapolated(const SweepResult& result);

/// A column beside those of every sweep. 0: an empty cell.
struct SweepColumn {
    std::string name;
    std::function<double(const SweepResult& result)> value;
};
/// All results as CSV, with a head line: series and x, the columns of a benchmark, the facts of the launch, `more`, and the
/// present date.
std::string sweepCsv(std::span<const SweepResult> results, std::span<const SweepColumn> more = {});
/// What sweepCsv() wrote, as far as pictures need it; peaks and figures of methods are not among it. Throws InputError,
/// which names the file, for another table.
std::vector<SweepResult> sweepResultsOf(std::string_view csv, const std::string& file);
/// "2026-11-22".
std::string dateOfToday();

/// Runs the sweep to its end. Throws Error with exit code 130 or 143 on an interrupt, and checkFailed when no point gave a
/// rate. True when every launchable point passed its check.
bool measureAll(Sweep& sweep);

}  // namespace gravlab
