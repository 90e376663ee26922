// Whole batches of leapfrog steps in one cooperative launch, for small N: the host is out of the loop and velocities stay in
// registers. A block owns a few targets; its warps split the sources; one grid barrier a step is enough because positions
// alternate between two buffers. Rule: a batch of k steps equals k batches of one step, bit for bit.
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/integrate.cuh"
#include "sim/backends/cuda/kernels/many_steps.h"
#include "sim/backends/cuda/kernels/together.cuh"

namespace gravlab::cuda {
namespace {

/// kFew: the sources are not all bodies. Code for both was 4 % slower where all act.
template <int kUnroll, bool kFew>
__global__ __launch_bounds__(kManyStepsMaxWarps * 32, 1) void manySteps(ManyStepsTask task) {
    constexpr int B = kManyStepsBodies;
    extern __shared__ float sums[];  // [segment][axis][target]
    const ManyStepsPartition& partition = task.partition;
    const int n = static_cast<int>(task.count), acting = kFew ? static_cast<int>(task.sources) : n;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, groups = partition.targets / B;
    const int group = warp % groups, segment = warp / groups;
    const int first = blockIdx.x * partition.targets, mine = first + threadIdx.x;
    const bool owner = static_cast<int>(threadIdx.x) < partition.targets && mine < n;
    float4 x{}, v{}, a{};
    if (owner)
        x = asVectors(task.positionsA)[mine], v = asVectors(task.velocity)[mine], a = asVectors(task.acceleration)[mine];
    const int share = (acting + partition.segments * 32 - 1) / (partition.segments * 32) * 32;
    const int from = segment * share, to = min(acting, from + share);
    const float half = 0.5f * task.timeStep;

    for (int step = 0; step < task.steps; ++step) {
        float4* positions = asVectors(step & 1 ? task.positionsA : task.positionsB);
        if (owner) {
            v = axpy(v, half, a);
            x = axpy(x, task.timeStep, v);
            __stcg(positions + mine, x);
        }
        gridBarrier(task.arrived, (task.epoch + step + 1) * gridDim.x);

        float tx[B], ty[B], tz[B], ax[B], ay[B], az[B];
#pragma unroll
        for (int b = 0; b < B; ++b) {
            const float4 p = __ldcg(positions + min(first + group * B + b, n - 1));
            tx[b] = p.x, ty[b] = p.y, tz[b] = p.z, ax[b] = ay[b] = az[b] = 0;
        }
#pragma unroll kUnroll
        for (int j = from + lane; j < to; j += 32) {
            const float4 p = __ldcg(positions + (kFew && task.list ? static_cast<int>(task.list[j]) : j));
#pragma unroll
            for (int b = 0; b < B; ++b) {
                const float dx = p.x - tx[b], dy = p.y - ty[b], dz = p.z - tz[b];
                const float inverse = inverseRoot(fma(dz, dz, fma(dy, dy, fma(dx, dx, task.softeningSquared))));
                const float s = p.w * inverse * (inverse * inverse);
                ax[b] = fma(dx, s, ax[b]), ay[b] = fma(dy, s, ay[b]), az[b] = fma(dz, s, az[b]);
            }
        }
        // 3 B sums over 32 lanes by exchange and halving: 31 shuffles instead of 120; lane k ends with the k-th sum.
        float value[32];
#pragma unroll
        for (int k = 0; k < 32; ++k) value[k] = k < B ? ax[k % B] : k < 2 * B ? ay[k % B] : k < 3 * B ? az[k % B] : 0.f;
#pragma unroll
        for (int width = 16; width >= 1; width >>= 1) {
            const bool upper = lane & width;
#pragma unroll
            for (int k = 0; k < 16; ++k)
                if (k < width) {
                    const float keep = upper ? value[k + width] : value[k], send = upper ? value[k] : value[k + width];
                    value[k] = keep + __shfl_xor_sync(~0u, send, width);
                }
        }
        if (lane < 3 * B) sums[(segment * 3 + lane / B) * partition.targets + group * B + lane % B] = value[0];
        __syncthreads();
        if (owner) {
            a = float4{};
            for (int s = 0; s < partition.segments; ++s) {
                const float* part = sums + s * 3 * partition.targets + threadIdx.x;
                a.x += part[0], a.y += part[partition.targets], a.z += part[2 * partition.targets];
            }
            v = axpy(v, half, a);
        }
    }
    if (!owner) return;
    asVectors(task.acceleration)[mine] = a;
    if (task.onlyForce) return;
    asVectors(task.positionsA)[mine] = x, asVectors(task.velocity)[mine] = v;
    if (task.vertices) task.vertices[mine] = {x.x, x.y, x.z, shownValue(task.shown, x, v, a)};
}

}  // namespace

Kernel<ManyStepsTask> manyStepsKernel(int unroll, bool few) {
    return StepUnrolls::pick(
        unroll, [=](auto factor) { return kernelOf(few ? manySteps<factor(), true> : manySteps<factor(), false>); });
}

}  // namespace gravlab::cuda
