// Computes each pair once, in rounds.
#include "sim/backends/cuda/kernels/symmetric.h"

#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>

namespace gravlab::cuda {
namespace {

// Fraction of all pairs below which a one-sided row is faster for the active bodies, or where few bodies have mass: it
// issues 14 instructions a directed pair, this row 8.8.
constexpr double kPartByTargets = 0.6;

template <class Real>
class Symmetric final : public DeviceForceMethod<Real> {
public:
    explicit Symmetric(const MethodParts& parts)
        : DeviceForceMethod<Real>(parts.plan, parts.count, parts.rate),
          stream_(parts.stream),
          device_(parts.device),
          shape_(symmetricShape(parts.plan.launch)),
          partition_(tilePartition(parts.count, 32 * shape_.bodies)),
          kernel_(symmetricKernel<Real>(parts.plan.entry->symmetric()->sums, shape_)),
          atomic_(parts.plan.entry->symmetric()->sums == SymmetricSums::atomics) {
        if (atomic_ || parts.count == 0) return;
        scratch_ = DeviceArray<Real>(partition_.scratch());
        carry_ = DeviceArray<double>(3 * static_cast<std::size_t>(partition_.bodies()));
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        const ActiveBodies active = request.wanted(this->count());
        const double targets = active.all() ? this->count() : static_cast<double>(active.count);
        const auto sources = static_cast<double>(request.sources.among(this->count()));
        const bool byTargets = targets * sources < kPartByTargets * this->allPairs();
        if (byTargets) {
            if (!targets_) targets_ = makeTargets(request.settings);
            targets_->prepare(bodies, request);
        }
        DeviceForceMethod<Real>::prepare(bodies, request);
        byTargets_ = byTargets;
    }
    double work() const override { return this->sourcePairs(); }

private:
    ForceProgress enqueuePairs(double pairs) override {
        if (byTargets_) return targets_->enqueue(pairs / this->rate()->perSecond());
        const DeviceBodies<Real>& bodies = this->bodies();
        const std::uint32_t count = this->count();
        const int first = round_ * partition_.round;
        const int partners = std::clamp(partition_.range - first, 0, partition_.round);
        const int units = partition_.tiles * ((partners + partition_.chunk - 1) / partition_.chunk + (round_ == 0 ? 1 : 0));
        const bool last = round_ + 1 == partition_.rounds();
        if (atomic_ && round_ == 0) CUDA_CHECK(fillAsync(bodies.sums, 0, count * sizeof(Vec4<Real>), stream_));
        launchKernel(kernel_, {static_cast<unsigned>((units + shape_.warps - 1) / shape_.warps)},
                     32 * static_cast<unsigned>(shape_.warps),
                     {bodies.positions, scratch_.data(), &bodies.sums->x, partition_, first,
                      static_cast<Real>(softeningSquared(this->request())), round_ == 0, count, units},
                     0, stream_);
        if (!atomic_)
            launchKernel(
                addSlotsKernel<Real>(shape_.bodies), {static_cast<unsigned>(partition_.bodies() / 32)}, 256,
                {scratch_.data(), partition_, first, last, this->plan().equalMass, carry_.data(), bodies.sums, count}, 0,
                stream_);
        const double before = doneShare();
        round_ = last ? 0 : round_ + 1;
        const double after = last ? 1 : doneShare();
        return {.complete = last, .work = {.pairs = this->allPairs() * (after - before)}};
    }
    double nextPairs(double seconds) const override {
        if (this->work() < this->allPairs()) return std::min(this->work(), this->pairsIn(seconds));
        return this->allPairs() / partition_.rounds();
    }
    double doneShare() const override {
        if (byTargets_) return targets_->progress();
        // The diagonal tiles of the first round are as much work as half a tile of partners.
        const double own = partition_.tile / 2.0;
        const double all = partition_.range + own;
        return round_ == 0 ? 0 : (std::min(round_ * partition_.round, partition_.range) + own) / all;
    }
    void rewind() override { round_ = 0; }
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
    SymmetricShape shape_;
    TilePartition partition_;
    Kernel<SymmetricTask<Real>> kernel_;
    bool atomic_;
    int round_ = 0;
    DeviceArray<Real> scratch_;
    DeviceArray<double> carry_;
};

}  // namespace

bool usesSlots(const KernelEntry& entry) { return entry.symmetric() && entry.symmetric()->sums != SymmetricSums::atomics; }

double slotBytes(std::size_t bodies, const LaunchConfig& launch, Precision precision) {
    if (bodies > kMostSymmetricBodies) return 0;  // such a row is refused
    const bool doubles = precision == Precision::fp64;
    const int usual = doubles ? kSymmetricBodies<double> : kSymmetricBodies<float>;
    const bool fewer = !doubles && launch.bodiesPerThread == kFewerSymmetricBodies;
    const TilePartition partition =
        tilePartition(static_cast<std::uint32_t>(bodies), 32 * (fewer ? kFewerSymmetricBodies : usual));
    return static_cast<double>(partition.scratch()) * (doubles ? sizeof(double) : sizeof(float)) +
           3.0 * sizeof(double) * partition.bodies();
}

template <class Real>
MadeMethod<Real> makeSymmetric(const MethodParts& parts) {
    return std::make_unique<Symmetric<Real>>(parts);
}
template MadeMethod<float> makeSymmetric(const MethodParts&);
template MadeMethod<double> makeSymmetric(const MethodParts&);

}  // namespace gravlab::cuda
