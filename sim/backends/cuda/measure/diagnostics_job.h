// Measures a complete step beside the steps that follow it. Rule: it works on a copy, made on the device in the order of the
// stream, and in slices; no call waits.
#pragma once
#include "sim/backends/cuda/measure/measure.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/forces/force_settings.h"
#include "sim/measure/diagnostics.h"

#include <cstdint>
#include <optional>

namespace gravlab::cuda {

template <class Real>
class DiagnosticsJob {
public:
    /// Takes some 70 bytes a body of device memory (for a state in double, 90). Throws DeviceError when there is not enough.
    DiagnosticsJob(Stream stream, std::uint32_t count);

    /// Enqueues a copy of the state and all but its pairs. Drops what was under way.
    void begin(const Vec4<Real>* x, const Vec4<Real>* v, const ForceSettings& force);
    bool running() const { return running_; }
    void drop() { running_ = sliceRunning_ = false; }
    /// Enqueues the next slice, of about `seconds`, once the one before is done; the result when there are no more. Throws
    /// DeviceError; the measurement is dropped then.
    std::optional<Diagnostics> advance(double seconds);

private:
    void enqueue();
    void enqueuePairs(double seconds);
    void enqueuePairLaunch(std::uint32_t targetFirst, std::uint32_t targetEnd, std::uint32_t sourceEnd);
    void enqueueEnd();
    Diagnostics result() const;

    Stream stream_;
    std::uint32_t count_;
    MeasureKernels<Real> kernels_;
    DeviceArray<Vec4<Real>> x_, v_;
    DeviceArray<unsigned long long> first_, second_;  ///< radius and mass of each body; then its energy and nearest distance
    DeviceArray<std::uint32_t> neighbour_;
    DeviceArray<Moments> parts_;
    DeviceArray<PairPart> pairParts_;
    DeviceArray<MeasuredState> state_;
    DeviceArray<RadiusSearch> search_;
    DeviceArray<unsigned long long> histogram_;
    PinnedArray<MeasuredState> host_;
    OwnedEvent sliceBegin_, sliceEnd_;

    ForceSettings force_;
    bool running_ = false, sliceRunning_ = false, ended_ = false;
    std::uint32_t source_ = 0, target_ = 0;  ///< next stretch of sources, and the first target that has not met it
    double slicePairs_ = 0, rate_ = 0, seconds_ = 0;
};

}  // namespace gravlab::cuda
