// Everything that a point of a sweep needs before it can be timed: scene, backend, bodies on the device. Building a million
// bodies takes longer than a frame, so it runs outside the drawing thread. Rule: one thread at a time uses a backend: the
// preparation's until it is taken, then the thread that took it.
#pragma once
#include "app/bench/benchmark.h"
#include "app/system/worker.h"
#include "sim/backends/tuning.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>

namespace gravlab {

/// One configuration, and the place of its result.
struct SweepPoint {
    std::string backend;
    BackendOptions options;  ///< device, threads, instruction set
    std::size_t bodies = 0;
    std::string term = std::string(kPairLawTerm);  ///< the kind of term that the kernel computes and whose rate counts
    KernelChoice kernel;
    BenchmarkPlan plan;
    std::string series;  ///< curve of a plot, or row of a map
    double x = 0;        ///< place on the axis
    bool peaks = false;  ///< also query the device's limits
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

}  // namespace gravlab
