// A second pair law on a device, by the methods of the first: with its own sources, and sums for a body's own source.
#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"
#include "sim/forces/second_pair_law.h"

#include <algorithm>
#include <string>
#include <type_traits>

namespace gravlab::cuda {
namespace {

/// Copies bodies with the sources that count, pads included. One thread per body.
template <class Real>
struct CountSourcesTask {
    const Vec4<Real>* bodies;
    Vec4<Real>* counted;
    std::uint32_t paddedCount;
    PairSources sources;
};
/// Adds up the ranges of sums. The engine multiplies by the response k = s / m; bodies that count alike need 1 / m, so their
/// sums are divided by s. One thread per body.
template <class Real>
struct OwnSumsTask {
    const Vec4<Real>* bodies;
    const Vec4<Real>* pairs;  ///< of range r, body i: pairs[r * count + i]
    Vec4<Real>* sums;         ///< may be `pairs` where there is one range
    std::uint32_t count, ranges;
    Real factor;  ///< see forceFactor()
    PairSources sources;
};
template <class Real>
__global__ void countSources(CountSourcesTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.paddedCount) return;
    Vector<Real> body = asVectors(task.bodies)[i];
    if (task.sources == PairSources::alike) body.w = body.w != 0 ? Real(1) : Real(0);
    asVectors(task.counted)[i] = body;
}

template <class Real>
__global__ void takeOwnSums(OwnSumsTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    Real x = 0, y = 0, z = 0;
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const Vector<Real> part = asVectors(task.pairs)[static_cast<std::size_t>(range) * task.count + i];
        x += part.x;
        y += part.y;
        z += part.z;
    }
    const Real own = task.bodies[i].w, share = task.sources == PairSources::own ? task.factor
                                               : own != 0                       ? task.factor / own
                                                                                : Real(0);
    asVectors(task.sums)[i] = {share * x, share * y, share * z, 0};
}

constexpr unsigned kSecondThreads = 256;

template <class Real>
class SecondPairs final : public DeviceTermMethod<Real> {
public:
    SecondPairs(const SecondPairLaw& term, const TermParts& parts, std::string_view row)
        : settings_(term.law()), sources_(term.sources()), count_(parts.count), stream_(parts.stream) {
        settings_.precision = std::is_same_v<Real, float> ? Precision::fp32 : Precision::fp64;
        const KernelRow& known = kernel("cuda", row);
        if (const Reason reason = refusal(known, settings_); !reason.empty())
            throw UsageError("the kernel '" + std::string(row) + "' cannot compute the second pair law: " + reason);
        const BodyFacts facts{.count = count_, .heaviest = 1};
        pairs_ = makeForceMethod<Real>(choose({std::string(row), known.usual}, facts, settings_, parts.device), count_,
                                       parts.device, stream_);
        counted_ = DeviceArray<Vec4<Real>>(padded(count_));
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        ForceRequest own = request;
        own.settings = settings_;
        own.smallestR2 = std::max(request.smallestR2, smallestR2<Real>(settings_, 1));
        own.potential = false;
        own.allowedError = own.opening = 0;
        launchEach(kernelOf(countSources<Real>), padded(count_), kSecondThreads,
                   {bodies.positions, counted_.data(), padded(count_), sources_}, stream_);
        pairs_->prepare({counted_.data(), bodies.sums, bodies.velocities}, own);
    }
    ForceProgress enqueue(double seconds) override {
        const ForceProgress done = pairs_->enqueue(seconds);
        if (done.complete) {
            const DeviceSums<Real> found = pairs_->sums();
            launchEach(kernelOf(takeOwnSums<Real>), count_, kSecondThreads,
                       {bodies_.positions, found.sums, bodies_.sums, count_, found.ranges,
                        static_cast<Real>(forceFactor(settings_)), sources_},
                       stream_);
        }
        return done;
    }
    const std::shared_ptr<RateEstimate>& rate() const override { return pairs_->rate(); }
    double work() const override { return pairs_->work(); }
    double rated(const ForceWork& work) const override { return pairs_->rated(work); }
    double sliceSeconds(double seconds) const override { return pairs_->sliceSeconds(seconds); }
    bool underWay() const override { return pairs_->underWay(); }
    double progress() const override { return pairs_->progress(); }
    void abandon() override { pairs_->abandon(); }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return pairs_->accuracy(); }
    std::vector<MethodFigure> figures() const override { return pairs_->figures(); }

private:
    ForceSettings settings_;
    PairSources sources_;
    std::uint32_t count_;
    Stream stream_;
    std::unique_ptr<DeviceForceMethod<Real>> pairs_;
    DeviceArray<Vec4<Real>> counted_;  ///< bodies with the sources that count
    DeviceBodies<Real> bodies_;
};

template <class Real, const char* kRow>
std::unique_ptr<DeviceTermMethod<Real>> makeSecondPairs(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<SecondPairs<Real>>(static_cast<const SecondPairLaw&>(term), parts, kRow);
}

constexpr char kTiledRow[] = "tiled", kCellsRow[] = "cells";

}  // namespace

bool addSecondPairMethods() {
    // In ladder order, the best last.
    const CudaTermMethod rows[] = {{{.backend = "cuda",
                                     .term = SecondPairLaw::kKind,
                                     .name = kTiledRow,
                                     .idea = "every pair, by tiles in shared memory",
                                     .source = "tiled.cuh:gather,tiledForce"},
                                    makeSecondPairs<float, kTiledRow>,
                                    makeSecondPairs<double, kTiledRow>},
                                   {{.backend = "cuda",
                                     .term = SecondPairLaw::kKind,
                                     .name = kCellsRow,
                                     .idea = "only what is within the cut-off of a law that has one: exact in O(N)",
                                     .cut = Split::keyRanges,
                                     .byCutOff = true,
                                     .source = "cells.cu:placeOfKey,walkCells"},
                                    makeSecondPairs<float, kCellsRow>,
                                    makeSecondPairs<double, kCellsRow>}};
    return std::ranges::all_of(rows, CudaTermMethods::add);
}

}  // namespace gravlab::cuda
