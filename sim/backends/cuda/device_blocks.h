// Rungs of block steps on the device. Rule: once a step, the host reads the number of bodies on each rung and nothing else;
// the lists of bodies stay on the device.
#pragma once
#include "sim/backends/cuda/kernels/blocks.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/integrators/block_steps.h"

#include <cstdint>

namespace gravlab::cuda {

class DeviceBlocks {
public:
    DeviceBlocks(std::uint32_t count, Stream stream) : count_(count), stream_(stream) {}

    /// Fewer bodies from the next step on.
    void shrink(std::uint32_t count) { count_ = count; }
    /// Begins a step of the run; `inBlocks`: it is a block step. Throws DeviceError where there is not enough memory for
    /// one.
    void begin(bool inBlocks);
    /// Enqueues the choice of rungs from the accelerations at the start of the step; false where that was done before.
    /// Throws DeviceError.
    template <class Real>
    bool enqueueRungs(const Vec4<Real>* accelerations, const Vec4<Real>* positions);
    /// Whether rungs were enqueued and the host can read their sums without waiting.
    bool arrived() const { return enqueued_ && arrived_.reached(); }
    /// The clock of the step, from the number of bodies on each rung. Waits until the host has these numbers.
    BlockClock take();
    const std::uint8_t* rungs() const { return rungs_.data(); }

private:
    std::uint32_t count_;
    Stream stream_;
    DeviceArray<std::uint8_t> rungs_;  ///< allocated by the first block step
    DeviceArray<RungSums> sums_;
    PinnedArray<RungSums> read_;
    OwnedEvent arrived_;
    bool enqueued_ = false;
};

}  // namespace gravlab::cuda
