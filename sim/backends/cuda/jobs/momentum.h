// What the forces of all bodies sum up to: nothing, where each pair pulls both ways alike.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"

#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kMomentumThreads = 256, kMomentumBlocks = 264;

/// Each block sums its share of the bodies, in an order that the number of bodies decides.
template <class Real>
struct MomentumTask {
    const Vec4<Real>* bodies;         ///< w = mass
    const Vec4<Real>* accelerations;  ///< of them
    double* parts;                    ///< [4 block]: x, y, z of m a, and |m a|
    std::uint32_t count;
};
template <class Real>
Kernel<MomentumTask<Real>> momentumKernel();

}  // namespace gravlab::cuda
