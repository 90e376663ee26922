#include "sim/backends/cuda/kernels/second_pairs.h"

#include "sim/backends/cuda/kernels/pair.cuh"

namespace gravlab::cuda {
namespace {

template <class Real>
__global__ void countSources(CountSourcesTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.paddedCount) return;
    Vector<Real> body = asVectors(task.bodies)[i];
    if (task.sources == PairSources::alike) body.w = body.w != 0 ? Real(1) : Real(0);
    asVectors(task.counted)[i] = body;
}

template <class Real>
__global__ void takeOwnSums(OwnSumsTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    Real x = 0, y = 0, z = 0;
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const Vector<Real> part = asVectors(task.pairs)[static_cast<std::size_t>(range) * task.count + i];
        x += part.x;
        y += part.y;
        z += part.z;
    }
    const Real own = task.bodies[i].w, share = task.sources == PairSources::own ? task.factor
                                               : own != 0                       ? task.factor / own
                                                                                : Real(0);
    asVectors(task.sums)[i] = {share * x, share * y, share * z, 0};
}

}  // namespace

template <class Real>
Kernel<CountSourcesTask<Real>> countSourcesKernel() {
    return kernelOf(countSources<Real>);
}
template Kernel<CountSourcesTask<float>> countSourcesKernel();
template Kernel<CountSourcesTask<double>> countSourcesKernel();

template <class Real>
Kernel<OwnSumsTask<Real>> ownSumsKernel() {
    return kernelOf(takeOwnSums<Real>);
}
template Kernel<OwnSumsTask<float>> ownSumsKernel();
template Kernel<OwnSumsTask<double>> ownSumsKernel();

}  // namespace gravlab::cuda
