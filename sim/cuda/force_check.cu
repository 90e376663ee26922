// fp64 accelerations of a few bodies, as plainly as a device can: one block a body, one running sum a thread.
// Rule: shares no code with the kernels that it judges.
#include "sim/cuda/force.h"

namespace gravlab::cuda {
namespace {

template <class Real>
__global__ void checkForce(CheckTask<Real> task) {
    __shared__ double sums[3][kCheckThreads];
    const std::uint32_t target = task.targets[blockIdx.x];
    const Vec4<Real> at = task.bodies[target];
    double x = 0, y = 0, z = 0;
    for (std::uint32_t j = threadIdx.x; j < task.count; j += kCheckThreads) {
        const Vec4<Real> source = task.bodies[j];
        const double dx = static_cast<double>(source.x) - at.x;
        const double dy = static_cast<double>(source.y) - at.y;
        const double dz = static_cast<double>(source.z) - at.z;
        const double squared = dx * dx + dy * dy + dz * dz + task.softeningSquared;
        const double inverseCube = 1 / (squared * sqrt(squared));
        x += source.w * (dx * inverseCube);
        y += source.w * (dy * inverseCube);
        z += source.w * (dz * inverseCube);
    }
    sums[0][threadIdx.x] = x;
    sums[1][threadIdx.x] = y;
    sums[2][threadIdx.x] = z;
    for (unsigned half = kCheckThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto& axis : sums) axis[threadIdx.x] += axis[threadIdx.x + half];
    }
    if (threadIdx.x > 0) return;
    const Vec4<Real> got = task.accelerations[target];
    const double length = norm3d(sums[0][0], sums[1][0], sums[2][0]);
    task.result[blockIdx.x] = {static_cast<float>(got.x - sums[0][0]), static_cast<float>(got.y - sums[1][0]),
                               static_cast<float>(got.z - sums[2][0]), static_cast<float>(length)};
}

}  // namespace

template <>
const void* checkKernel<float>() {
    return reinterpret_cast<const void*>(checkForce<float>);
}
template <>
const void* checkKernel<double>() {
    return reinterpret_cast<const void*>(checkForce<double>);
}

}  // namespace gravlab::cuda
