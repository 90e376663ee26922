// What a point of a sweep needs before it can be timed: scene, backend, bodies on the device. Building a million bodies
// takes longer than a frame, so it happens beside the thread of the picture. Rule: a backend is driven by one thread at a
// time: by the preparation's until it is taken, then by whoever took it.
#pragma once
#include "app/bench/benchmark.h"
#include "app/system/worker.h"
#include "sim/backends/tuning.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>

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
    bool peaks = false;  ///< what the device can do at most is wanted, too
};

/// What all points have in common.
struct SweepSettings {
    std::string scene = "plummer";
    std::uint64_t seed = 1;
    std::string integrator = "leapfrog";
    Precision precision = Precision::fp32;
    std::optional<double> timeStep{};        ///< empty: the scene's [T]
    std::optional<double> softening{};       ///< empty: the scene's [L]
    bool unequalMasses = false;              ///< no two bodies weigh the same, so that nothing is tuned to equal masses
    std::shared_ptr<const Tuning> tuning{};  ///< what "auto" means; null: the backend's own choice
};

/// Makes a backend of that name.
using BackendMaker = std::function<std::unique_ptr<Backend>(const std::string& name, const BackendOptions&)>;

/// A backend with bodies, and the trial that will time it. What fits the next point is kept for it.
struct SweepBench {
    std::unique_ptr<Backend> backend;
    std::string name;
    BackendOptions options;
    ParticleSet start;             ///< as built; bodies that have moved on would make later points differ from earlier ones
    std::unique_ptr<Trial> trial;  ///< after the backend, before which it must go

    void drop();
};

/// Makes `bench` ready for `point`. Throws what backends and scenes throw; the bench can be used again then, or dropped.
void prepare(SweepBench& bench, const SweepPoint& point, const SweepSettings& settings, const BackendMaker& make);

/// The same on a thread of its own. Its destructor waits for the thread.
class Preparation {
public:
    Preparation(SweepBench bench, SweepPoint point, SweepSettings settings, BackendMaker make);

    /// Waits for at most so long.
    bool ready(double seconds) { return worker_.wait(seconds); }
    /// Waits, and gives the bench back, whether or not it could be made ready; what was thrown then is in `error`. Once.
    SweepBench take(std::exception_ptr& error);

private:
    struct Prepared {
        SweepBench bench;
        std::exception_ptr error{};
    };
    Worker<SweepBench, Prepared> worker_;
};

}  // namespace gravlab
