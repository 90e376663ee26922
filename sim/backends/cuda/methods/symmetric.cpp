// Each pair once, in rounds.
#include "sim/backends/cuda/kernels/symmetric.h"

#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>

namespace gravlab::cuda {
namespace {

// Directed pairs that a round holds at most: about 6 ms on the fastest device, so that a window keeps answering, and long
// enough that the last wave costs little.
constexpr double kPairsPerRound = 18e9;

template <class Real>
class Symmetric final : public DeviceForceMethod<Real> {
public:
    explicit Symmetric(const MethodParts& parts)
        : DeviceForceMethod<Real>(parts.plan, parts.count, parts.rate),
          stream_(parts.stream),
          cut_(symmetricCut(parts.count, kSymmetricTile<Real>)),
          kernel_(symmetricKernel<Real>(parts.plan.entry->symmetric()->sums)),
          atomic_(parts.plan.entry->symmetric()->sums == SymmetricSums::atomics) {
        if (atomic_ || parts.count == 0) return;
        scratch_ = DeviceArray<Real>(cut_.scratch());
        carry_ = DeviceArray<double>(3 * static_cast<std::size_t>(cut_.bodies()));
    }

private:
    ForceProgress enqueuePairs(double) override {
        const DeviceBodies<Real>& bodies = this->bodies();
        const std::uint32_t count = this->count();
        const int first = round_ * cut_.round;
        const int partners = std::clamp(cut_.range - first, 0, cut_.round);
        const int units = (partners + cut_.chunk - 1) / cut_.chunk + (round_ == 0 ? 1 : 0);
        const bool last = round_ + 1 == cut_.rounds();
        if (atomic_ && round_ == 0) CUDA_CHECK(fillAsync(bodies.sums, 0, count * sizeof(Vec4<Real>), stream_));
        launchKernel(kernel_, {static_cast<unsigned>(cut_.tiles * units)}, 32,
                     {bodies.positions, scratch_.data(), &bodies.sums->x, cut_, first,
                      static_cast<Real>(softeningSquared(this->request())), round_ == 0, count},
                     0, stream_);
        if (!atomic_)
            launchKernel(addSlotsKernel<Real>(), {static_cast<unsigned>(cut_.bodies() / 32)}, 256,
                         {scratch_.data(), cut_, first, last, this->plan().equalMass, carry_.data(), bodies.sums, count}, 0,
                         stream_);
        const double before = doneShare();
        round_ = last ? 0 : round_ + 1;
        const double after = last ? 1 : doneShare();
        return {.complete = last, .work = {.pairs = this->allPairs() * (after - before)}};
    }
    double nextPairs(double) const override { return this->allPairs() / cut_.rounds(); }
    double doneShare() const override {
        // The own squares of the first round are as much as half a tile of partners.
        const double own = cut_.tile / 2.0;
        const double all = cut_.range + own;
        return round_ == 0 ? 0 : (std::min(round_ * cut_.round, cut_.range) + own) / all;
    }
    void rewind() override { round_ = 0; }

    Stream stream_;
    SymmetricCut cut_;
    Kernel<SymmetricTask<Real>> kernel_;
    bool atomic_;
    int round_ = 0;
    DeviceArray<Real> scratch_;
    DeviceArray<double> carry_;
};

}  // namespace

SymmetricCut symmetricCut(std::uint32_t count, int tile) {
    SymmetricCut cut;
    const int n = static_cast<int>(count);
    cut.tile = tile;
    cut.tiles = (n + tile - 1) / tile;
    cut.range = cut.tiles / 2 * tile;
    // Short chunks spread a small N over all multiprocessors, long ones write fewer partials. Measured at 8k, 16k, 32k and
    // up.
    cut.chunk = n <= 12288 ? 128 : n <= 24576 ? 256 : 512;
    cut.round = cut.chunk > tile ? cut.chunk : tile;
    while (cut.round < cut.range && 4.0 * cut.bodies() * cut.round <= kPairsPerRound) cut.round *= 2;
    return cut;
}

template <class Real>
MadeMethod<Real> makeSymmetric(const MethodParts& parts) {
    return std::make_unique<Symmetric<Real>>(parts);
}
template MadeMethod<float> makeSymmetric(const MethodParts&);
template MadeMethod<double> makeSymmetric(const MethodParts&);

}  // namespace gravlab::cuda
