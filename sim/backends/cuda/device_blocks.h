// Rungs of block steps on the device. Rule: the host learns how many bodies are on
// each rung and nothing else, once a step; lists of them stay on the device.
#pragma once
#include "sim/backends/cuda/kernels/blocks.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/integrators/block_steps.h"

#include <cstdint>

namespace gravlab::cuda {

class DeviceBlocks {
public:
    DeviceBlocks(std::uint32_t count, Stream stream) : count_(count), stream_(stream) {}

    /// A step of the run begins, which may be one of blocks. Throws DeviceError where there is not enough memory for one.
    void begin(bool inBlocks);
    /// Enqueues the rungs of the step by the accelerations that it begins with; false where that was done. Throws
    /// DeviceError.
    template <class Real>
    bool enqueueRungs(const Vec4<Real>* accelerations);
    /// Whether rungs were enqueued and are there.
    bool arrived() const { return enqueued_ && arrived_.reached(); }
    /// The clock of the step, from how many bodies are on each rung; waits until they are there.
    BlockClock take();
    const std::uint8_t* rungs() const { return rungs_.data(); }

private:
    std::uint32_t count_;
    Stream stream_;
    DeviceArray<std::uint8_t> rungs_;  ///< from the first block step on
    DeviceArray<RungSums> sums_;
    PinnedArray<RungSums> read_;
    OwnedEvent arrived_;
    bool enqueued_ = false;
};

}  // namespace gravlab::cuda
