// Conversions of a mixed run: positions to single precision for the pairs, and sums back to double.
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/pair.cuh"

namespace gravlab::cuda {
namespace {

__global__ void narrowPositions(NarrowTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.paddedCount) return;
    const DoubleVector x = asVectors(task.from)[i];
    // The coordinate of pads in double arrays would be infinite as a float.
    const float far = kPadDistance<float>;
    asVectors(task.to)[i] = i < task.count
                                ? make_float4(static_cast<float>(task.length * x.x), static_cast<float>(task.length * x.y),
                                              static_cast<float>(task.length * x.z), static_cast<float>(task.source * x.w))
                                : make_float4(far, far, far, 0);
}

__global__ void widenSums(WidenTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count || !task.active.has(i)) return;
    double x = 0, y = 0, z = 0;
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const float4 a = asVectors(task.sums)[static_cast<std::size_t>(range) * task.count + i];
        x += a.x;
        y += a.y;
        z += a.z;
    }
    asVectors(task.to)[i] = {task.back * x, task.back * y, task.back * z, 0};
}

}  // namespace

Kernel<NarrowTask> narrowKernel() { return kernelOf(narrowPositions); }
Kernel<WidenTask> widenKernel() { return kernelOf(widenSums); }

}  // namespace gravlab::cuda
