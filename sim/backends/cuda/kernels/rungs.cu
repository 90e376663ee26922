// Rows that each change one property of the tiled kernel: a thread for every pair, a number of threads known at compile
// time, and several threads of a block for one body. Rule: every thread reaches every barrier; threads past the last target
// compute a copy of it and store nothing.
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

/// One thread per pair: kEdge * kEdge threads have a tile of kEdge targets and kEdge sources. Each writes its pull to shared
/// memory, and three threads per target, one per axis, add up its row.
template <int kEdge>
__global__ __launch_bounds__(kEdge* kEdge) void forcePairs(ForceTask<float> task) {
    __shared__ float4 sources[kEdge];
    __shared__ float pulls[3][kEdge][kEdge + 1];  // + 1: the rows that are added side by side lie in different banks
    const float4* bodies = asVectors(task.bodies);
    const std::uint32_t column = threadIdx.x % kEdge, row = threadIdx.x / kEdge;
    const std::uint32_t first = blockIdx.x * kEdge;
    const float4 self = asVectors(task.targets)[task.targetFirst + min(first + row, task.targetCount - 1)];

    // A thread that adds has row `column` of axis `row`.
    const bool adds = row < 3;
    const std::uint32_t added = min(first + column, task.targetCount - 1);
    const std::size_t carried = static_cast<std::size_t>(row) * task.targetCount + added;
    double sum = adds && task.resumes ? task.carry[carried] : 0.0;

    const std::uint32_t end = min(task.sliceFirst + task.sliceLength, task.count);
    for (std::uint32_t base = task.sliceFirst; base < end; base += kEdge) {
        if (row == 0 && base + column < end) sources[column] = bodies[base + column];
        __syncthreads();  // the sources are loaded, and the last rows are added
        Vec3<float> pull = {};
        if (base + column < end) GravityPull<float>{task.softeningSquared}(pull, self, sources[column]);
        pulls[0][row][column] = pull.x;
        pulls[1][row][column] = pull.y;
        pulls[2][row][column] = pull.z;
        __syncthreads();  // the pulls are written, and all threads have read the sources
        if (adds) {
            float part = 0;
            for (int k = 0; k < kEdge; ++k) part += pulls[row][column][k];
            sum += part;
        }
    }

    if (!adds || first + column >= task.targetCount) return;
    if (!task.finishes) {
        task.carry[carried] = sum;
        return;
    }
    Float4* const to = task.sums + task.targetFirst + added;
    (&to->x)[row] = static_cast<float>(sum);
    if (row == 0) to->w = 0;
}

/// The tiled kernel whose width of a tile is known at compile time: a full tile needs no remainder and no comparison.
template <int kBlock>
__global__ __launch_bounds__(kBlock, 1) void tiledConstantBlock(ForceTask<float> task) {
    constexpr int kUnroll = 16;
    __shared__ float4 tile[kBlock];
    const float4* bodies = asVectors(task.bodies);
    OneTarget one(task);
    const GravityPull<float> addPull{task.softeningSquared};

    const std::uint32_t end = one.sliceEnd();
    std::uint32_t base = task.sliceFirst;
    for (; base + kBlock <= end; base += kBlock) {
        __syncthreads();  // all threads have read the last tile
        tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        constexpr int kChunk = kBlock < kSumChunk ? kBlock : kSumChunk;
#pragma unroll 1
        for (int chunk = 0; chunk < kBlock; chunk += kChunk) {
            Vec3<float> part = {};
#pragma unroll kUnroll
            for (int j = 0; j < kChunk; ++j) addPull(part, one.self, tile[chunk + j]);
            accumulate(one.sum, part);
        }
    }
    if (base < end) {  // the same in all threads of the grid
        const int filled = static_cast<int>(end - base);
        __syncthreads();
        if (static_cast<int>(threadIdx.x) < filled) tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < filled;) {
            const int chunkEnd = min(j + kSumChunk, filled);
            Vec3<float> part = {};
#pragma unroll 4
            for (; j < chunkEnd; ++j) addPull(part, one.self, tile[j]);
            accumulate(one.sum, part);
        }
    }
    one.store();
}

/// Several threads per body: a block of p * q threads has p targets, and thread t adds the sources of range t / p to target
/// t % p. The ranges' sums are added in shared memory in their order.
template <int kUnroll>
__global__ __launch_bounds__(1024, 1) void tiledBlockSplit(ForceTask<float> task) {
    extern __shared__ unsigned char shared[];
    const std::uint32_t segments = task.segments, width = blockDim.x / segments;
    const std::uint32_t lane = threadIdx.x % width, segment = threadIdx.x / width;
    float4* const tile = reinterpret_cast<float4*>(shared) + segment * width;
    const float4* bodies = asVectors(task.bodies);
    const std::uint32_t target = blockIdx.x * width + lane, held = min(target, task.targetCount - 1);
    const float4 self = asVectors(task.targets)[task.targetFirst + held];
    const GravityPull<float> addPull{task.softeningSquared};
    const std::size_t n = task.targetCount;
    double sum[3];
    for (int axis = 0; axis < 3; ++axis) sum[axis] = task.resumes ? task.carry[(3ull * segment + axis) * n + held] : 0.0;

    const auto sourcesOf = [&](std::uint32_t range, std::uint32_t& first) {
        const std::uint32_t rangeFirst = min(range * task.rangeLength, task.count);
        const std::uint32_t rangeEnd = min(rangeFirst + task.rangeLength, task.count);
        first = min(rangeFirst + task.sliceFirst, rangeEnd);
        return min(first + task.sliceLength, rangeEnd) - first;
    };
    // Later segments have no more sources than the first, and pass the barriers with it.
    std::uint32_t first = 0;
    const std::uint32_t longest = sourcesOf(0, first);
    const std::uint32_t end = sourcesOf(segment, first) + first;
    for (std::uint32_t done = 0; done < longest; done += width) {
        const std::uint32_t base = min(first + done, end);
        const int filled = static_cast<int>(min(width, end - base));
        __syncthreads();  // all threads have read the last tiles
        if (static_cast<int>(lane) < filled) tile[lane] = bodies[base + lane];
        __syncthreads();
        for (int j = 0; j < filled;) {
            const int chunkEnd = min(j + kSumChunk, filled);
            Vec3<float> part = {};
            if constexpr (kUnroll == kAutoUnroll) {
                for (; j < chunkEnd; ++j) addPull(part, self, tile[j]);
            } else {
#pragma unroll kUnroll
                for (; j < chunkEnd; ++j) addPull(part, self, tile[j]);
            }
            accumulate(sum, part);
        }
    }
    if (!task.finishes) {
        if (target < task.targetCount)
            for (int axis = 0; axis < 3; ++axis) task.carry[(3ull * segment + axis) * n + target] = sum[axis];
        return;
    }

    double* const sums = reinterpret_cast<double*>(shared);  // one axis after the other: half of the memory of the tiles
    double total[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
        __syncthreads();  // all threads have read the tiles, or the last axis
        sums[threadIdx.x] = sum[axis];
        __syncthreads();
        if (segment == 0)
            for (std::uint32_t k = 0; k < segments; ++k) total[axis] += sums[k * width + lane];
    }
    if (segment == 0 && target < task.targetCount) storeSum(task, target, total, task.stride);
}

}  // namespace

Kernel<ForceTask<float>> pairsKernel(int edge) {
    return PairEdges::pick(edge, [](auto factor) { return kernelOf(forcePairs<factor()>); });
}
Kernel<ForceTask<float>> constantBlockKernel(int block) {
    return ConstantBlocks::pick(block, [](auto factor) { return kernelOf(tiledConstantBlock<factor()>); });
}
Kernel<ForceTask<float>> blockSplitKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(tiledBlockSplit<factor()>); });
}

}  // namespace gravlab::cuda
