// The launches that measure a state, and their order.
#include "sim/backends/cuda/jobs/diagnostics_job.h"

#include "sim/core/error.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/measure/potential_error.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace gravlab::cuda {
namespace {

// Most bodies with all pairs in double: these cost less than a millisecond, and few terms would not average the rounding of
// single precision away.
constexpr std::uint32_t kDoublePairs = 16384;
// Pairs a second until the rate is measured: that of a small device, so that the first slice is not too long.
constexpr double kFirstRate = 5e10;
constexpr unsigned kRadiusBlocks = 264;

unsigned chunks(std::uint32_t count) { return (count + kMeasureChunk - 1) / kMeasureChunk; }

}  // namespace

template <class Real>
DiagnosticsJob<Real>::DiagnosticsJob(Stream stream, std::uint32_t count)
    : stream_(stream),
      count_(count),
      kernels_(measureKernels<Real>()),
      x_(count),
      v_(count),
      first_(count),
      second_(count),
      neighbour_(count),
      parts_(chunks(count)),
      pairParts_(chunks(count)),
      state_(1),
      search_(1),
      histogram_(3 * 256),
      host_(1) {}

template <class Real>
void DiagnosticsJob<Real>::begin(const Vec4<Real>* x, const Vec4<Real>* v, const ForceSettings& force) {
    drop();
    force_ = force;
    ended_ = false;
    source_ = target_ = 0;
    treeBegun_ = false;
    seconds_ = slicePairs_ = 0;
    CUDA_CHECK(recordEvent(sliceBegin_, stream_));
    CUDA_CHECK(copyAsync(x_.data(), x, x_.bytes(), Copy::onDevice, stream_));
    CUDA_CHECK(copyAsync(v_.data(), v, v_.bytes(), Copy::onDevice, stream_));
    enqueue();
    CUDA_CHECK(recordEvent(sliceEnd_, stream_));
    running_ = sliceRunning_ = true;
}

/// Enqueues the sums over bodies, and the radii.
template <class Real>
void DiagnosticsJob<Real>::enqueue() {
    const unsigned blocks = chunks(count_), all = (count_ + kMeasureThreads - 1) / kMeasureThreads;
    launchKernel(kernels_.moments, {blocks}, kMeasureThreads, MomentTask<Real>{x_.data(), v_.data(), parts_.data(), count_},
                 0, stream_);
    launchKernel(kernels_.momentsEnd, {1}, kMeasureThreads,
                 MomentEndTask{parts_.data(), blocks, state_.data(), search_.data(), histogram_.data()}, 0, stream_);
    launchKernel(kernels_.radii, {all}, kMeasureThreads,
                 RadiusTask<Real>{x_.data(), v_.data(), state_.data(), first_.data(), second_.data(), count_}, 0, stream_);
    for (int shift = 56; shift >= 0; shift -= 8) {
        launchKernel(kernels_.countRadii, {std::min(all, kRadiusBlocks)}, kMeasureThreads,
                     RadiusCountTask{first_.data(), second_.data(), search_.data(), histogram_.data(), count_, shift}, 0,
                     stream_);
        RadiusPickTask pick{search_.data(), histogram_.data(), state_.data(), {}, shift == 0};
        for (std::size_t k = 0; k < kLagrangianShares.size(); ++k)
            pick.want[k] = static_cast<unsigned long long>(kLagrangianShares[k] * (1 - 1e-12) * std::ldexp(1, 62));
        launchKernel(kernels_.pickRadii, {1}, kMeasureThreads, pick, 0, stream_);
    }
}

template <class Real>
void DiagnosticsJob<Real>::enqueuePairLaunch(std::uint32_t targetFirst, std::uint32_t targetEnd, std::uint32_t sourceEnd) {
    const PairTask<Real> task{.bodies = x_.data(),
                              .state = state_.data(),
                              .energy = reinterpret_cast<double*>(first_.data()),
                              .squared = reinterpret_cast<double*>(second_.data()),
                              .neighbour = neighbour_.data(),
                              .targetFirst = targetFirst,
                              .targetEnd = targetEnd,
                              .sourceFirst = source_,
                              .sourceEnd = sourceEnd};
    const Law law = loopLaw(force_);
    [[maybe_unused]] const bool single = count_ > kDoublePairs;
    const Dim blocks{(targetEnd - targetFirst + kMeasureThreads - 1) / kMeasureThreads};
    const auto run = [&]<class Pair, class Light, class Heavy>(Pair, const Light& light, const Heavy& heavy) {
        launchKernel(measurePairsKernel<Real, Pair, Light, Heavy>(), blocks, kMeasureThreads, {task, light, heavy}, 0,
                     stream_);
    };
    const auto inLaw = [&]<class Pair>(Pair pair) {
        if (law == Law::gravity) {
            const double squared = force_.softening * force_.softening;
            run(pair, PlainEnergy<Pair>{static_cast<Pair>(squared)}, PlainEnergy<double>{squared});
            return;
        }
        forLaw<OtherLoopLaws>(law, [&]<template <class> class PairLaw>() {
            using Light = PairLaw<PairRealOf<PairLaw, Pair>>;
            const bool finite = finiteAtZero(force_);
            run(pair, LawEnergy<Light>{Light(force_), finite}, LawEnergy<PairLaw<double>>{PairLaw<double>(force_), finite});
        });
    };
    if constexpr (std::is_same_v<Real, float>) {
        if (single) {
            inLaw(float());
            return;
        }
    }
    inLaw(double());
}

template <class Real>
void DiagnosticsJob<Real>::enqueuePairs(double seconds) {
    double left = seconds * (rate_ > 0 ? rate_ : kFirstRate);
    slicePairs_ = 0;
    while (source_ < count_ && left > 0) {
        const std::uint32_t sourceEnd = std::min(source_ + kMeasureSources, count_);
        // Targets before these sources have no pairs with them.
        const std::uint32_t first = std::max(target_, source_);
        const double wanted = std::ceil(left / kMeasureSources / kMeasureThreads) * kMeasureThreads;
        const auto targets = static_cast<std::uint32_t>(std::min<double>(wanted, count_ - first));
        enqueuePairLaunch(first, first + targets, sourceEnd);
        const double pairs = static_cast<double>(targets) * (sourceEnd - source_);
        slicePairs_ += pairs;
        left -= pairs;
        target_ = first + targets;
        if (target_ < count_) continue;
        target_ = 0;
        source_ = sourceEnd;
    }
}

template <class Real>
void DiagnosticsJob<Real>::setTree(std::unique_ptr<TreeEnergy> tree) {
    drop();
    tree_ = std::move(tree);
    if (!tree_) return;
    // These pairs cost a device about a millisecond where double precision is half as fast as single.
    constexpr double kPairs = 2.7e8;
    constexpr std::size_t kFewest = 32, kMost = 1024;
    const auto affordable = static_cast<std::size_t>(kPairs / std::max<double>(1, count_));
    const std::vector<std::uint32_t> targets = randomTargets(count_, std::clamp(affordable, kFewest, kMost));
    checked_ = DeviceArray<std::uint32_t>(targets.size());
    checks_ = DeviceArray<double>(2 * targets.size());
    hostChecks_ = PinnedArray<double>(2 * targets.size());
    CUDA_CHECK(copyAsync(checked_.data(), targets.data(), checked_.bytes(), Copy::toDevice, stream_));
    CUDA_CHECK(waitForStream(stream_));  // the targets are a local variable
}

/// Enqueues the next slice of pairs; true when all are enqueued.
template <class Real>
bool DiagnosticsJob<Real>::enqueueTree(double seconds) {
    if constexpr (std::is_same_v<Real, float>) {
        const TreeFields fields{reinterpret_cast<double*>(first_.data()), reinterpret_cast<double*>(second_.data()),
                                neighbour_.data()};
        if (!std::exchange(treeBegun_, true)) tree_->begin(x_.data(), force_, fields);
        if (!tree_->enqueue(seconds)) return false;
        const TreeForce law = treeForce(force_);
        launchKernel(fieldCheckKernel(), {static_cast<unsigned>(checked_.size())}, kMeasureThreads,
                     FieldCheckTask{x_.data(), fields.energy, checked_.data(), checks_.data(), count_,
                                    force_.softening * force_.softening, law.power, law.factor},
                     0, stream_);
        CUDA_CHECK(copyAsync(hostChecks_.data(), checks_.data(), checks_.bytes(), Copy::toHost, stream_));
    }
    return true;
}

template <class Real>
void DiagnosticsJob<Real>::enqueueEnd() {
    const unsigned blocks = chunks(count_);
    launchKernel(
        kernels_.pairChunks, {blocks}, kMeasureThreads,
        PairChunkTask<Real>{x_.data(), reinterpret_cast<const double*>(first_.data()),
                            reinterpret_cast<const double*>(second_.data()), neighbour_.data(), pairParts_.data(), count_},
        0, stream_);
    const double sign = tree_ || loopLaw(force_) == Law::gravity ? -forceFactor(force_) : 1;
    launchKernel(kernels_.pairsEnd, {1}, kMeasureThreads,
                 PairEndTask<Real>{x_.data(), pairParts_.data(), blocks, sign, state_.data()}, 0, stream_);
    CUDA_CHECK(copyAsync(host_.data(), state_.data(), sizeof(MeasuredState), Copy::toHost, stream_));
    ended_ = true;
}

template <class Real>
std::optional<Diagnostics> DiagnosticsJob<Real>::advance(double seconds) {
    if (!running_) return std::nullopt;
    try {
        if (sliceRunning_) {
            if (!sliceEnd_.reached()) return std::nullopt;
            float milliseconds = 0;
            CUDA_CHECK(elapsedMilliseconds(milliseconds, sliceBegin_, sliceEnd_));
            const double took = 1e-3 * static_cast<double>(milliseconds);
            seconds_ += took;
            // The rate of slices of a few microseconds is not that of longer ones.
            if (slicePairs_ > 0 && took > 5e-5) rate_ = slicePairs_ / took;
            sliceRunning_ = false;
        }
        if (ended_) {
            running_ = false;
            return result();
        }
        CUDA_CHECK(recordEvent(sliceBegin_, stream_));
        if (!tree_) enqueuePairs(seconds);
        if (tree_ ? enqueueTree(seconds) : source_ >= count_) enqueueEnd();
        CUDA_CHECK(recordEvent(sliceEnd_, stream_));
        sliceRunning_ = true;
    } catch (...) {
        drop();
        throw;
    }
    return std::nullopt;
}

template <class Real>
Diagnostics DiagnosticsJob<Real>::result() const {
    const MeasuredState& state = *host_.data();
    const Moments& m = state.moments;
    Diagnostics result;
    result.kinetic = m.kinetic;
    result.potential = state.pairs.energy;
    result.momentum = {m.momentum[0], m.momentum[1], m.momentum[2]};
    result.angularMomentum = {m.spin[0], m.spin[1], m.spin[2]};
    result.centreOfMass = Vec3d{m.first[0], m.first[1], m.first[2]} / (m.mass != 0 ? m.mass : 1);
    result.mass = m.mass;
    std::copy_n(state.radii, result.shape.lagrangianRadii.size(), result.shape.lagrangianRadii.begin());
    if (state.pairs.squared < std::numeric_limits<double>::infinity()) {
        result.shape.closest = std::sqrt(state.pairs.squared);
        result.shape.closestFirst = state.pairs.first;
        result.shape.closestSecond = state.pairs.second;
    }
    // Either body of a pair may have found the other.
    if (result.shape.closestFirst > result.shape.closestSecond)
        std::swap(result.shape.closestFirst, result.shape.closestSecond);
    if (tree_) {
        PotentialError error;
        for (std::size_t k = 0; k < checked_.size(); ++k)
            error.add(hostChecks_.data()[2 * k], hostChecks_.data()[2 * k + 1]);
        result.potentialError = error.relative();
    }
    result.angularMomentumScale = m.spinScale;
    result.seconds = seconds_;
    return result;
}

template <class Real>
std::optional<Diagnostics> Measurement<Real>::take(double seconds) {
    Diagnostics failed;
    failed.failure = std::exchange(failure, {});
    if (!failed.failure.empty()) return failed;
    if (!pairs) return std::nullopt;
    try {
        if (!ofPairs) ofPairs = pairs->advance(seconds);
        if (!ofPairs) return std::nullopt;
        if (!otherEnergy.valid()) return std::exchange(ofPairs, std::nullopt);
        if (otherEnergy.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
        Diagnostics measured = *std::exchange(ofPairs, std::nullopt);
        measured.potential += otherEnergy.get();
        return measured;
    } catch (const Error& error) {
        ofPairs.reset();
        failed.failure = error.what();
        return failed;
    }
}

template class DiagnosticsJob<float>;
template class DiagnosticsJob<double>;
template struct Measurement<float>;
template struct Measurement<double>;

}  // namespace gravlab::cuda
