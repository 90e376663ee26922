// Measures a complete step while later steps run. Rule: it works in slices on a copy, which the device makes in stream
// order; no call waits.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/cuda/jobs/measure.h"
#include "sim/backends/cuda/methods/tree_energy.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/measure/diagnostics.h"

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>

namespace gravlab::cuda {

template <class Real>
class DiagnosticsJob {
public:
    /// Allocates about 70 bytes a body of device memory (90 for a state in double). Throws DeviceError when there is not
    /// enough.
    DiagnosticsJob(Stream stream, std::uint32_t count);
    std::uint32_t count() const { return count_; }

    /// Sets how pairs are summed from the next begin() on: by a tree, or all of them (null). A tree needs a state in float.
    void setTree(std::unique_ptr<TreeEnergy> tree);
    /// Error allowed for the forces of the tree; 0: all pairs are summed.
    double accuracy() const { return tree_ ? tree_->accuracy() : 0; }

    /// Enqueues a copy of the state and all of the measurement but its pairs. Drops a measurement under way.
    void begin(const Vec4<Real>* x, const Vec4<Real>* v, const ForceSettings& force);
    bool running() const { return running_; }
    void drop() { running_ = sliceRunning_ = false; }
    /// Enqueues the next slice, of about `seconds`, once the one before is done. Returns the result after the last slice.
    /// Throws DeviceError; the measurement is dropped then.
    std::optional<Diagnostics> advance(double seconds);

private:
    void enqueue();
    void enqueuePairs(double seconds);
    bool enqueueTree(double seconds);
    void enqueueEnd();
    void run(Kernel<MeasureTask<Real>> kernel, unsigned blocks);
    Diagnostics result() const;

    Stream stream_;
    std::uint32_t count_;
    DeviceArray<Vec4<Real>> x_, v_;
    MeasureTask<Real> task_{};
    DeviceArrays arrays_;  ///< of the task
    PinnedArray<MeasuredState> host_;
    // Used where a tree sums the pairs: some bodies have their potentials compared with fp64.
    std::unique_ptr<TreeEnergy> tree_;
    DeviceArray<std::uint32_t> checked_;
    Copied<double> checks_;
    OwnedEvent sliceBegin_, sliceEnd_;

    ForceSettings force_;
    bool running_ = false, sliceRunning_ = false, ended_ = false;
    bool treeBegun_ = false;                 ///< the tree works on the bodies of this measurement
    std::uint32_t source_ = 0, target_ = 0;  ///< first of the next sources, and the first target without their pairs
    double slicePairs_ = 0, rate_ = 0, seconds_ = 0;
};

/// The measurement of a run, if there is one. It works on copies of one complete step, so it needs neither the bodies nor
/// the engine of that step: contacts may change bodies, or load others, until it ends.
template <class Real>
struct Measurement {
    std::unique_ptr<DiagnosticsJob<Real>> pairs;  ///< created by the first request
    std::optional<Diagnostics> ofPairs;           ///< finished, until the energy of the other terms is
    std::future<double> otherEnergy;              ///< energy of the terms other than the pair law
    std::string failure;                          ///< failure of a request, until the caller takes it

    bool running() const { return !failure.empty() || ofPairs || (pairs && pairs->running()); }
    /// Continues for about `seconds` of device time. Returns the result, or a failure, once it is there.
    std::optional<Diagnostics> take(double seconds);
};

}  // namespace gravlab::cuda
