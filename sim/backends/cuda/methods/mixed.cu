// Computes pairs in single precision by another method, in suitable units; positions come from, and sums go to, double
// precision.
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/pair_units.h"

#include <utility>

namespace gravlab::cuda {
namespace {

/// Converts positions from double to single precision, pads included, and summed forces back. One thread per body. Their
/// factors are powers of two, and 1 except in extreme units.
struct NarrowTask {
    const Double4* from;
    Float4* to;
    std::uint32_t count, paddedCount;
    double length = 1, source = 1;  ///< a coordinate and a source times these are the pairs'
};
struct WidenTask {
    const Float4* sums;
    std::uint32_t ranges;
    Double4* to;
    std::uint32_t count;
    double back = 1;        ///< accelerations of the pairs, times this, are the state's
    ActiveBodies active{};  ///< other bodies are neither read nor written
};
__global__ void narrowPositions(NarrowTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.paddedCount) return;
    const DoubleVector x = asVectors(task.from)[i];
    // The coordinate of pads in double arrays would be infinite as a float.
    const float far = kPadDistance<float>;
    asVectors(task.to)[i] = i < task.count
                                ? make_float4(static_cast<float>(task.length * x.x), static_cast<float>(task.length * x.y),
                                              static_cast<float>(task.length * x.z), static_cast<float>(task.source * x.w))
                                : make_float4(far, far, far, 0);
}

__global__ void widenSums(WidenTask task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count || !task.active.has(i)) return;
    double x = 0, y = 0, z = 0;
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const float4 a = asVectors(task.sums)[static_cast<std::size_t>(range) * task.count + i];
        x += a.x;
        y += a.y;
        z += a.z;
    }
    asVectors(task.to)[i] = {task.back * x, task.back * y, task.back * z, 0};
}

constexpr unsigned kConversionThreads = 256;

class Mixed final : public DeviceForceMethod<double> {
public:
    Mixed(MadeMethod<float> pairs, const MethodParts& parts)
        : DeviceForceMethod(parts.plan, parts.count, pairs->rate()),
          stream_(parts.stream),
          pairs_(std::move(pairs)),
          units_(parts.plan.units) {
        positions_ = DeviceArray<Float4>(padded(parts.count));
        sums_ = DeviceArray<Float4>(parts.count);
    }

    // The accuracy of the pairs is the accuracy of the whole.
    Accuracy accuracy() const override { return pairs_->accuracy(); }
    bool keepsState() const override { return pairs_->keepsState(); }
    std::vector<StateArray> state() const override { return withUnits(pairs_->state(), units_); }
    bool restore(const std::vector<StateArray>& state) override {
        if (state.empty()) return pairs_->restore(state);
        // The engine begins anew where this call fails, so the units of the old state may be lost.
        std::vector<StateArray> kept = state;
        const std::optional<PairUnits> units = takeUnits(kept);
        if (!units) return false;
        units_ = *units;
        return pairs_->restore(kept);
    }
    std::vector<MethodFigure> figures() const override { return pairs_->figures(); }
    std::string failure() const override { return pairs_->failure(); }
    std::vector<std::uint32_t> partEnds() const override { return pairs_->partEnds(); }
    double work() const override { return pairs_->work(); }
    double rated(const ForceWork& work) const override { return pairs_->rated(work); }

private:
    ForceProgress enqueuePairs(double pairs) override {
        if (!pairs_->underWay()) {
            launchEach(kernelOf(narrowPositions), padded(count()), kConversionThreads,
                       {bodies().positions, positions_.data(), count(), padded(count()), 1 / units_.length,
                        1 / units_.source},  // exact
                       stream_);
            ForceRequest single = requestIn(units_, request(), plan().heaviest);
            single.smallestR2 = std::max<double>(single.smallestR2, kSofteningSquaredFloor32);
            pairs_->prepare({positions_.data(), sums_.data()}, single);
        }
        const ForceProgress done = pairs_->enqueue(pairs / rate()->perSecond());
        if (done.complete) {
            const DeviceSums<float> sums = pairs_->sums();
            launchEach(kernelOf(widenSums), count(), kConversionThreads,
                       {sums.sums, sums.ranges, bodies().sums, count(), accelerationUnit(units_, request().settings),
                        request().active},
                       stream_);
        }
        return done;
    }
    double nextPairs(double seconds) const override { return pairs_->sliceSeconds(seconds) * rate()->perSecond(); }
    double doneShare() const override { return pairs_->progress(); }
    void rewind() override { pairs_->abandon(); }

    Stream stream_;
    MadeMethod<float> pairs_;
    PairUnits units_;
    DeviceArray<Float4> positions_, sums_;
};

}  // namespace

MadeMethod<double> makeMixed(MadeMethod<float> pairs, const MethodParts& parts) {
    return std::make_unique<Mixed>(std::move(pairs), parts);
}

}  // namespace gravlab::cuda
