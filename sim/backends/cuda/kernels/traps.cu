// Kernels that are wrong on purpose, each by one common mistake. Rule: they stay inside their arrays and end, so that only
// their result is wrong.
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

/// Delay in clocks: longer than a read of memory, short against a tile.
constexpr long long kLate = 3000;

/// Tiles with one barrier: a warp that has finished a tile loads its bodies of the next one while others still read there.
/// Each warp begins at its own 32 bodies, so the last that it reads are those of the preceding warp. Every other warp is
/// late, like one that waited. With both barriers the kernel would be right.
__global__ __launch_bounds__(1024, 1) void forceNoBarrier(ForceTask<float> task) {
    extern __shared__ unsigned char shared[];
    float4* const tile = reinterpret_cast<float4*>(shared);
    const float4* bodies = asVectors(task.bodies);
    const std::uint32_t width = blockDim.x, lane = threadIdx.x;
    OneTarget one(task);
    const GravityPull<float> addPull{task.softeningSquared};

    const std::uint32_t end = one.sliceEnd();
    for (std::uint32_t base = task.sliceFirst; base < end; base += width) {
        const int filled = static_cast<int>(min(width, end - base));
        // __syncthreads() is missing here: all threads should have read the last tile.
        if (static_cast<int>(lane) < filled) tile[lane] = bodies[base + lane];
        __syncthreads();
        if (lane & 32)
            for (const long long now = clock64(); clock64() - now < kLate;) {
            }
        const int begin = static_cast<int>(lane & ~31u) % filled;
        for (int part = 0; part < 2; ++part) {  // first to the end of the tile, then from its start
            int j = part == 0 ? begin : 0;
            const int last = part == 0 ? filled : begin;
            while (j < last) {
                const int chunkEnd = min(j + kSumChunk, last);
                Vec3<float> pull = {};
#pragma unroll 4
                for (; j < chunkEnd; ++j) addPull(pull, one.self, tile[j]);
                accumulate(one.sum, pull);
            }
        }
    }
    one.store();
}

/// One thread per body, as `global`, but the array of float4 is read as if it were one of float3: body j begins 12 j bytes
/// from its start instead of 16 j, so that coordinates are those of other bodies, or masses.
__global__ void forceMisread(ForceTask<float> task) {
    const float3* places = reinterpret_cast<const float3*>(task.bodies);
    const float4* bodies = asVectors(task.bodies);
    OneTarget one(task);
    const float3 own =
        reinterpret_cast<const float3*>(task.targets)[task.targetFirst + min(one.target, task.targetCount - 1)];
    one.self = make_float4(own.x, own.y, own.z, 0);
    one.gather<8>([&](std::uint32_t j) {
        const float3 place = places[j];
        return make_float4(place.x, place.y, place.z, bodies[j].w);
    });
    one.store();
}

}  // namespace

Kernel<ForceTask<float>> noBarrierKernel() { return kernelOf(forceNoBarrier); }
Kernel<ForceTask<float>> misreadKernel() { return kernelOf(forceMisread); }

}  // namespace gravlab::cuda
