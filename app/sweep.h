// Many configurations, checked and timed one after the other, little by little: the one engine behind figures, `tune` and
// the sweeps of the lab. Rule: it has backends of its own and never touches a running simulation.
#pragma once
#include "app/benchmark.h"
#include "sim/tuning.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// One configuration, and where its result belongs.
struct SweepPoint {
    std::string backend;
    BackendOptions options;  ///< device, threads, instruction set
    std::size_t bodies = 0;
    KernelChoice kernel;
    BenchmarkPlan plan;
    std::string series;  ///< curve of a plot, or row of a map
    double x = 0;        ///< where it is drawn
};

/// What came of it. `row.verified` says whether there are rates, `row.note` why not: refused, wrong, or failed.
struct SweepResult {
    SweepPoint point;
    BenchmarkRow row;
    LaunchFacts facts;     ///< of the launch that was timed
    bool refused = false;  ///< row or device cannot do it: nothing was run
};

/// What all points have in common.
struct SweepSettings {
    std::string scene = "plummer";
    std::uint64_t seed = 1;
    std::string integrator = "leapfrog";
    Precision precision = Precision::fp32;
    double timeStep = 0;                     ///< 0: the scene's [T]
    double softening = -1;                   ///< < 0: the scene's [L]
    bool unequalMasses = false;              ///< no two bodies weigh the same, so that nothing is tuned to equal masses
    std::shared_ptr<const Tuning> tuning{};  ///< what "auto" means; null: the backend's own choice
};

class Sweep {
public:
    using Maker = std::function<std::unique_ptr<Backend>(const std::string& name, const BackendOptions&)>;

    /// Points are worked off in their order; neighbours with the same backend and bodies share what was loaded. `make`
    /// replaces the table of backends. Throws UsageError for an unknown scene or integrator.
    Sweep(std::vector<SweepPoint> points, SweepSettings settings, Maker make = {});
    ~Sweep();

    /// Works for about `seconds` and waits for its own work. True while there is more to do. A point that is refused, wrong
    /// or fails becomes a result that says so; only an interrupt is thrown.
    bool advance(double seconds);
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
    void begin();
    void store(BenchmarkRow row, bool refused);
    void fail(const std::string& note, bool refused);
    void dropBackend();

    std::vector<SweepPoint> points_;
    SweepSettings settings_;
    Maker make_;
    std::size_t next_ = 0, total_ = 0;
    bool cancelled_ = false;
    std::vector<SweepResult> results_;

    std::unique_ptr<Backend> backend_;
    std::string madeName_;
    BackendOptions madeOptions_;
    std::size_t loadedBodies_ = 0;
    ParticleSet start_;
    std::optional<Trial> trial_;  // before backend_ goes
};

/// The verified result with the highest rate of whole steps; null when there is none.
const SweepResult* bestOf(std::span<const SweepResult> results);

/// True when a result stands for more steps than were made: its plan named a number and time ran out.
bool isExtrapolated(const SweepResult& result);

/// All results as CSV, with a head line: series and x, the columns of a benchmark, the facts of the launch.
std::string sweepCsv(std::span<const SweepResult> results);

}  // namespace gravlab
