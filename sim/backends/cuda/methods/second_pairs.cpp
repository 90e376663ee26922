// A second pair law on a device, by the methods of the first: with its own sources, and sums for a body's own source.
#include "sim/backends/cuda/kernels/second_pairs.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/term_rows.h"
#include "sim/core/error.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

namespace gravlab::cuda {
namespace {

constexpr unsigned kSecondThreads = 256;
constexpr std::string_view kOnePass = "one-pass";

Dim secondBlocks(std::uint32_t threads) { return {(threads + kSecondThreads - 1) / kSecondThreads}; }

/// Sums under the second law become those for a body's own source, see OwnSumsTask.
template <class Real>
void takeOwn(const DeviceBodies<Real>& bodies, const DeviceSums<Real>& found, std::uint32_t count, const ForceSettings& law,
             PairSources sources, Stream stream) {
    launchKernel(
        ownSumsKernel<Real>(), secondBlocks(count), kSecondThreads,
        {bodies.positions, found.sums, bodies.sums, count, found.ranges, static_cast<Real>(forceFactor(law)), sources}, 0,
        stream);
}

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
        launchKernel(countSourcesKernel<Real>(), secondBlocks(padded(count_)), kSecondThreads,
                     {bodies.positions, counted_.data(), padded(count_), sources_}, 0, stream_);
        pairs_->prepare({counted_.data(), bodies.sums, bodies.velocities}, own);
    }
    ForceProgress enqueue(double seconds) override {
        const ForceProgress done = pairs_->enqueue(seconds);
        if (done.complete) takeOwn(bodies_, pairs_->sums(), count_, settings_, sources_, stream_);
        return done;
    }
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

/// The second law in the pass of the first: the pair law's method sums both, see LawBeside, and this one takes its sums.
template <class Real>
class OnePass final : public DeviceTermMethod<Real> {
public:
    OnePass(const SecondPairLaw& term, const TermParts& parts)
        : sources_(term.sources()), count_(parts.count), stream_(parts.stream) {
        beside_.law = term.law();
        beside_.law.precision = std::is_same_v<Real, float> ? Precision::fp32 : Precision::fp64;
        requirePass(*parts.pairs);
        found_ = DeviceArray<Vec4<Real>>(count_);
        beside_.sums = found_.data();
    }

    const LawBeside<Real>* beside(const ForceRequest& request) override {
        beside_.smallestR2 = std::max(request.smallestR2, smallestR2<Real>(beside_.law, 1));
        return &beside_;
    }
    void requirePass(const LaunchPlan& pairs) const override {
        const KernelRow& row = termRow(SecondPairLaw::kKind, kOnePass);
        const auto refuse = [](const std::string& why) {
            throw UsageError("the kernel '" + std::string(kOnePass) + "' cannot compute the second pair law: " + why);
        };
        if (pairs.entry->row.name != passOf(row))
            refuse("it takes the pass of '" + std::string(passOf(row)) + "', and the pair law's kernel is '" +
                   std::string(pairs.entry->row.name) + "'; take --kernel " + std::string(passOf(row)));
        if (pairs.loop != Law::gravity || loopLaw(beside_.law) == Law::gravity)
            refuse("it is built for gravity or charges, and a law with loops of its own beside them; take 'tiled'");
        if (sources_ != PairSources::alike) refuse("it is built for bodies that count alike; take 'tiled'");
        if (pairs.precision == Precision::mixed)
            refuse("mixed precision computes the pair law in fp32 and other terms in fp64; take 'tiled'");
        requireListed(row, "unroll", FewUnrolls::values, pairs.launch.unroll, unrollText);
        if (pairs.launch.block > kTwoLawsThreads)
            refuse("its sums of two laws need the registers of blocks of at most " + std::to_string(kTwoLawsThreads) +
                   " threads, and the pair law has " + std::to_string(pairs.launch.block));
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        pairs_ = static_cast<double>(count_) * static_cast<double>(request.sources.among(count_));
        underWay_ = true;
    }
    ForceProgress enqueue(double) override {
        takeOwn(bodies_, {found_.data(), 1}, count_, beside_.law, sources_, stream_);
        underWay_ = false;
        return {.complete = true, .work = {.pairs = pairs_}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return 0; }
    void abandon() override { underWay_ = false; }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = gateOf(beside_.law)}; }

private:
    LawBeside<Real> beside_;
    PairSources sources_;
    std::uint32_t count_;
    Stream stream_;
    DeviceArray<Vec4<Real>> found_;  ///< sums of the pass
    DeviceBodies<Real> bodies_;
    double pairs_ = 0;
    bool underWay_ = false;
};

template <class Real>
std::unique_ptr<DeviceTermMethod<Real>> makeOnePass(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<OnePass<Real>>(static_cast<const SecondPairLaw&>(term), parts);
}

template <class Real, const char* kRow>
std::unique_ptr<DeviceTermMethod<Real>> makeSecondPairs(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<SecondPairs<Real>>(static_cast<const SecondPairLaw&>(term), parts, kRow);
}

constexpr char kTiledRow[] = "tiled", kCellsRow[] = "cells";

template <const char* kRow>
bool addSecondPairRow() {
    return CudaTermMethods::add({.row = termRow(SecondPairLaw::kKind, kRow),
                                 .fp32 = makeSecondPairs<float, kRow>,
                                 .fp64 = makeSecondPairs<double, kRow>});
}

}  // namespace

bool addSecondPairMethods() {
    return addSecondPairRow<kTiledRow>() &&
           CudaTermMethods::add(
               {.row = termRow(SecondPairLaw::kKind, kOnePass), .fp32 = makeOnePass<float>, .fp64 = makeOnePass<double>}) &&
           addSecondPairRow<kCellsRow>();
}

}  // namespace gravlab::cuda
