// Block steps on a device: each body's rung, and the list of the bodies whose force is asked for.
// Rule: counts are whole numbers and lists are in the order of bodies, so that all is the same whoever computes it.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/integrators/block_steps.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kBlocksThreads = 256;

/// What is summed up of all bodies; 0 before. See LogarithmSum.
struct RungSums {
    unsigned long long sum, counted;
    std::uint32_t bodies[kRungCount];  ///< on each rung
};

/// Rungs by accelerations.
template <class Real>
struct RungTask {
    const Vec4<Real>* accelerations;
    std::uint32_t count;
    std::uint8_t* rungs;
    RungSums* sums;
};
// In this order, with blocks of kBlocksThreads.
template <class Real>
Kernel<RungTask<Real>> rungLogarithmKernel();
template <class Real>
Kernel<RungTask<Real>> rungKernel();

/// The list of the active bodies, in their order.
struct ActiveListTask {
    ActiveBodies active;
    std::uint32_t count;   ///< of all bodies
    std::uint32_t* list;   ///< room for all
    std::uint32_t* found;  ///< how many; what active.count says
};
/// Bytes that listActive() needs besides. Throws DeviceError.
std::size_t activeListBytes(std::uint32_t count);
/// Enqueues, and throws DeviceError.
void listActive(const ActiveListTask& task, void* scratch, std::size_t bytes, Stream stream);

/// Between the bodies and those of a list. One thread a listed body; where sums are spread, kSpreadLanes of them for more
/// than one range.
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
