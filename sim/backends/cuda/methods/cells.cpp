// Laws that end: bodies are sorted by cells as large as the reach of the law, and each sums what is in the cells about it.
#include "sim/backends/cuda/kernels/cells.h"

#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/forces/cell_grid.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace gravlab::cuda {
namespace {

// Bodies a second, until it is measured.
constexpr double kExpectedBodies = 1e8;
// What it takes to sort them, in walks.
constexpr double kSortShare = 0.5;
// Events and copies for the lab would slow short evaluations down if each had them.
constexpr std::chrono::milliseconds kCellsTimed{20};

template <class Real>
class Cells final : public DeviceForceMethod<Real> {
    using Base = DeviceForceMethod<Real>;

public:
    explicit Cells(const MethodParts& parts)
        : Base(parts.plan, parts.count, std::make_shared<RateEstimate>(kExpectedBodies)),
          stream_(parts.stream),
          threads_(static_cast<unsigned>(parts.plan.launch.block)) {
        const std::uint32_t n = parts.count;
        if (n == 0) return;
        key_ = DeviceArray<std::uint64_t>(n);
        sortedKey_ = DeviceArray<std::uint64_t>(n);
        index_ = DeviceArray<std::uint32_t>(n);
        order_ = DeviceArray<std::uint32_t>(n);
        sorted_ = DeviceArray<Vec4<Real>>(n);
        facts_ = DeviceArray<CellFacts>(1);
        pairs_ = DeviceArray<unsigned long long>(1);
        scratch_ = DeviceArray<std::uint8_t>(treeScratchBytes(n, 1));
        readBack_ = PinnedArray<ReadBack>(1);
        CUDA_CHECK(fillAsync(pairs_.data(), 0, pairs_.bytes(), stream_));
    }

    // In bodies walked; sorting them counts as so many more.
    double work() const override { return (1 + kSortShare) * this->count(); }
    double rated(const ForceWork& work) const override { return work.bodies; }
    std::vector<MethodFigure> figures() const override { return figures_; }

private:
    /// What the host looks at once it is there.
    struct ReadBack {
        CellFacts facts;
        unsigned long long pairs;
    };

    ForceProgress enqueuePairs(double bodies) override {
        const std::uint32_t n = this->count();
        if (n == 0) return {.complete = true};
        ForceProgress done{.work = takeCounts()};
        if (next_ == 0) {
            const auto now = std::chrono::steady_clock::now();
            timed_ = !reading_ && now - timedAt_ > kCellsTimed;
            if (timed_) timedAt_ = now;
            sortBodies();
            done.work.bodies += kSortShare * n;
        }
        // Whole blocks, so that a warp has the same bodies however the walk is cut.
        const double blocks = std::ceil(std::clamp<double>(bodies, 1, n) / threads_);
        const auto places = static_cast<std::uint32_t>(std::min<double>(blocks * threads_, n - next_));
        walk(next_, next_ + places);
        done.work.bodies += places;
        next_ += places;
        if (next_ < n) return done;
        next_ = 0;
        done.complete = true;
        ++evaluations_;
        mark(kSummed);
        readCounts();
        return done;
    }
    double nextPairs(double seconds) const override { return std::min<double>(this->count(), this->pairsIn(seconds)); }
    double doneShare() const override { return static_cast<double>(next_) / this->count(); }
    void rewind() override { next_ = 0; }

    CellTask<Real> task() const {
        return {.bodies = this->bodies().positions,
                .count = this->count(),
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
        mark(kBegun);
        launchKernel(cellKeyKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        TreeTask keys{};  // of as many bits
        static_assert(kCellKeyBits == kTreeKeyBits);
        keys.count = task.count;
        keys.key = task.key;
        keys.sortedKey = task.sortedKey;
        keys.index = task.index;
        keys.order = task.order;
        sortTreeKeys(keys, scratch_.data(), scratch_.size(), stream_);
        launchKernel(cellGatherKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        mark(kSorted);
        if (!timed_) return;
        CUDA_CHECK(fillAsync(facts_.data(), 0, facts_.bytes(), stream_));
        launchKernel(cellFactsKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        mark(kCounted);
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

    // Ends of the parts of an evaluation.
    enum Mark : std::size_t { kBegun, kSorted, kCounted, kSummed, kMarks };
    void mark(std::size_t which) {
        if (timed_) CUDA_CHECK(recordEvent(marks_[which], stream_));
    }

    /// Fetches what was counted, unless an earlier copy was on its way when this evaluation began: the next one has it all.
    void readCounts() {
        if (!timed_) return;
        reading_ = true;
        readAt_ = evaluations_;
        CUDA_CHECK(copyAsync(&readBack_.data()->facts, facts_.data(), sizeof(CellFacts), Copy::toHost, stream_));
        CUDA_CHECK(copyAsync(&readBack_.data()->pairs, pairs_.data(), sizeof(unsigned long long), Copy::toHost, stream_));
        CUDA_CHECK(recordEvent(arrivedHere_, stream_));
    }
    /// What has been counted since it was last asked.
    ForceWork takeCounts() {
        if (!reading_ || !arrivedHere_.reached()) return {};
        reading_ = false;
        const ReadBack& now = *readBack_.data();
        const double n = this->count(), pairs = static_cast<double>(now.pairs - told_);
        const double aBody = pairs / (n * static_cast<double>(readAt_ - toldAt_));
        told_ = now.pairs;
        toldAt_ = readAt_;
        const double cells = now.facts.cells;
        figures_ = {{"cells", "", cells},
                    {"bodies a cell", "", n / std::max(1.0, cells)},
                    {"most in a cell", "", static_cast<double>(now.facts.most)},
                    {"bodies a body", "", aBody},
                    {"share of all pairs", "", aBody / n}};
        // What is counted for the lab alone is no part of the time.
        constexpr std::string_view kParts[] = {"", "keys and sort", "", "walk"};
        for (std::size_t k = kSorted; k < kMarks; ++k) {
            if (kParts[k].empty()) continue;
            float milliseconds = 0;
            CUDA_CHECK(elapsedMilliseconds(milliseconds, marks_[k - 1], marks_[k]));
            figures_.push_back({kParts[k], "s", 1e-3 * static_cast<double>(milliseconds)});
        }
        timed_ = false;
        return {.pairs = pairs};
    }

    Stream stream_;
    unsigned threads_;        ///< a block of the walk
    std::uint32_t next_ = 0;  ///< place of the next slice
    DeviceArray<std::uint64_t> key_, sortedKey_;
    DeviceArray<std::uint32_t> index_, order_;
    DeviceArray<Vec4<Real>> sorted_;
    DeviceArray<CellFacts> facts_;
    DeviceArray<unsigned long long> pairs_;  ///< of all evaluations
    DeviceArray<std::uint8_t> scratch_;
    PinnedArray<ReadBack> readBack_;
    OwnedEvent arrivedHere_;
    bool reading_ = false;
    std::chrono::steady_clock::time_point timedAt_{};
    bool timed_ = false;  ///< the evaluation under way, or the one that is being read
    std::array<OwnedEvent, kMarks> marks_;
    unsigned long long told_ = 0;
    std::uint64_t evaluations_ = 0, readAt_ = 0, toldAt_ = 0;  ///< ended; when pairs were fetched, and told of
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
