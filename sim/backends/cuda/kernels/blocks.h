// Block steps on a device: each body's rung, and the list of active bodies.
// Rule: counts are integers and lists are in the order of bodies, so that the result does not depend on the backend.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/integrators/block_steps.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kBlocksThreads = 256;

/// Sums over all bodies; 0 before. See LogarithmSum. Element 0: bodies with mass, element 1: the others.
struct RungSums {
    unsigned long long sum[2], counted[2];
    std::uint32_t bodies[kRungCount];  ///< on each rung
};

/// Chooses rungs from accelerations.
template <class Real>
struct RungTask {
    const Vec4<Real>* accelerations;
    const Vec4<Real>* positions;
    std::uint32_t count;
    std::uint8_t* rungs;
    RungSums* sums;
};
// The kernels run in this order, with blocks of kBlocksThreads.
template <class Real>
Kernel<RungTask<Real>> rungLogarithmKernel();
template <class Real>
Kernel<RungTask<Real>> rungKernel();

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
/// kSpreadLanes threads a body.
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
