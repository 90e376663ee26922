// Laws with a finite reach, by lists of neighbours that live for several steps. Rule: bits do not depend on when lists were
// made, so nothing is stored in files, and slices, jumps in time and continued runs give the same sums.
#include "sim/backends/cuda/kernels/neighbours.h"

#include "sim/backends/cuda/methods/cut_off.h"

namespace gravlab::cuda {
namespace {

// Bodies a second, until the rate is measured.
constexpr double kExpectedListed = 1e9;
// Most bodies of a slice: lists take ten times as long as a walk through them, and which of the two a slice does is known to
// the device alone.
constexpr double kMostListed = 1 << 21;
// Blocks a multiprocessor of the kernel that makes lists. It mostly returns at once, so its blocks are few.
constexpr unsigned kListBlocks = 16;

template <class Real>
class NeighbourLists final : public CutOffMethod<Real, ListFacts> {
    using Base = CutOffMethod<Real, ListFacts>;
    using Base::counts_, Base::pairs_, Base::stream_, Base::threads_;

public:
    explicit NeighbourLists(const MethodParts& parts)
        : Base(parts, kExpectedListed, kMostListed),
          most_(kListBlocks * static_cast<unsigned>(std::max(1, parts.device.multiprocessors))) {
        const std::uint32_t n = parts.count;
        if (n == 0) return;
        int resident = 1;
        CUDA_CHECK(residentBlocks(resident, listSortKernel<Real>().address, kListThreads, 0));
        const unsigned all = static_cast<unsigned>(std::max(1, resident * parts.device.multiprocessors));
        sorters_ = std::min(all, (n + kListThreads - 1) / kListThreads);
        start_ = DeviceArray<std::uint32_t>(listBuckets(n) + 1);
        partial_ = DeviceArray<std::uint32_t>(sorters_);
        rank_ = DeviceArray<std::uint32_t>(n);
        order_ = DeviceArray<std::uint32_t>(n);
        length_ = DeviceArray<std::uint32_t>(n);
        sorted_ = DeviceArray<Vec4<Real>>(std::size_t{n} + 1);
        before_ = DeviceArray<Vec4<Real>>(n);
        state_ = DeviceArray<ListState>(1);
        makeRoom(parts.plan.listWidth);
        CUDA_CHECK(fillAsync(state_.data(), 0, state_.bytes(), stream_));
    }

    double work() const override { return this->count(); }

private:
    ListTask<Real> task() const {
        const ForceSettings& force = this->request().settings;
        const double reach = listReach(force), move = kListMoves * (reach - reachOf(force));
        ListTask<Real> made{};
        made.bodies = this->bodies().positions;
        made.count = this->count();
        made.evaluation = evaluation_;
        made.anew = anew_;
        made.perLength = cellsPerLength(force) / (1 + kListSkin);
        made.farSquared = static_cast<Real>(reach * reach);
        made.movedSquared = static_cast<Real>(move * move);
        made.buckets = static_cast<std::uint32_t>(start_.size() - 1);
        made.edge = bucketEdge(made.buckets);
        made.start = start_.data();
        made.partial = partial_.data();
        made.rank = rank_.data();
        made.order = order_.data();
        made.sorted = sorted_.data();
        made.before = before_.data();
        made.length = length_.data();
        made.entries = entries_.data();
        made.width = width_;
        made.state = state_.data();
        made.first = 0;
        made.end = this->count();
        return made;
    }
    void makeRoom(std::uint32_t width) {
        if (width <= width_) return;
        const std::size_t tables = (std::size_t{this->count()} + kTableRows - 1) / kTableRows;
        entries_ = {};  // before the wider ones take memory
        width_ = 0;
        entries_ = DeviceArray<std::uint32_t>(tables * kTableRows * width);
        width_ = width;
    }
    double begin() override {
        const ForceSettings& force = this->request().settings;
        // Lists that an evaluation did not finish, or of other settings, are of no use.
        const bool other = made_ != force;
        anew_ = other || !whole_;
        whole_ = false;
        if (other) makeRoom(listWidth(force));
        made_ = force;
        ++evaluation_;
        const ListTask<Real> task = this->task();
        counts_.mark(Base::kBegun);
        launchKernel(listMovesKernel<Real>(), {(task.count + kListThreads - 1) / kListThreads}, kListThreads, task, 0,
                     stream_);
        counts_.mark(Base::kFirst);
        launchResident(listSortKernel<Real>(), {sorters_}, kListThreads, task, 0, stream_);
        return 0;
    }
    void walk(std::uint32_t first, std::uint32_t end) override {
        const ForceRequest& request = this->request();
        ListTask<Real> lists = task();
        lists.first = first;
        lists.end = end;
        const std::uint32_t wanted = (end - first + kListWarps - 1) / kListWarps;
        const bool few = request.sources.among(this->count()) < this->count();
        launchKernel(listNeighboursKernel<Real>(few), {std::min(wanted, most_)}, 32 * kListWarps, lists,
                     listSharedBytes(width_), stream_);
        if (first == 0) counts_.mark(Base::kSecond);
        withLoopLaw<Real>(request.settings, request.smallestR2, [&]<class Law>(const Law& law) {
            if constexpr (Law::kEnds)
                launchKernel(listWalkKernel<Real, Law>(), {(end - first + this->threads_ - 1) / this->threads_},
                             this->threads_, {lists, this->bodies().sums, this->pairs_.data(), law, request.active}, 0,
                             this->stream_);
        });
    }

    void finish() override { whole_ = true; }
    const ListFacts* facts() const override { return &state_.data()->facts; }
    std::vector<MethodFigure> figuresOf(const ListFacts& facts) const override {
        const auto neighbours = static_cast<double>(facts.neighbours);
        return {{"bodies a list", "", neighbours / this->count()},
                {"bytes a neighbour", "", neighbours > 0 ? static_cast<double>(entries_.bytes()) / neighbours : 0},
                {"longest list", "", static_cast<double>(facts.longest)},
                {"width of lists", "", static_cast<double>(width_)},
                {"bodies without a list", "", static_cast<double>(facts.beyond)},
                {"age of lists", "", static_cast<double>(facts.age)},
                {"lists made", "", static_cast<double>(facts.made)}};
    }
    // Slices after the first one count as walks.
    std::array<std::string_view, 3> phases() const override { return {"compare", "lists", "walk"}; }

    unsigned most_;            ///< blocks that make lists
    unsigned sorters_ = 1;     ///< resident blocks
    std::uint32_t width_ = 0;  ///< entries that a list has room for
    std::uint32_t evaluation_ = 0;
    ForceSettings made_;  ///< that the lists are for
    bool whole_ = false;  ///< the last evaluation was complete, so all lists are of the same positions
    bool anew_ = true;    ///< the evaluation under way makes lists in any case
    DeviceArray<std::uint32_t> start_, partial_, rank_, order_, length_, entries_;
    DeviceArray<Vec4<Real>> sorted_, before_;
    DeviceArray<ListState> state_;
};

}  // namespace

template <class Real>
MadeMethod<Real> makeNeighbourLists(const MethodParts& parts) {
    return std::make_unique<NeighbourLists<Real>>(parts);
}
template MadeMethod<float> makeNeighbourLists(const MethodParts&);
template MadeMethod<double> makeNeighbourLists(const MethodParts&);

}  // namespace gravlab::cuda
