// Trials of loops with one kind of work each.
#include "sim/backends/cpu/backend_cpu.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace gravlab::cpu {
namespace {

constexpr int kTrials = 5;
constexpr std::int64_t kRounds = 1 << 20;                   // some milliseconds on one core
constexpr std::size_t kReadFloats = std::size_t{48} << 20;  // 192 MiB: more than the caches of most processors hold

/// Runs work(thread) on every thread at once and returns the shortest time of some trials [s].
template <class Work>
double shortest(ThreadPool& pool, const Work& work) {
    std::vector<float> kept(static_cast<std::size_t>(pool.threads()));
    double least = std::numeric_limits<double>::max();
    for (int trial = 0; trial < kTrials; ++trial) {
        const auto start = std::chrono::steady_clock::now();
        pool.run(0, pool.threads(), kNoDeadline,
                 [&](std::int64_t thread) { kept[static_cast<std::size_t>(thread)] += work(thread); });
        least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    // The results must be used, or the compiler may leave the loops out.
    volatile float used = 0;
    for (const float one : kept) used = one;
    static_cast<void>(used);
    return least;
}

}  // namespace

DevicePeaks measuredPeaks(const SimdTarget& simd, ThreadPool& pool) {
    const double threads = pool.threads(), each = static_cast<double>(kRounds) * PeakLoops::kChains * simd.lanes;
    DevicePeaks peaks{.measured = true};
    peaks.multiplyAdds = threads * each / shortest(pool, [&](std::int64_t) { return simd.peaks.multiplyAdds(kRounds); });
    peaks.inverseRoots = threads * each / shortest(pool, [&](std::int64_t) { return simd.peaks.inverseRoots(kRounds); });
    const std::vector<float> memory(kReadFloats, 1.f);
    const std::size_t share = kReadFloats / static_cast<std::size_t>(pool.threads());
    peaks.bandwidth = static_cast<double>(share) * threads * sizeof(float) / shortest(pool, [&](std::int64_t thread) {
                          return simd.peaks.read(memory.data() + static_cast<std::size_t>(thread) * share, share);
                      });
    return peaks;
}

}  // namespace gravlab::cpu
