// The tiled force kernel: a block reads one tile of sources into shared memory for all its threads.
// Rule: every thread reaches every barrier; threads past the last target compute a copy of it and store nothing.
#include "sim/cuda/force.h"

#include "sim/interaction.h"

namespace gravlab::cuda {
namespace {

/// Two instructions less than rsqrtf(), whose care for subnormal numbers the softening floor makes unnecessary.
__device__ __forceinline__ float fastInverseRoot(float x) {
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/// Adds the pull of `source` on `target`: 13 instructions, of which one special function.
__device__ __forceinline__ void addPull(float3& sum, const float4& target, const float4& source, float softeningSquared) {
    const float dx = source.x - target.x;
    const float dy = source.y - target.y;
    const float dz = source.z - target.z;
    const float squared = fmaf(dz, dz, fmaf(dy, dy, fmaf(dx, dx, softeningSquared)));
    const float inverse = fastInverseRoot(squared);
    const float strength = source.w * inverse * (inverse * inverse);
    sum.x = fmaf(dx, strength, sum.x);
    sum.y = fmaf(dy, strength, sum.y);
    sum.z = fmaf(dz, strength, sum.z);
}

template <int kUnroll, int kBodies>
__global__ void tiledForce(ForceTask task) {
    extern __shared__ float4 tile[];
    const float4* bodies = reinterpret_cast<const float4*>(task.bodies);
    const std::uint32_t width = blockDim.x, lane = threadIdx.x;
    const std::uint32_t firstTarget = blockIdx.x * width * kBodies + lane;  // within the task's targets
    float4 self[kBodies];
    double sum[kBodies][3] = {};
#pragma unroll
    for (int b = 0; b < kBodies; ++b) {
        const std::uint32_t target = min(firstTarget + b * width, task.targetCount - 1);
        self[b] = bodies[task.targetFirst + target];
        if (task.resumes)
            for (int axis = 0; axis < 3; ++axis)
                sum[b][axis] = task.carry[(3ull * blockIdx.y + axis) * task.targetCount + target];
    }

    const std::uint32_t rangeFirst = min(blockIdx.y * task.rangeLength, task.count);
    const std::uint32_t rangeEnd = min(rangeFirst + task.rangeLength, task.count);
    const std::uint32_t first = min(rangeFirst + task.sliceFirst, rangeEnd);
    const std::uint32_t end = min(first + task.sliceLength, rangeEnd);
    for (std::uint32_t base = first; base < end; base += width) {
        const int filled = static_cast<int>(min(width, end - base));
        __syncthreads();  // all have read the tile before
        if (static_cast<int>(lane) < filled) tile[lane] = bodies[base + lane];
        __syncthreads();
        for (int j = 0; j < filled;) {
            const int chunkEnd = min(j + kSumChunk, filled);
            float3 part[kBodies] = {};
            for (; j + kUnroll <= chunkEnd; j += kUnroll) {
#pragma unroll
                for (int u = 0; u < kUnroll; ++u) {
                    const float4 source = tile[j + u];
#pragma unroll
                    for (int b = 0; b < kBodies; ++b) addPull(part[b], self[b], source, task.softeningSquared);
                }
            }
            if constexpr (kUnroll > 1) {
#pragma unroll 1
                for (; j < chunkEnd; ++j) {
                    const float4 source = tile[j];
#pragma unroll
                    for (int b = 0; b < kBodies; ++b) addPull(part[b], self[b], source, task.softeningSquared);
                }
            }
#pragma unroll
            for (int b = 0; b < kBodies; ++b) {
                sum[b][0] += part[b].x;
                sum[b][1] += part[b].y;
                sum[b][2] += part[b].z;
            }
        }
    }

#pragma unroll
    for (int b = 0; b < kBodies; ++b) {
        const std::uint32_t target = firstTarget + b * width;
        if (target >= task.targetCount) continue;
        if (task.finishes)
            reinterpret_cast<float4*>(
                task.sums)[static_cast<std::size_t>(blockIdx.y) * task.count + task.targetFirst + target] =
                make_float4(static_cast<float>(sum[b][0]), static_cast<float>(sum[b][1]), static_cast<float>(sum[b][2]), 0);
        else
            for (int axis = 0; axis < 3; ++axis)
                task.carry[(3ull * blockIdx.y + axis) * task.targetCount + target] = sum[b][axis];
    }
}

template <int kBodies>
const void* ofUnroll(int unroll) {
    switch (unroll) {
        case 1:
            return reinterpret_cast<const void*>(tiledForce<1, kBodies>);
        case 2:
            return reinterpret_cast<const void*>(tiledForce<2, kBodies>);
        case 4:
            return reinterpret_cast<const void*>(tiledForce<4, kBodies>);
        case 8:
            return reinterpret_cast<const void*>(tiledForce<8, kBodies>);
        case 16:
            return reinterpret_cast<const void*>(tiledForce<16, kBodies>);
        case 32:
            return reinterpret_cast<const void*>(tiledForce<32, kBodies>);
        default:
            return nullptr;
    }
}

}  // namespace

const void* tiledKernel(int unroll, int bodiesPerThread) {
    switch (bodiesPerThread) {
        case 1:
            return ofUnroll<1>(unroll);
        case 2:
            return ofUnroll<2>(unroll);
        case 4:
            return ofUnroll<4>(unroll);
        case 8:
            return ofUnroll<8>(unroll);
        default:
            return nullptr;
    }
}

const void* probeKernel() { return tiledKernel(1, 1); }

}  // namespace gravlab::cuda
