// Tiled rows that differ from `tiled` in one detail: the way to 1/r^3, or the layout of the tile.
// Rule: loads, loops and sums are those of `tiled`, so that the detail alone explains a difference in rate or error.
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

/// One root for the whole cube. r^6 leaves the range of fp32 far sooner than r^2, so it has a floor: without softening,
/// the factor of a body on itself would be infinite, and its product with the distance of 0 NaN.
__device__ __forceinline__ float rootOfSixth(float squared) {
    constexpr float kFloor = 1.2e-38f;  // the least normal number
    return rsqrtf(fmaxf(squared * squared * squared, kFloor));
}
/// rsqrtf() also handles subnormal numbers, which costs instructions that the plain estimate saves.
__device__ __forceinline__ float rootCubed(float squared) {
    const float inverse = rsqrtf(squared);
    return inverse * inverse * inverse;
}
/// Root and division are both rounded correctly: each is an estimate with a correction.
__device__ __forceinline__ float rootDivided(float squared) {
    const float inverse = __fdiv_rn(1.0f, __fsqrt_rn(squared));
    return inverse * inverse * inverse;
}

template <float (*kInverseCube)(float)>
struct RootPull {
    float softeningSquared;
    __device__ __forceinline__ void operator()(Vec3<float>& sum, const float4& target, const float4& source) const {
        const float dx = source.x - target.x;
        const float dy = source.y - target.y;
        const float dz = source.z - target.z;
        const float squared = fma(dz, dz, fma(dy, dy, fma(dx, dx, softeningSquared)));
        const float strength = source.w * kInverseCube(squared);
        sum.x = fma(dx, strength, sum.x);
        sum.y = fma(dy, strength, sum.y);
        sum.z = fma(dz, strength, sum.z);
    }
};

template <float (*kInverseCube)(float), int kUnroll>
__global__ __launch_bounds__(kTiledThreads<float, 1>, 1) void tiledRoot(ForceTask<float> task) {
    extern __shared__ unsigned char shared[];
    TiledTargets<float, kUnroll, 1> targets;
    targets.gather(task, reinterpret_cast<float4*>(shared), RootPull<kInverseCube>{task.softeningSquared});
    if (targets.firstTarget < task.targetCount) storeSum(task, targets.firstTarget, targets.sum[0], task.stride);
}

/// Places of 12 bytes and masses apart, in shared memory.
struct Float3Tile {
    float3* places;
    float* masses;
    struct Slot {
        float3& place;
        float& mass;
        __device__ __forceinline__ void operator=(const float4& body) const {
            place = make_float3(body.x, body.y, body.z);
            mass = body.w;
        }
        __device__ __forceinline__ operator float4() const { return make_float4(place.x, place.y, place.z, mass); }
    };
    __device__ __forceinline__ Slot operator[](std::uint32_t j) const { return {places[j], masses[j]}; }
};

template <int kUnroll>
__global__ __launch_bounds__(kTiledThreads<float, 1>, 1) void tiledFloat3(ForceTask<float> task) {
    extern __shared__ unsigned char shared[];
    float3* const places = reinterpret_cast<float3*>(shared);
    TiledTargets<float, kUnroll, 1> targets;
    targets.gather(task, Float3Tile{places, reinterpret_cast<float*>(places + blockDim.x)},
                   GravityPull<float>{task.softeningSquared});
    if (targets.firstTarget < task.targetCount) storeSum(task, targets.firstTarget, targets.sum[0], task.stride);
}

template <float (*kInverseCube)(float)>
Kernel<ForceTask<float>> rootOf(int unroll) {
    return FewUnrolls::pick(unroll, [](auto factor) { return kernelOf(tiledRoot<kInverseCube, factor()>); });
}

}  // namespace

Kernel<ForceTask<float>> rootKernel(CubeRoot way, int unroll) {
    return way == CubeRoot::ofSixth ? rootOf<rootOfSixth>(unroll)
           : way == CubeRoot::cubed ? rootOf<rootCubed>(unroll)
                                    : rootOf<rootDivided>(unroll);
}
Kernel<ForceTask<float>> tiledFloat3Kernel(int unroll) {
    return FewUnrolls::pick(unroll, [](auto factor) { return kernelOf(tiledFloat3<factor()>); });
}

}  // namespace gravlab::cuda
