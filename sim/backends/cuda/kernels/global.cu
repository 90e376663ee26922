// The rows below the tiles have one thread per target; they differ only in how the sources are loaded.
// Rule: pull and two-level sums are those of all kernels, so that a difference in rate comes from memory traffic.
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

/// Every thread reads every source from the most obvious structs: seven floats without padding. A body begins at any
/// multiple of 4 bytes, so that each number needs a separate read, and neighbouring lanes read 28 bytes apart.
template <int kUnroll>
__global__ void forceAos(ForceTask<float> task) {
    OneTarget one(task);
    const PackedBody* bodies = reinterpret_cast<const PackedBody*>(task.copies);
    one.gather<kUnroll>([&](std::uint32_t j) {
        const PackedBody& body = bodies[j];
        return make_float4(body.x, body.y, body.z, body.mass);
    });
    one.store();
}

/// Every thread reads every source from global memory, 16 bytes at a time, with no reuse but that of the caches.
template <int kUnroll>
__global__ void forceGlobal(ForceTask<float> task) {
    OneTarget one(task);
    const float4* bodies = asVectors(task.bodies);
    one.gather<kUnroll>([&](std::uint32_t j) { return bodies[j]; });
    one.store();
}

/// The same from four arrays: four reads of 4 bytes where `global` makes one of 16.
template <int kUnroll>
__global__ void forceSoa(ForceTask<float> task) {
    OneTarget one(task);
    const float *x = task.copies, *y = x + task.count, *z = y + task.count, *w = z + task.count;
    one.gather<kUnroll>([&](std::uint32_t j) { return make_float4(x[j], y[j], z[j], w[j]); });
    one.store();
}

/// The same from an array of float3 and one of masses: a float3 has no alignment that would allow one read of 12 bytes.
template <int kUnroll>
__global__ void forceFloat3(ForceTask<float> task) {
    OneTarget one(task);
    const float3* places = reinterpret_cast<const float3*>(task.copies);
    const float* masses = task.copies + 3 * static_cast<std::size_t>(task.count);
    one.gather<kUnroll>([&](std::uint32_t j) {
        const float3 place = places[j];
        return make_float4(place.x, place.y, place.z, masses[j]);
    });
    one.store();
}

__constant__ float4 constantBodies[kConstantSources];

/// Sources come from constant memory: one broadcast reaches a whole warp. A copy on the device fills the array before each
/// launch.
template <int kUnroll>
__global__ void forceConstant(ForceTask<float> task) {
    OneTarget one(task);
    one.gather<kUnroll>([&](std::uint32_t j) { return constantBodies[j - task.sliceFirst]; });
    one.store();
}

/// Each lane reads one source and the warp passes them round: 32 pairs per lane for one read. All lanes of a warp run to the
/// end; a narrower last warp passes round as many sources as it has lanes.
template <int kUnroll>
__global__ void forceShuffle(ForceTask<float> task) {
    OneTarget one(task);
    const float4* bodies = asVectors(task.bodies);
    const unsigned lane = threadIdx.x & 31;
    const unsigned width = min(32u, blockDim.x - (threadIdx.x & ~31u));
    const unsigned mask = width == 32 ? ~0u : (1u << width) - 1;
    const std::uint32_t end = one.sliceEnd();
    for (std::uint32_t base = task.sliceFirst; base < end;) {
        Vec3<float> part = {};
        const std::uint32_t chunkEnd = min(base + kSumChunk / 32 * width, end);
        for (; base < chunkEnd; base += width) {
            float4 mine = make_float4(0, 0, 0, 0);
            if (base + lane < end) mine = bodies[base + lane];
            const auto pull = [&](unsigned from) {
                const float4 source = make_float4(__shfl_sync(mask, mine.x, from), __shfl_sync(mask, mine.y, from),
                                                  __shfl_sync(mask, mine.z, from), __shfl_sync(mask, mine.w, from));
                GravityPull<float>{task.softeningSquared}(part, one.self, source);
            };
            const unsigned held = min(width, end - base);
            if (held == 32) {
                if constexpr (kUnroll == kAutoUnroll) {
                    for (unsigned from = 0; from < 32; ++from) pull(from);
                } else {
#pragma unroll kUnroll
                    for (unsigned from = 0; from < 32; ++from) pull(from);
                }
            } else {
#pragma unroll 1
                for (unsigned from = 0; from < held; ++from) pull(from);
            }
        }
        base = min(base, end);
        accumulate(one.sum, part);
    }
    one.store();
}

__global__ void splitPlanes(CopiesTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const float4 body = asVectors(task.bodies)[i];
    const std::size_t n = task.count;
    task.copies[i] = body.x;
    task.copies[n + i] = body.y;
    task.copies[2 * n + i] = body.z;
    task.copies[3 * n + i] = body.w;
}

__global__ void splitMasses(CopiesTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const float4 body = asVectors(task.bodies)[i];
    reinterpret_cast<float3*>(task.copies)[i] = make_float3(body.x, body.y, body.z);
    task.copies[3 * static_cast<std::size_t>(task.count) + i] = body.w;
}

__global__ void packBodies(CopiesTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const float4 body = asVectors(task.bodies)[i];
    reinterpret_cast<PackedBody*>(task.copies)[i] = {body.x, body.y, body.z, 0, 0, 0, body.w};
}

}  // namespace

Kernel<ForceTask<float>> aosKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(forceAos<factor()>); });
}
Kernel<ForceTask<float>> globalKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(forceGlobal<factor()>); });
}
Kernel<ForceTask<float>> soaKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(forceSoa<factor()>); });
}
Kernel<ForceTask<float>> float3Kernel(int unroll) {
    return FewUnrolls::pick(unroll, [](auto factor) { return kernelOf(forceFloat3<factor()>); });
}
Kernel<ForceTask<float>> constantKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(forceConstant<factor()>); });
}
const void* constantSources() { return reinterpret_cast<const void*>(constantBodies); }
Kernel<CopiesTask> planesKernel() { return kernelOf(splitPlanes); }
Kernel<CopiesTask> float3CopyKernel() { return kernelOf(splitMasses); }
Kernel<CopiesTask> packedKernel() { return kernelOf(packBodies); }
Kernel<ForceTask<float>> shuffleKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(forceShuffle<factor()>); });
}

}  // namespace gravlab::cuda
