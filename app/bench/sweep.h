// Checks and times many configurations one after the other, in small steps: the one engine behind figures, `tune` and the
// sweeps of the lab. Rule: it has its own backends and never touches a running simulation.
#pragma once
#include "app/bench/benchmark.h"
#include "app/system/worker.h"
#include "sim/backends/tuning.h"
#include "sim/run/configuration.h"

#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

// Everything that a point of a sweep needs before it can be timed: scene, backend, bodies on the device. Building a million
// bodies takes longer than a frame, so it runs outside the drawing thread. Rule: one thread at a time uses a backend: the
// preparation's until it is taken, then the thread that took it.

/// One configuration, and the place of its result.
struct SweepPoint {
    std::string backend{};
    BackendOptions options{};  ///< device, threads, instruction set
    std::size_t bodies = 0;
    std::string term = std::string(kPairLawTerm);  ///< the kind of term that the kernel computes and whose rate counts
    KernelChoice kernel{};
    BenchmarkPlan plan{};
    std::string series{};  ///< curve of a plot, or row of a map
    double x = 0;          ///< place on the axis
    bool peaks = false;    ///< also query the device's limits
};

/// Settings of all points.
struct SweepSettings {
    std::string scene = "plummer";
    std::uint64_t seed = 1;
    std::string integrator = "leapfrog";
    Precision precision = Precision::fp32;
    std::optional<double> timeStep{};   ///< empty: the scene's [T]
    std::optional<double> softening{};  ///< empty: the scene's [L]
    bool unequalMasses = false;         ///< give all bodies different masses, so that no launch is tuned to equal masses
    std::shared_ptr<const Tuning> tuning{};  ///< the meaning of "auto"; null: the backend's own choice
};

/// The settings of a request; the other fields have the values above.
SweepSettings sweepSettings(const RunRequest& request);

/// Makes a backend of that name.
using BackendMaker = std::function<std::unique_ptr<Backend>(const std::string& name, const BackendOptions&)>;

/// A backend with bodies, and the trial that will time it. The next point reuses what fits it.
struct SweepBench {
    std::unique_ptr<Backend> backend;
    std::string name;
    BackendOptions options;
    ParticleSet start;             ///< the initial bodies: moved bodies would make later points differ from earlier ones
    std::unique_ptr<Trial> trial;  ///< declared after the backend, so that it is destroyed first

    void drop();
};

/// Prepares `bench` for `point`. Throws the errors of backends and scenes; the bench is then reusable.
void prepare(SweepBench& bench, const SweepPoint& point, const SweepSettings& settings, const BackendMaker& make);

/// The same in a separate thread. Its destructor waits for the thread.
class Preparation {
public:
    Preparation(SweepBench bench, SweepPoint point, SweepSettings settings, BackendMaker make);

    /// Waits for at most this time.
    bool ready(double seconds) { return worker_.wait(seconds); }
    /// Waits and returns the bench, prepared or not; `error` holds an exception of the preparation. Call it once.
    SweepBench take(std::exception_ptr& error);

private:
    struct Prepared {
        SweepBench bench;
        std::exception_ptr error{};
    };
    Worker<SweepBench, Prepared> worker_;
};

/// The result of a point. `row.verified` says whether it has rates, `row.note` why not: refused, wrong, or failed.
struct SweepResult {
    SweepPoint point{};
    BenchmarkRow row{};
    LaunchFacts facts{};   ///< of the timed launch
    DevicePeaks peaks{};   ///< when the point requests them
    bool refused = false;  ///< row or device refuses it: nothing was run
};

/// A result without rates; `note` says why.
SweepResult notMeasured(const SweepPoint& point, std::string note, bool refused);

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
    void store(SweepResult result);
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
    std::string_view name;
    double (*value)(std::span<const SweepResult> results, const SweepResult& of);
};
/// All results as CSV, with a head line: series and x, the columns of a benchmark, the facts of the launch, `more`, and the
/// present date.
std::string sweepCsv(std::span<const SweepResult> results, std::span<const SweepColumn> more = {});
/// "2026-11-22".
std::string dateOfToday();

/// Runs the sweep to its end. Throws Error with exit code 130 or 143 on an interrupt, and checkFailed when no point gave a
/// rate. True when every launchable point passed its check.
bool measureAll(Sweep& sweep);

}  // namespace gravlab
