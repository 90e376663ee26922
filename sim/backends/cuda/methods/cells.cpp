// Laws with a finite reach: bodies are sorted into cells as large as the reach, and each body sums over the cells around it.
#include "sim/backends/cuda/kernels/cells.h"

#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/methods/cut_off.h"
#include "sim/forces/cell_grid.h"

#include <limits>

namespace gravlab::cuda {
namespace {

// Bodies a second, until the rate is measured.
constexpr double kExpectedBodies = 1e8;
// Cost of the sort, in units of a walk.
constexpr double kSortShare = 0.5;

template <class Real>
class Cells final : public CutOffMethod<Real, CellFacts> {
    using Base = CutOffMethod<Real, CellFacts>;
    using Base::counts_, Base::pairs_, Base::stream_, Base::threads_;

public:
    explicit Cells(const MethodParts& parts) : Base(parts, kExpectedBodies, std::numeric_limits<double>::infinity()) {
        const std::uint32_t n = parts.count;
        if (n == 0) return;
        key_ = DeviceArray<std::uint64_t>(n);
        sortedKey_ = DeviceArray<std::uint64_t>(n);
        index_ = DeviceArray<std::uint32_t>(n);
        order_ = DeviceArray<std::uint32_t>(n);
        sorted_ = DeviceArray<Vec4<Real>>(n);
        facts_ = DeviceArray<CellFacts>(1);
        scratch_ = DeviceArray<std::uint8_t>(sortBytes(n, kCellKeyBits + 1));
    }

    double work() const override { return (1 + kSortShare) * this->count(); }

private:
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
    double begin() override {
        const Dim blocks{(this->count() + kCellThreads - 1) / kCellThreads};
        const CellTask<Real> task = this->task();
        counts_.mark(Base::kBegun);
        launchKernel(cellKeyKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        KeySort keys = keysOf(task);
        keys.bits = task.fewSources ? kCellKeyBits + 1 : kCellKeyBits;
        sortKeys(keys, scratch_.data(), scratch_.size(), stream_);
        launchKernel(cellGatherKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        counts_.mark(Base::kFirst);
        const double work = kSortShare * this->count();
        if (!counts_.timed()) return work;
        CUDA_CHECK(fillAsync(facts_.data(), 0, facts_.bytes(), stream_));
        launchKernel(cellFactsKernel<Real>(), blocks, kCellThreads, task, 0, stream_);
        counts_.mark(Base::kSecond);
        return work;
    }
    void walk(std::uint32_t first, std::uint32_t end) override {
        const ForceRequest& request = this->request();
        withLoopLaw<Real>(request.settings, request.smallestR2, [&]<class Law>(const Law&) {
            if constexpr (Law::kEnds)
                launchKernel(cellWalkKernel<Real, Law>(), {cellWalkBlocks(end - first, 0, this->threads_)}, this->threads_,
                             {.sorted = sorted_.data(),
                              .sortedKey = sortedKey_.data(),
                              .order = order_.data(),
                              .sums = this->bodies().sums,
                              .count = this->count(),
                              .first = first,
                              .end = end,
                              .pairs = this->pairs_.data(),
                              .law = Law(request.settings, request.smallestR2),
                              .active = request.active},
                             0, this->stream_);
        });
    }

    const CellFacts* facts() const override { return facts_.data(); }
    std::vector<MethodFigure> figuresOf(const CellFacts& facts) const override {
        const double cells = facts.cells;
        return {{"cells", "", cells},
                {"bodies a cell", "", static_cast<double>(sources()) / std::max(1.0, cells)},
                {"most in a cell", "", static_cast<double>(facts.most)}};
    }
    // The phase that only counts for the lab has no name, so its time is left out.
    std::array<std::string_view, 3> phases() const override { return {"keys and sort", "", "walk"}; }

    DeviceArray<std::uint64_t> key_, sortedKey_;
    DeviceArray<std::uint32_t> index_, order_;
    DeviceArray<Vec4<Real>> sorted_;
    DeviceArray<CellFacts> facts_;
    DeviceArray<std::uint8_t> scratch_;
};

}  // namespace

template <class Real>
MadeMethod<Real> makeCells(const MethodParts& parts) {
    return std::make_unique<Cells<Real>>(parts);
}
template MadeMethod<float> makeCells(const MethodParts&);
template MadeMethod<double> makeCells(const MethodParts&);

}  // namespace gravlab::cuda
