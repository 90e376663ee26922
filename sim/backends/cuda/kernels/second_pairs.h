// Kernels around a second pair law on a device, as the host sees them.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/forces/second_pair_law.h"

#include <cstdint>

namespace gravlab::cuda {

/// Copies bodies with the sources that count, pads included. One thread a body.
template <class Real>
struct CountSourcesTask {
    const Vec4<Real>* bodies;
    Vec4<Real>* counted;
    std::uint32_t paddedCount;
    PairSources sources;
};
/// Adds up the ranges of sums. The engine multiplies by the response k = s / m; bodies that count alike need 1 / m, so their
/// sums are divided by s. One thread a body.
template <class Real>
struct OwnSumsTask {
    const Vec4<Real>* bodies;
    const Vec4<Real>* pairs;  ///< of range r, body i: pairs[r * count + i]
    Vec4<Real>* sums;         ///< may be `pairs` where there is one range
    std::uint32_t count, ranges;
    Real factor;  ///< see forceFactor()
    PairSources sources;
};
template <class Real>
Kernel<CountSourcesTask<Real>> countSourcesKernel();
template <class Real>
Kernel<OwnSumsTask<Real>> ownSumsKernel();

}  // namespace gravlab::cuda
