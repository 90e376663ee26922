// Kernels that time the memories of a device, as the host sees them.
#pragma once
#include "sim/backends/cuda/runtime/launch.h"

#include <cstdint>

namespace gravlab::cuda {

/// Links every line of `lines` to the next one of nextInRing(): its first word is that line's address. One thread a line.
struct RingTask {
    std::uint64_t* lines;
    std::uint64_t count;  ///< lines, a power of two
};
constexpr std::uint32_t kRingLineBytes = 128;

/// A chain of dependent instructions in one warp. `cached` and `uncached` read along a ring: through L1, and from L2 on.
enum class ChaseWay { multiplyAdd, shuffle, shared, cached, uncached };
struct ChaseTask {
    const std::uint64_t* start;
    std::uint32_t warm, steps;  ///< multiples of kChaseUnroll; `warm` steps come first and are not timed
    struct Result {
        std::uint64_t clocks, nanoseconds, last;
    } * result;
};
constexpr std::uint32_t kChaseUnroll = 16;
/// Words of shared memory on the ring of `shared`.
constexpr std::uint32_t kSharedRing = 1024;

/// Sums `reads` numbers that lie `stride` apart. Numbers that are all 0 leave `sum` unwritten.
struct StrideTask {
    const float* values;
    std::uint64_t reads;
    std::uint32_t stride;
    float* sum;
};
constexpr unsigned kProbeThreads = 256;

Kernel<RingTask> ringKernel();
Kernel<ChaseTask> chaseKernel(ChaseWay way);
Kernel<StrideTask> strideKernel();

}  // namespace gravlab::cuda
