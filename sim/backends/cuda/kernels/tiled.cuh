// The tiled force: a block reads one tile of sources into shared memory for all its threads.
// Rule: every thread reaches every barrier; threads past the last target compute a copy of it and store nothing.
#pragma once
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/pair.cuh"

namespace gravlab::cuda {

/// The sources of a task's slice, summed over a block's targets. Thread t holds targets firstTarget + b * blockDim.x.
template <class Real, int kUnroll, int kBodies>
struct TiledTargets {
    std::uint32_t firstTarget;  ///< within the task's targets
    double sum[kBodies][3];

    /// `tile`: room for a body a thread, in which tile[j] is written as a vector and read as one.
    template <class Tile, class Pull>
    __device__ __forceinline__ void gather(const ForceTask<Real>& task, Tile tile, const Pull& addPull) {
        const Vector<Real>* bodies = asVectors(task.bodies);
        const std::uint32_t width = blockDim.x, lane = threadIdx.x;
        firstTarget = blockIdx.x * width * kBodies + lane;
        Vector<Real> self[kBodies];
#pragma unroll
        for (int b = 0; b < kBodies; ++b) {
            const std::uint32_t target = min(firstTarget + b * width, task.targetCount - 1);
            self[b] = asVectors(task.targets)[task.targetFirst + target];
            for (int axis = 0; axis < 3; ++axis)
                sum[b][axis] = task.resumes ? task.carry[(3ull * blockIdx.y + axis) * task.targetCount + target] : 0.0;
        }

        const std::uint32_t rangeFirst = min(blockIdx.y * task.rangeLength, task.count);
        const std::uint32_t rangeEnd = min(rangeFirst + task.rangeLength, task.count);
        const std::uint32_t first = min(rangeFirst + task.sliceFirst, rangeEnd);
        const std::uint32_t end = min(first + task.sliceLength, rangeEnd);
        for (std::uint32_t base = first; base < end; base += width) {
            const int filled = static_cast<int>(min(width, end - base));
            __syncthreads();  // all threads have read the last tile
            if (static_cast<int>(lane) < filled) tile[lane] = bodies[base + lane];
            __syncthreads();
            for (int j = 0; j < filled;) {
                const int chunkEnd = min(j + kSumChunk, filled);
                Vec3<Real> part[kBodies] = {};
                if constexpr (kUnroll == kAutoUnroll) {
                    for (; j < chunkEnd; ++j) {
                        const Vector<Real> source = tile[j];
#pragma unroll
                        for (int b = 0; b < kBodies; ++b) addPull(part[b], self[b], source);
                    }
                } else {
                    // The row sets the unroll: without this pragma nvcc would unroll a loop of factor 1 four times.
#pragma unroll 1
                    for (; j + kUnroll <= chunkEnd; j += kUnroll) {
#pragma unroll
                        for (int u = 0; u < kUnroll; ++u) {
                            const Vector<Real> source = tile[j + u];
#pragma unroll
                            for (int b = 0; b < kBodies; ++b) addPull(part[b], self[b], source);
                        }
                    }
                }
                if constexpr (kUnroll > 1) {
#pragma unroll 1
                    for (; j < chunkEnd; ++j) {
                        const Vector<Real> source = tile[j];
#pragma unroll
                        for (int b = 0; b < kBodies; ++b) addPull(part[b], self[b], source);
                    }
                }
#pragma unroll
                for (int b = 0; b < kBodies; ++b) accumulate(sum[b], part[b]);
            }
        }
    }
};

/// Stores the sum of target `target` of a task: a complete sum, one range by atomics, or a running sum. `stride`: distance
/// between ranges.
template <class Real>
__device__ __forceinline__ void storeSum(const ForceTask<Real>& task, std::uint32_t target, const double (&sum)[3],
                                         std::uint32_t stride) {
    if (!task.finishes) {
        for (int axis = 0; axis < 3; ++axis) task.carry[(3ull * blockIdx.y + axis) * task.targetCount + target] = sum[axis];
        return;
    }
    const Vector<Real> a = {static_cast<Real>(sum[0]), static_cast<Real>(sum[1]), static_cast<Real>(sum[2]), 0};
    if (task.atomic) {
        Real* to = &task.sums[task.targetFirst + target].x;
        atomicAdd(to, a.x);
        atomicAdd(to + 1, a.y);
        atomicAdd(to + 2, a.z);
        return;
    }
    asVectors(task.sums)[static_cast<std::size_t>(blockIdx.y) * stride + task.targetFirst + target] = a;
}

/// The thread's target and its sums; a thread without a target stores nothing.
struct OneTarget {
    const ForceTask<float>& task;
    std::uint32_t target = blockIdx.x * blockDim.x + threadIdx.x;
    float4 self;
    double sum[3];

    __device__ explicit OneTarget(const ForceTask<float>& forceTask) : task(forceTask) {
        const std::uint32_t held = min(target, task.targetCount - 1);
        self = asVectors(task.targets)[task.targetFirst + held];
        for (int axis = 0; axis < 3; ++axis)
            sum[axis] = task.resumes ? task.carry[axis * static_cast<std::size_t>(task.targetCount) + held] : 0.0;
    }
    __device__ std::uint32_t sliceEnd() const { return min(task.sliceFirst + task.sliceLength, task.count); }
    /// Sums the pulls of source(j) over the slice.
    template <int kUnroll, class Source>
    __device__ void gather(Source source) {
        const std::uint32_t end = sliceEnd();
        for (std::uint32_t j = task.sliceFirst; j < end;) {
            const std::uint32_t chunkEnd = min(j + kSumChunk, end);
            Vec3<float> part = {};
            const auto pull = [&] { GravityPull<float>{task.softeningSquared}(part, self, source(j)); };
            if constexpr (kUnroll == kAutoUnroll) {
                for (; j < chunkEnd; ++j) pull();
            } else {
#pragma unroll kUnroll
                for (; j < chunkEnd; ++j) pull();
            }
            accumulate(sum, part);
        }
    }
    __device__ void store() const {
        // There is one range, so the stride is `count`; task.stride would make the loop of forceSoa 11 % slower.
        if (target < task.targetCount) storeSum(task, target, sum, task.count);
    }
};

/// Most threads of a block whose registers hold the bodies of each thread.
template <class Real, int kBodies>
constexpr int kTiledThreads = kBodies * sizeof(Real) <= 8    ? 1024
                              : kBodies * sizeof(Real) <= 16 ? 512
                                                             : 256;

/// With one body a thread the compiler would limit itself to 40 registers to make more blocks resident than there are: a
/// system of 16k bodies then runs a third slower.
template <class Real, int kUnroll, int kBodies>
__global__ __launch_bounds__(kTiledThreads<Real, kBodies>, 1) void tiledForce(ForceTask<Real> task) {
    extern __shared__ unsigned char shared[];
    TiledTargets<Real, kUnroll, kBodies> targets;
    targets.gather(task, reinterpret_cast<Vector<Real>*>(shared), GravityPull<Real>{task.softeningSquared});
#pragma unroll
    for (int b = 0; b < kBodies; ++b) {
        const std::uint32_t target = targets.firstTarget + b * blockDim.x;
        if (target < task.targetCount) storeSum(task, target, targets.sum[b], task.stride);
    }
}

/// Selects among the built factors: all unrolls are built with one body a thread.
template <class Real, class Bodies>
Kernel<ForceTask<Real>> tiledOf(int unroll, int bodiesPerThread) {
    if (bodiesPerThread == 1)
        return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(tiledForce<Real, factor(), 1>); });
    return Bodies::pick(bodiesPerThread, [unroll](auto bodies) {
        return Unrolls::pick(unroll,
                             [](auto factor) { return kernelOf(tiledForce<Real, factor(), decltype(bodies)::value>); });
    });
}

}  // namespace gravlab::cuda
