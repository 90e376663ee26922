// Sums over the lanes of a warp, for all of them. One instruction from compute capability 8.0 on.
#pragma once
#include <cstdint>

namespace gravlab::cuda {

__device__ __forceinline__ std::uint32_t warpSum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(~0u, value);
#else
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    return value;
#endif
}

__device__ __forceinline__ unsigned warpOr(unsigned value) {
#if __CUDA_ARCH__ >= 800
    return __reduce_or_sync(~0u, value);
#else
    for (int step = 16; step > 0; step /= 2) value |= __shfl_xor_sync(~0u, value, step);
    return value;
#endif
}

}  // namespace gravlab::cuda
