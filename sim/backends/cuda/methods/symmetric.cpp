// Computes each pair once, in rounds; all of them, or those of some spans.
#include "sim/backends/cuda/kernels/symmetric.h"

#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/division.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace gravlab::cuda {
namespace {

// Fraction of all pairs below which a one-sided row is faster for the active bodies, or where few bodies have mass: it
// issues 14 instructions a directed pair, this row 8.8.
constexpr double kPartByTargets = 0.6;

template <class Real>
class Symmetric final : public DeviceForceMethod<Real>, public SpanMethod<Real> {
public:
    explicit Symmetric(const MethodParts& parts)
        : DeviceForceMethod<Real>(parts.plan, parts.count, parts.rate),
          stream_(parts.stream),
          device_(parts.device),
          partition_(tilePartition(parts.count, 32 * parts.plan.launch.bodiesPerThread)),
          kernel_(symmetricKernel<Real>(parts.plan.entry->symmetric()->sums, parts.plan.launch)),
          atomic_(parts.plan.entry->symmetric()->sums == SymmetricSums::atomics) {
        takeSpans(0, partition_.spans);
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        const ActiveBodies active = request.wanted(this->count());
        const double targets = active.all() ? this->count() : static_cast<double>(active.count);
        const auto sources = static_cast<double>(request.sources.among(this->count()));
        const bool byTargets = all() && targets * sources < kPartByTargets * this->allPairs();
        if (byTargets) {
            if (!targets_) targets_ = makeTargets(request.settings);
            targets_->prepare(bodies, request);
        }
        DeviceForceMethod<Real>::prepare(bodies, request);
        byTargets_ = byTargets;
    }
    double work() const override { return this->sourcePairs() * share(end()); }
    SpanMethod<Real>* bySpans() override { return atomic_ ? nullptr : this; }

    int spans() const override { return partition_.spans; }
    std::size_t bodiesOfSums() const override { return static_cast<std::size_t>(partition_.bodies()); }
    void takeSpans(int first, int last) override {
        TilePartition partition = partition_;
        const SpanRoom room = spanRoom(partition, first, last);
        partition.round = room.round;
        if (!atomic_ && this->count() > 0) {
            const std::size_t sums = 3 * bodiesOfSums() * static_cast<std::size_t>(room.arrays);
            if (sums > waiting_.size()) waiting_ = DeviceArray<double>(sums);
            if (partition.scratch() > scratch_.size()) scratch_ = DeviceArray<Real>(partition.scratch());
        }
        this->abandon();
        partition_ = partition;
        first_ = first, last_ = last;
        rewind();
    }
    std::vector<SpanSums> spanSums() const override {
        std::vector<SpanSums> made;
        for (const SpanNode& node : spanNodes(first_, last_))
            made.push_back({node, waiting_.data() + 3 * bodiesOfSums() * made.size()});
        return made;
    }
    void join(std::span<const SpanSums> all) override {
        std::vector<SpanSums> sorted(all.begin(), all.end());
        std::ranges::sort(sorted, {}, [](const SpanSums& sums) { return sums.node.first; });
        std::vector<SpanNode> nodes;
        for (const SpanSums& sums : sorted) nodes.push_back(sums.node);
        const std::vector<int> joins = spanJoins(nodes, partition_.spans);
        if (joins.empty()) throw std::logic_error("the sums of the pairs are not those of all spans");
        JoinTask<Real> task{.nodes = static_cast<int>(nodes.size()),
                            .bodies = partition_.bodies(),
                            .scale = this->plan().equalMass,
                            .acceleration = this->bodies().sums,
                            .count = this->count()};
        for (std::size_t i = 0; i < nodes.size(); ++i) task.sums[i] = sorted[i].sums, task.joins[i] = joins[i];
        launchKernel(joinSpansKernel<Real>(), {(this->count() + 255) / 256, 3}, 256, task, 0, stream_);
    }

private:
    ForceProgress enqueuePairs(double pairs) override {
        if (byTargets_) return targets_->enqueue(pairs / this->rate()->perSecond());
        const DeviceBodies<Real>& bodies = this->bodies();
        const std::uint32_t count = this->count();
        PairRounds after = rounds_;
        const PairRound round = after.next();
        const int first = round.first * partition_.unit, end = std::min(round.end * partition_.unit, partition_.range);
        const int chunks = (std::max(end - first, 0) + partition_.chunk - 1) / partition_.chunk;
        const int warps = this->plan().launch.block / 32, units = partition_.tiles * (chunks + (round.leaf == 0 ? 1 : 0));
        const bool last = after.atEnd();
        if (atomic_ && round.leaf == 0) CUDA_CHECK(fillAsync(bodies.sums, 0, count * sizeof(Vec4<Real>), stream_));
        if (units > 0)
            launchKernel(kernel_, {static_cast<unsigned>((units + warps - 1) / warps)}, 32 * static_cast<unsigned>(warps),
                         {bodies.positions, scratch_.data(), &bodies.sums->x, partition_, first, end,
                          static_cast<Real>(softeningSquared(this->request())), round.leaf == 0, count, units},
                         0, stream_);
        if (!atomic_)
            launchKernel(addSlotsKernel<Real>(this->plan().launch.bodiesPerThread),
                         {static_cast<unsigned>(partition_.bodies() / 32)}, 256,
                         slotsTask(round, last && all() ? bodies.sums : nullptr), 0, stream_);
        const double done = share(after.leaf()) - share(round.leaf);
        rounds_ = after;
        if (last) rewind();
        return {.complete = last, .work = {.pairs = this->allPairs() * done}};
    }
    SlotsTask<Real> slotsTask(const PairRound& round, Vec4<Real>* acceleration) const {
        const TilePartition& p = partition_;
        const int left = p.range - round.first * p.unit;
        const auto slots = [&](int partners) { return partners > 0 ? (partners + p.chunk - 1) / p.chunk : 0; };
        SlotsTask<Real> task{.scratch = scratch_.data(),
                             .partition = p,
                             .round = round,
                             .begin = {},
                             .chunks = p.unit / p.chunk,
                             .width = p.unit / p.tile,
                             .used = slots(left),
                             .usedFar = slots(left - p.tile),
                             .partners = left / p.tile,
                             .partnerSlot = p.targetSlots(),
                             .ownSlot = round.leaf == 0 ? p.targetSlots() + p.partnerSlots() : -1,
                             .scale = this->plan().equalMass,
                             .waiting = waiting_.data(),
                             .acceleration = acceleration,
                             .count = this->count()};
        for (int k = 0; k <= round.leaves; ++k) task.begin[k] = p.unitsBefore(round.leaf + k) - round.first;
        return task;
    }
    double nextPairs(double seconds) const override {
        if (all() && this->work() < this->allPairs()) return std::min(this->work(), this->pairsIn(seconds));
        PairRounds after = rounds_;
        after.next();
        return this->allPairs() * (share(after.leaf()) - share(rounds_.leaf()));
    }
    double doneShare() const override {
        if (byTargets_) return targets_->progress();
        const double whole = share(end());
        return whole > 0 ? share(rounds_.leaf()) / whole : 0;
    }
    void rewind() override { rounds_ = PairRounds(partition_, first_, last_); }

    bool all() const { return first_ == 0 && last_ == partition_.spans; }
    int end() const { return last_ * partition_.leavesOfSpan(); }
    /// Fraction of all pairs in the part's leaves before `leaf`. The diagonal tiles, which are as much work as half a tile
    /// of partners, belong to the first one.
    double share(int leaf) const {
        const double own = partition_.tile / 2.0;
        const auto before = [&](int end) {
            return end == 0 ? 0 : std::min(partition_.unitsBefore(end) * partition_.unit, partition_.range) + own;
        };
        return (before(leaf) - before(first_ * partition_.leavesOfSpan())) / (partition_.range + own);
    }
    /// Makes a one-sided row for the active bodies; a kernel that computes each pair once always sums for all bodies.
    MadeMethod<Real> makeTargets(const ForceSettings& force) const {
        const LaunchPlan plan = choose(KernelChoice{.kernel = "tiled"},
                                       {.count = this->count(), .sources = this->plan().sources}, force, device_);
        return makeOneSided<Real>({plan, this->count(), device_, stream_, this->rate()});
    }

    Stream stream_;
    const DeviceFacts& device_;
    MadeMethod<Real> targets_;  ///< made by the first evaluation for active bodies only
    bool byTargets_ = false;    ///< the evaluation under way, or the last one, uses targets_
    TilePartition partition_;
    Kernel<SymmetricTask<Real>> kernel_;
    bool atomic_;
    int first_ = 0, last_ = 0;  ///< spans
    PairRounds rounds_{partition_, 0, 0};
    DeviceArray<Real> scratch_;
    DeviceArray<double> waiting_;
};

}  // namespace

bool usesSlots(const KernelEntry& entry) { return entry.symmetric() && entry.symmetric()->sums != SymmetricSums::atomics; }

namespace {

TilePartition partitionOf(std::size_t bodies, const LaunchConfig& launch, Precision precision) {
    const bool doubles = precision == Precision::fp64;
    const int usual = doubles ? kSymmetricBodies<double> : kSymmetricBodies<float>;
    const bool fewer = !doubles && launch.bodiesPerThread == kFewerSymmetricBodies;
    return tilePartition(static_cast<std::uint32_t>(bodies), 32 * (fewer ? kFewerSymmetricBodies : usual));
}

}  // namespace

double slotBytes(std::size_t bodies, const LaunchConfig& launch, Precision precision) {
    if (bodies > kMostSymmetricBodies) return 0;  // such a row is refused
    const TilePartition partition = partitionOf(bodies, launch, precision);
    return static_cast<double>(partition.scratch()) * (precision == Precision::fp64 ? sizeof(double) : sizeof(float)) +
           3.0 * sizeof(double) * partition.bodies() * spanRoom(partition, 0, partition.spans).arrays;
}

double landedBytes(std::size_t bodies, const LaunchConfig& launch, Precision precision, std::size_t helpers) {
    if (bodies > kMostSymmetricBodies) return 0;
    const TilePartition partition = partitionOf(bodies, launch, precision);
    const std::vector<std::size_t> bounds =
        cutByWeights(std::vector<double>(helpers + 1, 1.0), static_cast<std::size_t>(partition.spans));
    std::size_t nodes = 0;
    for (std::size_t k = 1; k <= helpers; ++k)
        nodes += spanNodes(static_cast<int>(bounds[k]), static_cast<int>(bounds[k + 1])).size();
    return 3.0 * sizeof(double) * partition.bodies() * static_cast<double>(nodes);
}

template <class Real>
MadeMethod<Real> makeSymmetric(const MethodParts& parts) {
    return std::make_unique<Symmetric<Real>>(parts);
}
template MadeMethod<float> makeSymmetric(const MethodParts&);
template MadeMethod<double> makeSymmetric(const MethodParts&);

}  // namespace gravlab::cuda
