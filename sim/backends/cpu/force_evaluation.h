// One evaluation of the forces on all bodies, cut into pieces that can be run in several calls and on several threads.
// Rule: which pieces there are depends on N and the row alone, and pieces that share a target run in a fixed order.
#pragma once
#include "sim/backends/cpu/kernels/force_kernels.h"
#include "sim/backends/cpu/thread_pool.h"
#include "sim/backends/kernel.h"

#include <atomic>
#include <cstdint>
#include <memory>

namespace gravlab::cpu {

/// Up to here a force takes 15 microseconds or less with SIMD: sharing it would cost more than it brings.
constexpr std::size_t kTinyBodies = 256;

/// Who runs the pieces.
enum class Sharing { oneThread, pool, openMp };

/// A CPU row in code: which loop, and who runs it.
template <class T>
struct ForceKernel {
    KernelSet<T> loops;
    WorkShape shape = WorkShape::targets;
    Sharing sharing = Sharing::pool;
};

template <class T>
class ForcePass {
public:
    /// Starts an evaluation. Without `closeSums` the sums are left in their two parts, for whoever adds them in more digits.
    /// All arguments' arrays must live until it is complete or begun anew.
    void begin(const ForceKernel<T>& kernel, const BodyView<T>& bodies, const SumView<T>& sums, const ForceSettings& force,
               int threads, bool closeSums = true);
    /// Forgets what was done.
    void reset() { done_ = total_ = 0; }
    bool begun() const { return total_ > 0; }
    bool complete() const { return done_ == total_; }
    double progress() const { return total_ ? static_cast<double>(done_) / static_cast<double>(total_) : 0; }
    /// Runs pieces until the deadline, at least one.
    void run(ThreadPool& pool, Deadline deadline);

private:
    void runTargets(std::int64_t index);
    void runPairs(std::int64_t index);
    TargetPiece targetPiece(std::int64_t index) const;
    template <class Run>
    void share(ThreadPool& pool, Deadline deadline, Run run);
    void runOpenMpPieces(int threads, Deadline deadline);

    ForceKernel<T> kernel_;
    BodyView<T> bodies_{};
    SumView<T> sums_{};
    ForceSettings force_;
    std::int64_t done_ = 0, total_ = 0;
    std::size_t chunk_ = 0;    // targets or bodies of a piece
    std::int64_t chunks_ = 0;  // of all bodies
    bool closeSums_ = true;
    bool inline_ = false;  // too small to be worth waking anyone
    // For each chunk how many of its pieces are done; a piece waits for its turn.
    std::unique_ptr<std::atomic<std::int64_t>[]> turn_;
    std::int64_t turns_ = 0;
};

extern template class ForcePass<float>;
extern template class ForcePass<double>;

}  // namespace gravlab::cpu
