#include "sim/backends/cuda/jobs/measure.h"

namespace gravlab::cuda {
namespace {

template <class Real>
__global__ __launch_bounds__(kMomentumThreads) void sumForces(MomentumTask<Real> task) {
    __shared__ double sums[4][kMomentumThreads];
    double x = 0, y = 0, z = 0, sizes = 0;
    for (std::uint32_t i = blockIdx.x * kMomentumThreads + threadIdx.x; i < task.count; i += gridDim.x * kMomentumThreads) {
        const double mass = task.bodies[i].w;
        const Vec4<Real> a = task.accelerations[i];
        x += mass * a.x;
        y += mass * a.y;
        z += mass * a.z;
        sizes += fabs(mass) * norm3d(a.x, a.y, a.z);
    }
    sums[0][threadIdx.x] = x;
    sums[1][threadIdx.x] = y;
    sums[2][threadIdx.x] = z;
    sums[3][threadIdx.x] = sizes;
    for (unsigned half = kMomentumThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto& part : sums) part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    if (threadIdx.x < 4) task.parts[4 * blockIdx.x + threadIdx.x] = sums[threadIdx.x][0];
}

}  // namespace

template <class Real>
Kernel<MomentumTask<Real>> momentumKernel() {
    return kernelOf(sumForces<Real>);
}
template Kernel<MomentumTask<float>> momentumKernel();
template Kernel<MomentumTask<double>> momentumKernel();

}  // namespace gravlab::cuda
