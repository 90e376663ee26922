// Many configurations, checked and timed one after the other, little by little: the one engine behind figures, `tune` and
// the sweeps of the lab. Rule: it has backends of its own and never touches a running simulation.
#pragma once
#include "app/bench/sweep_bench.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// What came of it. `row.verified` says whether there are rates, `row.note` why not: refused, wrong, or failed.
struct SweepResult {
    SweepPoint point;
    BenchmarkRow row;
    LaunchFacts facts;     ///< of the launch that was timed
    DevicePeaks peaks;     ///< where the point asked for them
    bool refused = false;  ///< row or device cannot do it: nothing was run
};

class Sweep {
public:
    using Maker = BackendMaker;

    /// Points are worked off in their order; neighbours with the same backend and bodies share what was loaded. `make`
    /// replaces the table of backends. Throws UsageError for an unknown scene or integrator.
    Sweep(std::vector<SweepPoint> points, SweepSettings settings, Maker make = {});
    ~Sweep();

    /// Works for about `seconds` and waits for its own work. True while there is more to do. A point that is refused, wrong
    /// or fails becomes a result that says so; only an interrupt is thrown. Returns early while a point is being prepared,
    /// which a thread of its own does, however many bodies it has.
    bool advance(double seconds);
    bool preparing() const { return preparation_ != nullptr; }
    /// What is being prepared, for who ends the sweep and does not want to wait for that; null when nothing is.
    std::unique_ptr<Preparation> takePreparation() { return std::move(preparation_); }
    /// Ends it. What has been measured stays.
    void cancel();
    bool finished() const { return next_ == points_.size(); }
    bool cancelled() const { return cancelled_; }
    /// 0..1, the point under way included.
    double progress() const;
    std::size_t total() const { return total_; }
    /// The point under way; null when there is none.
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

/// True when a result stands for more steps than were made: its plan named a number and time ran out.
bool isExtrapolated(const SweepResult& result);

/// A column beside those that every sweep has. 0: an empty cell.
struct SweepColumn {
    std::string name;
    std::function<double(const SweepResult& result)> value;
};
/// All results as CSV, with a head line: series and x, the columns of a benchmark, the facts of the launch, `more`, and the
/// date of today.
std::string sweepCsv(std::span<const SweepResult> results, std::span<const SweepColumn> more = {});
/// "2026-11-22".
std::string dateOfToday();

}  // namespace gravlab
