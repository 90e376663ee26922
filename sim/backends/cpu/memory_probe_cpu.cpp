// Times of a processor's memories, on one thread: dependent reads along a ring, and sums over numbers at strides.
#include "sim/backends/memory_probe.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

namespace gravlab {
namespace {

constexpr std::size_t kLineBytes = 64, kLineWords = kLineBytes / sizeof(std::uint64_t);
constexpr std::size_t kLargestRing = std::size_t{128} << 20;  // more than the caches of most processors hold
// Many short trials: other programs interrupt some of them, and the shortest counts.
constexpr int kProbeTrials = 40, kChaseSteps = 1 << 13;

struct RingRow {
    std::string_view from;
    std::size_t bytes;  ///< 0: no memory, but a chain of multiply-adds
};
constexpr RingRow kRings[] = {{"register, a multiply-add", 0},
                              {"L1 cache, within 16 KiB", std::size_t{16} << 10},
                              {"L2 cache, within 256 KiB", std::size_t{256} << 10},
                              {"L3 cache, within 4 MiB", std::size_t{4} << 20},
                              {"memory, within 128 MiB", kLargestRing}};

template <class Work>
double shortestOf(int trials, const Work& work) {
    double least = std::numeric_limits<double>::max();
    for (int trial = 0; trial < trials; ++trial) {
        const auto start = std::chrono::steady_clock::now();
        work();
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return least;
}

class CpuMemoryProbe final : public MemoryProbe {
public:
    explicit CpuMemoryProbe(const BackendOptions& options)
        : device_(backend("cpu").make(options)->description()), words_(kLargestRing / sizeof(std::uint64_t)) {}

    std::size_t rows() const override { return std::size(kRings) + std::size(kStrides); }

    bool measure(MemoryTimes& times) override {
        times.device = device_;
        times.unitBytes = static_cast<int>(kLineBytes);
        if (next_ < std::size(kRings)) {
            const RingRow& row = kRings[next_];
            times.latencies.push_back({row.from, 1e9 * latencyOf(row.bytes), 0});
        } else if (next_ < rows()) {
            times.strides.push_back(readAt(kStrides[next_ - std::size(kRings)]));
        }
        return ++next_ < rows();
    }

private:
    /// Seconds of a dependent step.
    double latencyOf(std::size_t bytes) {
        volatile float seed = 1;
        if (bytes == 0) {
            float value = seed;
            const float factor = seed;
            const double seconds = shortestOf(kProbeTrials, [&] {
                for (int step = 0; step < kChaseSteps; ++step) value = value * factor + factor;
            });
            seed = value;
            return seconds / kChaseSteps;
        }
        const std::uint64_t lines = bytes / kLineBytes;
        for (std::uint64_t line = 0; line < lines; ++line) words_[line * kLineWords] = nextInRing(line, lines) * kLineWords;
        std::uint64_t at = 0;
        // The first trial warms the caches; on the ring of the memory each trial continues where the last one ended.
        const double seconds = shortestOf(kProbeTrials, [&] {
            for (int step = 0; step < kChaseSteps; ++step) at = words_[at];
        });
        volatile std::uint64_t used = at;
        static_cast<void>(used);
        return seconds / kChaseSteps;
    }

    StridedRead readAt(int stride) {
        const auto* const values = reinterpret_cast<const std::uint32_t*>(words_.data());
        const std::size_t step = static_cast<std::size_t>(stride), all = kLargestRing / sizeof(std::uint32_t);
        std::uint32_t sum = 0;
        const double seconds = shortestOf(3, [&] {
            for (std::size_t i = 0; i < all; i += step) sum += values[i];
        });
        volatile std::uint32_t used = sum;
        static_cast<void>(used);
        return stridedRead(stride, static_cast<int>(kLineBytes), kLargestRing, seconds);
    }

    std::string device_;
    std::vector<std::uint64_t> words_;
    std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<MemoryProbe> cpuMemoryProbe(const BackendOptions& options) {
    return std::make_unique<CpuMemoryProbe>(options);
}

}  // namespace gravlab
