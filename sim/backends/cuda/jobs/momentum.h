// Sum of the forces on all bodies: zero where the two forces of each pair are opposite.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"

#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kMomentumThreads = 256, kMomentumBlocks = 264;

/// Each block sums a fixed set of the bodies, in an order that depends on the number of bodies alone.
template <class Real>
struct MomentumTask {
    const Vec4<Real>* bodies;         ///< w = mass
    const Vec4<Real>* accelerations;  ///< accelerations of the bodies
    double* parts;                    ///< [4 block]: x, y, z of m a, and |m a|
    std::uint32_t count;
};
template <class Real>
Kernel<MomentumTask<Real>> momentumKernel();

}  // namespace gravlab::cuda
