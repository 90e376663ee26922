// Kernels that time the memories of a device. Rule: all timed instructions are volatile assembly, which the compiler neither
// moves across a clock nor leaves out.
#include "sim/backends/cuda/jobs/memory_probe.h"

#include "sim/backends/memory_probe.h"

#include <cuda_runtime.h>

namespace gravlab::cuda {
namespace {

__device__ __forceinline__ std::uint64_t clockNow() {
    std::uint64_t clock;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(clock)::"memory");
    return clock;
}
__device__ __forceinline__ std::uint64_t nanosecondsNow() {
    std::uint64_t time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

__global__ void linkRing(RingTask task) {
    const std::uint64_t line = static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    constexpr std::uint64_t kWords = kRingLineBytes / sizeof(std::uint64_t);
    if (line >= task.count) return;
    task.lines[line * kWords] = reinterpret_cast<std::uint64_t>(task.lines + nextInRing(line, task.count) * kWords);
}

template <ChaseWay kWay>
__device__ __forceinline__ void chaseOne(std::uint64_t& at) {
    if constexpr (kWay == ChaseWay::multiplyAdd) {
        float value = __uint_as_float(static_cast<unsigned>(at));
        asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(value));
        at = __float_as_uint(value);
    }
    if constexpr (kWay == ChaseWay::shuffle) {
        unsigned lane = static_cast<unsigned>(at);
        asm volatile("shfl.sync.idx.b32 %0, %0, %0, 0x1f, 0xffffffff;" : "+r"(lane));
        at = lane;
    }
    if constexpr (kWay == ChaseWay::shared) {
        unsigned address = static_cast<unsigned>(at);
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address)::"memory");
        at = address;
    }
    if constexpr (kWay == ChaseWay::cached) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
    if constexpr (kWay == ChaseWay::uncached) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
}

template <ChaseWay kWay>
__global__ void chaseRing(ChaseTask task) {
    __shared__ unsigned ring[kSharedRing];
    std::uint64_t at = reinterpret_cast<std::uint64_t>(task.start);
    if constexpr (kWay == ChaseWay::multiplyAdd) at = 0;
    if constexpr (kWay == ChaseWay::shuffle) at = threadIdx.x % 32;  // the assembler would fold shuffles of a constant
    if constexpr (kWay == ChaseWay::shared) {
        const auto first = static_cast<unsigned>(__cvta_generic_to_shared(ring));
        for (unsigned word = threadIdx.x; word < kSharedRing; word += blockDim.x)
            ring[word] = first + static_cast<unsigned>(nextInRing(word, kSharedRing) * sizeof(unsigned));
        __syncthreads();
        at = first;
    }
#pragma unroll 1
    for (std::uint32_t step = 0; step < task.warm; step += kChaseUnroll) {
#pragma unroll
        for (std::uint32_t k = 0; k < kChaseUnroll; ++k) chaseOne<kWay>(at);
    }
    const std::uint64_t time = nanosecondsNow(), clock = clockNow();
#pragma unroll 1
    for (std::uint32_t step = 0; step < task.steps; step += kChaseUnroll) {
#pragma unroll
        for (std::uint32_t k = 0; k < kChaseUnroll; ++k) chaseOne<kWay>(at);
    }
    // The last result must be there before the clock is read: the branch depends on it.
    if (at == 1) *task.result = {};
    const std::uint64_t clocks = clockNow() - clock, nanoseconds = nanosecondsNow() - time;
    if (threadIdx.x == 0) *task.result = {clocks, nanoseconds, at};
}

__global__ __launch_bounds__(kProbeThreads) void readStrided(StrideTask task) {
    float sum = 0;
    const std::uint64_t threads = static_cast<std::uint64_t>(gridDim.x) * kProbeThreads;
#pragma unroll 8
    for (std::uint64_t i = static_cast<std::uint64_t>(blockIdx.x) * kProbeThreads + threadIdx.x; i < task.reads;
         i += threads)
        sum += task.values[i * task.stride];
    if (sum != 0) *task.sum = sum;
}

}  // namespace

Kernel<RingTask> ringKernel() { return kernelOf(linkRing); }
Kernel<StrideTask> strideKernel() { return kernelOf(readStrided); }
Kernel<ChaseTask> chaseKernel(ChaseWay way) {
    switch (way) {
        case ChaseWay::multiplyAdd:
            return kernelOf(chaseRing<ChaseWay::multiplyAdd>);
        case ChaseWay::shuffle:
            return kernelOf(chaseRing<ChaseWay::shuffle>);
        case ChaseWay::shared:
            return kernelOf(chaseRing<ChaseWay::shared>);
        case ChaseWay::cached:
            return kernelOf(chaseRing<ChaseWay::cached>);
        case ChaseWay::uncached:
            break;
    }
    return kernelOf(chaseRing<ChaseWay::uncached>);
}

}  // namespace gravlab::cuda
