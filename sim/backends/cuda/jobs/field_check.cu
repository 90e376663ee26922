// Potentials of a few bodies by the plainest sum on a device. Rule: it uses no code of the walk that it checks.
#include "sim/backends/cuda/jobs/measure.h"

namespace gravlab::cuda {
namespace {

/// Potential of a source of 1, whose slope is the pull of that power.
__device__ double plainField(double squared, double power) {
    if (power == 2) return 1 / sqrt(squared);
    if (power == 1) return -0.5 * log(squared);
    return pow(squared, 0.5 * (1 - power)) / (power - 1);
}

__global__ __launch_bounds__(kMeasureThreads) void checkFields(FieldCheckTask task) {
    __shared__ double sums[kMeasureThreads];
    const std::uint32_t target = task.targets[blockIdx.x];
    const Vec4<float> at = task.bodies[target];
    double sum = 0;
    for (std::uint32_t j = threadIdx.x; j < task.count; j += kMeasureThreads) {
        const Vec4<float> source = task.bodies[j];
        const double x = static_cast<double>(source.x) - at.x, y = static_cast<double>(source.y) - at.y,
                     z = static_cast<double>(source.z) - at.z;
        const double squared = x * x + y * y + z * z + task.softeningSquared;
        if (j != target && squared > 0) sum += source.w * plainField(squared, task.power);
    }
    sums[threadIdx.x] = sum;
    for (unsigned half = kMeasureThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x > 0) return;
    task.result[2 * blockIdx.x] = at.w * task.energy[target];
    task.result[2 * blockIdx.x + 1] = at.w * (0.5 * task.factor * sums[0]);
}

}  // namespace

Kernel<FieldCheckTask> fieldCheckKernel() { return kernelOf(checkFields); }

}  // namespace gravlab::cuda
