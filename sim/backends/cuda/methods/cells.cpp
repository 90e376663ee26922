// Laws with a finite reach: bodies are sorted into cells as large as the reach, and each body sums over the cells around it.
#include "sim/backends/cuda/kernels/cells.h"

#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/methods/timed_counts.h"
#include "sim/forces/cell_grid.h"

#include <algorithm>
#include <cmath>

namespace gravlab::cuda {
namespace {

// Bodies a second, until the rate is measured.
constexpr double kExpectedBodies = 1e8;
// Cost of the sort, in units of a walk.
constexpr double kSortShare = 0.5;

template <class Real>
class Cells final : public DeviceForceMethod<Real> {
    using Base = DeviceForceMethod<Real>;

public:
    explicit Cells(const MethodParts& parts)
        : Base(parts.plan, parts.count, std::make_shared<RateEstimate>(kExpectedBodies)),
          stream_(parts.stream),
          threads_(static_cast<unsigned>(parts.plan.launch.block)),
          counts_(parts.stream) {
        const std::uint32_t n = parts.count;
        if (n == 0) return;
        key_ = DeviceArray<std::uint64_t>(n);
        sortedKey_ = DeviceArray<std::uint64_t>(n);
        index_ = DeviceArray<std::uint32_t>(n);
        order_ = DeviceArray<std::uint32_t>(n);
        sorted_ = DeviceArray<Vec4<Real>>(n);
        facts_ = DeviceArray<CellFacts>(1);
        pairs_ = DeviceArray<unsigned long long>(1);
        scratch_ = DeviceArray<std::uint8_t>(sortBytes(n, kCellKeyBits + 1));
        counts_.allocate();
        CUDA_CHECK(fillAsync(pairs_.data(), 0, pairs_.bytes(), stream_));
    }

    // Progress in bodies; sorting counts as kSortShare * N.
    double work() const override { return (1 + kSortShare) * this->count(); }
    double rated(const ForceWork& work) const override { return work.bodies; }
    std::vector<MethodFigure> figures() const override { return figures_; }

private:
    ForceProgress enqueuePairs(double bodies) override {
        const std::uint32_t n = this->count();
        if (n == 0) return {.complete = true};
        ForceProgress done{.work = takeCounts()};
        if (next_ == 0) {
            counts_.begin();
            sortBodies();
            done.work.bodies += kSortShare * n;
        }
        // A slice is whole blocks, so that the bodies of a warp do not depend on the slices.
        const double blocks = std::ceil(std::clamp<double>(bodies, 1, n) / threads_);
        const auto places = static_cast<std::uint32_t>(std::min<double>(blocks * threads_, n - next_));
        walk(next_, next_ + places);
        done.work.bodies += places;
        next_ += places;
        if (next_ < n) return done;
        next_ = 0;
        done.complete = true;
        ++evaluations_;
        counts_.mark(kSummed);
        counts_.fetch(facts_.data(), pairs_.data(), evaluations_);
        return done;
    }
    double nextPairs(double seconds) const override { return std::min<double>(this->count(), this->pairsIn(seconds)); }
    double doneShare() const override { return static_cast<double>(next_) / this->count(); }
    void rewind() override { next_ = 0; }

    std::size_t sources() const { return this->request().sources.among(this->count()); }
    CellTask<Real> task() const {
        return {.bodies = this->bodies().positions,
                .count = this->count(),
                .fewSources = sources() < this->count(),
                .perLength = cellsPerLength(this->request().settings),
                .key = key_.data(),
                .sortedKey = sortedKey_.data(),
                .index = index_.data(),
                .order = order_.data(),
                .sorted = sorted_.data(),
                .facts = facts_.data()};
    }
    void sortBodies() {
        const Dim blocks{(this->count() + kCellThreads - 1) / kCellThreads};
        const CellTask<Real> task = this->task();
        counts_.mark(kBegun);
        launchKernel(cellKeyKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        KeySort keys = keysOf(task);
        keys.bits = task.fewSources ? kCellKeyBits + 1 : kCellKeyBits;
        sortKeys(keys, scratch_.data(), scratch_.size(), stream_);
        launchKernel(cellGatherKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        counts_.mark(kSorted);
        if (!counts_.timed()) return;
        CUDA_CHECK(fillAsync(facts_.data(), 0, facts_.bytes(), stream_));
        launchKernel(cellFactsKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        counts_.mark(kCounted);
    }
    void walk(std::uint32_t first, std::uint32_t end) {
        const ForceRequest& request = this->request();
        withLoopLaw<Real>(request.settings, request.smallestR2, [&]<class Law>(const Law&) {
            if constexpr (Law::kEnds)
                launchKernel(cellWalkKernel<Real, Law>(), {cellWalkBlocks(end - first, 0, threads_)}, threads_,
                             {.sorted = sorted_.data(),
                              .sortedKey = sortedKey_.data(),
                              .order = order_.data(),
                              .sums = this->bodies().sums,
                              .count = this->count(),
                              .first = first,
                              .end = end,
                              .pairs = pairs_.data(),
                              .law = Law(request.settings, request.smallestR2),
                              .active = request.active},
                             0, stream_);
        });
    }

    // Ends of the phases of an evaluation.
    enum Mark : std::size_t { kBegun, kSorted, kCounted, kSummed, kMarks };

    /// Counts since the last call.
    ForceWork takeCounts() {
        const auto taken = counts_.take();
        if (!taken) return {};
        const double n = this->count(), acting = static_cast<double>(sources()),
                     pairs = static_cast<double>(taken->now - taken->before);
        const double aBody = pairs / (n * taken->done), cells = taken->facts.cells;
        figures_ = {{"cells", "", cells},
                    {"bodies a cell", "", acting / std::max(1.0, cells)},
                    {"most in a cell", "", static_cast<double>(taken->facts.most)},
                    {"bodies a body", "", aBody},
                    {"share of all pairs", "", aBody / n}};
        // The phase that only counts for the lab has no name, so its time is left out.
        counts_.addTimes({"keys and sort", "", "walk"}, figures_);
        return {.pairs = pairs};
    }

    Stream stream_;
    unsigned threads_;        ///< a block of the walk
    std::uint32_t next_ = 0;  ///< place of the next slice
    DeviceArray<std::uint64_t> key_, sortedKey_;
    DeviceArray<std::uint32_t> index_, order_;
    DeviceArray<Vec4<Real>> sorted_;
    DeviceArray<CellFacts> facts_;
    DeviceArray<unsigned long long> pairs_;  ///< pairs of all evaluations
    DeviceArray<std::uint8_t> scratch_;
    TimedCounts<CellFacts, unsigned long long, kMarks> counts_;
    std::uint64_t evaluations_ = 0;  ///< finished evaluations
    std::vector<MethodFigure> figures_;
};

}  // namespace

template <class Real>
MadeMethod<Real> makeCells(const MethodParts& parts) {
    return std::make_unique<Cells<Real>>(parts);
}
template MadeMethod<float> makeCells(const MethodParts&);
template MadeMethod<double> makeCells(const MethodParts&);

}  // namespace gravlab::cuda
