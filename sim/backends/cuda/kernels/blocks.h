// Block steps on a device: each body's level, and the list of active bodies.
// Rule: counts are integers and lists are in the order of bodies, so that the result does not depend on the backend.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/integrators/block_steps.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kBlocksThreads = 256;

/// Sums over all bodies; 0 before. See LogarithmSum. Element 0: bodies with mass, element 1: the others.
struct LevelSums {
    unsigned long long sum[2], counted[2];
    std::uint32_t bodies[kLevelCount];  ///< on each level
};

/// Chooses levels from accelerations.
template <class Real>
struct LevelTask {
    const Vec4<Real>* accelerations;
    const Vec4<Real>* positions;
    std::uint32_t count;
    std::uint8_t* levels;
    LevelSums* sums;
};

/// Levels of bodies. Once a step, the host reads the number of bodies on each level and nothing else; the lists of bodies
/// stay on the device.
class DeviceBlocks {
public:
    DeviceBlocks(std::uint32_t count, Stream stream) : count_(count), stream_(stream) {}

    /// Fewer bodies from the next step on.
    void shrink(std::uint32_t count) { count_ = count; }
    /// Begins a step of the run; `inBlocks`: it is a block step. Throws DeviceError where there is not enough memory for
    /// one.
    void begin(bool inBlocks);
    /// Enqueues the choice of levels from the accelerations at the start of the step; false where that was done before.
    /// Throws DeviceError.
    template <class Real>
    bool enqueueLevels(const Vec4<Real>* accelerations, const Vec4<Real>* positions);
    /// Whether levels were enqueued and the host can read their sums without waiting.
    bool arrived() const { return enqueued_ && arrived_.reached(); }
    /// The clock of the step, from the number of bodies on each level. Waits until the host has these numbers.
    BlockClock take();
    const std::uint8_t* levels() const { return levels_.data(); }

private:
    std::uint32_t count_;
    Stream stream_;
    DeviceArray<std::uint8_t> levels_;  ///< allocated by the first block step
    Copied<LevelSums> sums_;
    OwnedEvent arrived_;
    bool enqueued_ = false;
};

/// Lists the active bodies, in their order.
struct ActiveListTask {
    ActiveBodies active;
    std::uint32_t count;   ///< all bodies
    std::uint32_t* list;   ///< room for all bodies
    std::uint32_t* found;  ///< length of the list; equals active.count
};
/// Bytes of scratch memory of listActive(). Throws DeviceError.
std::size_t activeListBytes(std::uint32_t count);
/// Enqueues the task. Throws DeviceError.
void listActive(const ActiveListTask& task, void* scratch, std::size_t bytes, Stream stream);

/// Copies between all bodies and those of a list. One thread a listed body; spread sums of more than one range have
/// kSpreadLanes threads per body.
constexpr unsigned kSpreadLanes = 32;
template <class Real>
struct ActiveCopyTask {
    const std::uint32_t* list;
    std::uint32_t listed;
    const Vec4<Real>* from;
    Vec4<Real>* to;
    std::uint32_t ranges = 1, stride = 0;  ///< of spread sums: entry k is the sum over ranges of from[range * stride + k]
};
/// to[k] = from[list[k]]
template <class Real>
Kernel<ActiveCopyTask<Real>> gatherActiveKernel();
/// to[list[k]] = sums of from
template <class Real>
Kernel<ActiveCopyTask<Real>> spreadActiveKernel();

}  // namespace gravlab::cuda
