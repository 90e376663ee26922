// Times the memories of a device. Rule: all timed instructions are volatile assembly, which the compiler neither moves
// across a clock nor leaves out.
#include "sim/backends/memory_probe.h"

#include "sim/backends/cuda/methods/device.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/core/vertex.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>

namespace gravlab {
namespace cuda {
namespace {

/// Links every line of `lines` to the next one of nextInRing(): its first word is that line's address. One thread per line.
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

constexpr int kSectorBytes = 32, kStrideTrials = 5;
// Several times the L2 cache of the largest devices, so that nearly all reads go to memory.
constexpr std::size_t kProbeBytes = std::size_t{512} << 20, kManagedBytes = std::size_t{256} << 20;

struct ChaseRow {
    std::string_view from;
    void (*kernel)(ChaseTask);
    std::size_t ringBytes;  ///< 0: no ring in global memory
    std::uint32_t warm, steps;
};
// A warm ring was read once, so that it lies in the named cache.
const ChaseRow kChases[] = {
    {"register, a multiply-add", chaseRing<ChaseWay::multiplyAdd>, 0, 1024, 65536},
    {"shuffle within a warp", chaseRing<ChaseWay::shuffle>, 0, 1024, 32768},
    {"shared memory", chaseRing<ChaseWay::shared>, 0, 1024, 32768},
    {"L1 cache, within 16 KiB", chaseRing<ChaseWay::cached>, std::size_t{16} << 10, 1024, 32768},
    {"L2 cache, within 1 MiB", chaseRing<ChaseWay::uncached>, std::size_t{1} << 20, 8192, 16384},
    {"memory, within 256 MiB", chaseRing<ChaseWay::uncached>, std::size_t{256} << 20, 0, 8192},
};
enum class PassKind { device, copy, managedFirst, managedLater, managedBack, vertices };
struct PassRow {
    std::string_view what;
    PassKind kind;
    std::size_t bodies = 0;  ///< whose vertices are copied
};
constexpr PassRow kPasses[] = {
    {"read of device memory by a kernel", PassKind::device},
    {kDeviceCopy, PassKind::copy},
    {"read of managed memory that the host has written: its pages move", PassKind::managedFirst},
    {"read of managed memory again", PassKind::managedLater},
    {"managed memory written by the host: its pages move back", PassKind::managedBack},
    {"vertices of 65,536 bodies to the host and back, as --copy-vertices", PassKind::vertices, 65'536},
    {"vertices of 1,048,576 bodies to the host and back", PassKind::vertices, 1'048'576},
    {"vertices of 10,000,000 bodies to the host and back", PassKind::vertices, 10'000'000},
};

static_assert(std::ranges::all_of(kPasses,
                                  [](const PassRow& row) { return row.bodies * sizeof(ParticleVertex) <= kProbeBytes; }));

class DeviceMemoryProbe final : public MemoryProbe {
public:
    explicit DeviceMemoryProbe(const BackendOptions& options) {
        CUDA_CHECK(setDevice(options.device));
        CUDA_CHECK(deviceFacts(options.device, device_));
        clock_.emplace();
        memory_ = DeviceArray<std::uint64_t>(kProbeBytes / sizeof(std::uint64_t));
        result_ = DeviceArray<ChaseTask::Result>(1);
        sum_ = DeviceArray<float>(1);
        host_ = PinnedArray<ChaseTask::Result>(1);
    }
    ~DeviceMemoryProbe() override {
        setDevice(device_.index);
        if (clock_) waitForStream(clock_->stream);
    }

    std::size_t rows() const override { return std::size(kChases) + std::size(kStrides) + std::size(kPasses); }

    bool measure(MemoryTimes& times) override {
        CUDA_CHECK(setDevice(device_.index));
        times.device = deviceText(device_);
        times.unitBytes = kSectorBytes;
        std::size_t row = next_;
        if (row < std::size(kChases)) {
            times.latencies.push_back(latencyOf(kChases[row]));
        } else if ((row -= std::size(kChases)) < std::size(kStrides)) {
            times.strides.push_back(stridedRead(kStrides[row], kSectorBytes, memory_.bytes(), readDevice(kStrides[row])));
        } else if ((row -= std::size(kStrides)) < std::size(kPasses)) {
            times.passes.push_back(passOf(kPasses[row]));
        }
        return ++next_ < rows();
    }

private:
    MemoryLatency latencyOf(const ChaseRow& row) {
        if (const std::uint64_t lines = row.ringBytes / kRingLineBytes; lines > 0) {
            launchEach(kernelOf(linkRing), lines, kProbeThreads, {memory_.data(), lines}, clock_->stream);
            // The other half of the memory displaces the new links from the caches.
            if (row.warm == 0)
                CUDA_CHECK(fillAsync(memory_.data() + memory_.size() / 2, 0, memory_.bytes() / 2, clock_->stream));
        }
        // The first launch loads the code.
        for (const std::uint32_t steps : {kChaseUnroll, row.steps})
            launchKernel(kernelOf(row.kernel), {1}, 32, {memory_.data(), row.warm, steps, result_.data()}, 0,
                         clock_->stream);
        copyNow(host_.data(), result_.data(), 1, Copy::toHost, clock_->stream);
        const ChaseTask::Result& found = *host_.data();
        return {row.from, static_cast<double>(found.nanoseconds) / row.steps, static_cast<double>(found.clocks) / row.steps};
    }

    /// Seconds between two events around the enqueued work.
    template <class Enqueue>
    double timeOf(const Enqueue& enqueue) {
        CUDA_CHECK(recordEvent(clock_->first, clock_->stream));
        enqueue();
        CUDA_CHECK(recordEvent(clock_->last, clock_->stream));
        CUDA_CHECK(waitForEvent(clock_->last));
        return secondsBetween(clock_->first, clock_->last);
    }
    template <class Time>
    static double shortest(const Time& time) {
        double least = time();
        for (int trial = 1; trial < kStrideTrials; ++trial) least = std::min(least, time());
        return least;
    }
    double readTime(const void* memory, std::size_t bytes, int stride) {
        const std::uint64_t reads = bytes / sizeof(float) / static_cast<unsigned>(stride);
        const auto blocks = static_cast<unsigned>(8 * std::max(1, device_.multiprocessors));
        return timeOf([&] {
            launchKernel(kernelOf(readStrided), {blocks}, kProbeThreads,
                         {static_cast<const float*>(memory), reads, static_cast<std::uint32_t>(stride), sum_.data()}, 0,
                         clock_->stream);
        });
    }
    double readDevice(int stride) {
        if (!cleared_) CUDA_CHECK(fillAsync(memory_.data(), 0, memory_.bytes(), clock_->stream));
        cleared_ = true;
        return shortest([&] { return readTime(memory_.data(), memory_.bytes(), stride); });
    }
    MemoryPass passOf(const PassRow& row) {
        constexpr double kManaged = kManagedBytes;
        switch (row.kind) {
            case PassKind::device:
                return {row.what, kProbeBytes, readDevice(1)};
            case PassKind::copy: {
                const auto copy = [&] {
                    CUDA_CHECK(copyAsync(memory_.data() + memory_.size() / 2, memory_.data(), memory_.bytes() / 2,
                                         Copy::onDevice, clock_->stream));
                };
                return {row.what, kProbeBytes, shortest([&] { return timeOf(copy); })};
            }
            case PassKind::managedFirst:
                managed_ = ManagedArray<unsigned char>(kManagedBytes);
                std::memset(managed_.data(), 0, managed_.bytes());
                return {row.what, kManaged, readTime(managed_.data(), managed_.bytes(), 1)};
            case PassKind::managedLater:
                return {row.what, kManaged, readTime(managed_.data(), managed_.bytes(), 1)};
            case PassKind::managedBack: {
                const auto start = std::chrono::steady_clock::now();
                std::memset(managed_.data(), 0, managed_.bytes());
                const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
                managed_ = {};
                return {row.what, kManaged, passed.count()};
            }
            case PassKind::vertices:
                break;
        }
        const PinnedArray<ParticleVertex> vertices(row.bodies);
        const auto copies = [&] {
            CUDA_CHECK(copyAsync(vertices.data(), memory_.data(), vertices.bytes(), Copy::toHost, clock_->stream));
            CUDA_CHECK(copyAsync(memory_.data(), vertices.data(), vertices.bytes(), Copy::toDevice, clock_->stream));
        };
        return {row.what, 2.0 * static_cast<double>(vertices.bytes()), shortest([&] { return timeOf(copies); })};
    }

    /// Made once the device is current.
    struct Clock {
        OwnedStream stream;
        OwnedEvent first, last;
    };
    DeviceFacts device_;
    std::optional<Clock> clock_;
    DeviceArray<std::uint64_t> memory_;
    DeviceArray<ChaseTask::Result> result_;
    DeviceArray<float> sum_;
    PinnedArray<ChaseTask::Result> host_;
    ManagedArray<unsigned char> managed_;
    bool cleared_ = false;  ///< after the rings
    std::size_t next_ = 0;
};

}  // namespace
}  // namespace cuda

std::unique_ptr<MemoryProbe> cudaMemoryProbe(const BackendOptions& options) {
    return std::make_unique<cuda::DeviceMemoryProbe>(options);
}

}  // namespace gravlab
