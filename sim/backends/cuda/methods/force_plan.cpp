// Plans of the rows that are not one-sided, and the choice among all.
#include "sim/backends/cuda/methods/force_plan.h"

#include "sim/backends/cuda/kernels/many_steps.h"
#include "sim/backends/cuda/kernels/symmetric.h"
#include "sim/backends/cuda/methods/one_sided_plan.h"

#include <algorithm>
#include <type_traits>

namespace gravlab::cuda {
namespace {

/// Each pair once, in rounds.
template <class Real>
class SymmetricPlan final : public ForcePlan<Real> {
public:
    SymmetricPlan(const Choice& choice, std::uint32_t count, Stream stream)
        : ForcePlan<Real>(choice),
          count_(count),
          stream_(stream),
          cut_(symmetricCut(count, kSymmetricTile<Real>)),
          kernel_(symmetricKernel<Real>(choice.entry->symmetric()->sums)),
          atomic_(choice.entry->symmetric()->sums == SymmetricSums::atomics) {
        if (atomic_ || count == 0) return;
        scratch_ = DeviceArray<Real>(cut_.scratch());
        carry_ = DeviceArray<double>(3 * static_cast<std::size_t>(cut_.bodies()));
    }

    ForceSlice enqueue(const ForceJob<Real>& job, double) override {
        const int first = round_ * cut_.round;
        const int partners = std::clamp(cut_.range - first, 0, cut_.round);
        const int units = (partners + cut_.chunk - 1) / cut_.chunk + (round_ == 0 ? 1 : 0);
        const bool last = round_ + 1 == cut_.rounds();
        if (atomic_ && round_ == 0) CUDA_CHECK(fillAsync(job.out, 0, count_ * sizeof(Vec4<Real>), stream_));
        const SymmetricTask<Real> task{job.bodies,  scratch_.data(), &job.out->x,
                                       cut_,        first,           static_cast<Real>(job.softeningSquared),
                                       round_ == 0, count_};
        launchKernel(kernel_, {static_cast<unsigned>(cut_.tiles * units)}, 32, task, 0, stream_);
        if (!atomic_) {
            const SlotsTask<Real> slots{scratch_.data(),          cut_,          first,   last,
                                        this->choice().equalMass, carry_.data(), job.out, count_};
            launchKernel(addSlotsKernel<Real>(), {static_cast<unsigned>(cut_.bodies() / 32)}, 256, slots, 0, stream_);
        }
        const double before = progress();
        round_ = last ? 0 : round_ + 1;
        const double after = last ? 1 : progress();
        return {static_cast<double>(count_) * count_ * (after - before), last};
    }
    double nextPairs(double) const override { return static_cast<double>(count_) * count_ / cut_.rounds(); }
    double progress() const override {
        // The own squares of the first round are as much as half a tile of partners.
        const double own = cut_.tile / 2.0;
        const double all = cut_.range + own;
        return round_ == 0 ? 0 : (std::min(round_ * cut_.round, cut_.range) + own) / all;
    }
    void restart() override { round_ = 0; }

private:
    std::uint32_t count_;
    Stream stream_;
    SymmetricCut cut_;
    Kernel<SymmetricTask<Real>> kernel_;
    bool atomic_;
    int round_ = 0;
    DeviceArray<Real> scratch_;
    DeviceArray<double> carry_;
};

/// The kernel that makes whole steps; a force alone is a step of length 0.
class ManyStepsPlan final : public ForcePlan<float> {
public:
    ManyStepsPlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device, Stream stream)
        : ForcePlan(choice), count_(count), stream_(stream), deal_(manyStepsDeal(count, device.multiprocessors)) {
        if (count == 0) return;
        arrived_ = DeviceArray<unsigned>(1);
        there_ = DeviceArray<Float4>(padded(count));
        still_ = DeviceArray<Float4>(count);
        CUDA_CHECK(fillAsync(arrived_.data(), 0, arrived_.bytes(), stream));
        CUDA_CHECK(fillAsync(still_.data(), 0, still_.bytes(), stream));
    }
    ForceSlice enqueue(const ForceJob<float>& job, double) override {
        // Times 0, whatever was there must be a number.
        CUDA_CHECK(fillAsync(job.out, 0, count_ * sizeof(Float4), stream_));
        ManyStepsTask task{};
        task.here = job.bodies;
        task.velocity = still_.data();
        task.acceleration = job.out;
        task.steps = 1;
        task.softeningSquared = static_cast<float>(job.softeningSquared);
        enqueueSteps(task);
        return {static_cast<double>(count_) * count_, true};
    }
    double nextPairs(double) const override { return static_cast<double>(count_) * count_; }
    double progress() const override { return 0; }
    void restart() override {}
    bool runsSteps() const override { return true; }
    void enqueueSteps(const ManyStepsTask& given) override {
        ManyStepsTask task = given;
        task.there = there_.data();
        task.count = count_;
        task.deal = deal_;
        task.arrived = arrived_.data();
        task.epoch = epoch_;
        launchResident(manyStepsKernel(), {static_cast<unsigned>(deal_.blocks)}, static_cast<unsigned>(deal_.threads()),
                       task, deal_.sharedBytes(), stream_);
        epoch_ += static_cast<unsigned>(task.steps);
    }

private:
    std::uint32_t count_;
    Stream stream_;
    ManyStepsDeal deal_;
    unsigned epoch_ = 0;
    DeviceArray<unsigned> arrived_;
    DeviceArray<Float4> there_, still_;
};

/// Pairs in single precision by another plan; positions come from, and sums go to, double precision.
class MixedPlan final : public ForcePlan<double> {
public:
    MixedPlan(std::unique_ptr<ForcePlan<float>> pairs, std::uint32_t count, Stream stream)
        : ForcePlan(pairs->choice()), count_(count), stream_(stream), pairs_(std::move(pairs)) {
        bodies_ = DeviceArray<Float4>(padded(count));
        out_ = DeviceArray<Float4>(count);
    }
    ForceSlice enqueue(const ForceJob<double>& job, double pairs) override {
        const ForceJob<float> inner{bodies_.data(), out_.data(), std::max(job.softeningSquared, kFloor), job.force};
        if (pairs_->progress() == 0)
            launchKernel(narrowKernel(), blocks(padded(count_)), kThreads,
                         NarrowTask{job.bodies, bodies_.data(), count_, padded(count_)}, 0, stream_);
        const ForceSlice slice = pairs_->enqueue(inner, pairs);
        if (slice.last) {
            const ForceSums<float> sums = pairs_->sums(inner);
            launchKernel(widenKernel(), blocks(count_), kThreads, WidenTask{sums.sums, sums.ranges, job.out, count_}, 0,
                         stream_);
        }
        return slice;
    }
    double nextPairs(double pairs) const override { return pairs_->nextPairs(pairs); }
    double progress() const override { return pairs_->progress(); }
    void restart() override { pairs_->restart(); }

private:
    static constexpr unsigned kThreads = 256;
    static constexpr double kFloor = kSofteningSquaredFloor32;
    static Dim blocks(std::uint32_t threads) { return {(threads + kThreads - 1) / kThreads}; }

    std::uint32_t count_;
    Stream stream_;
    std::unique_ptr<ForcePlan<float>> pairs_;
    DeviceArray<Float4> bodies_, out_;
};

template <class Real>
std::unique_ptr<ForcePlan<Real>> planOf(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                        Stream stream) {
    if (choice.entry->oneSided()) return makeOneSidedPlan<Real>(choice, count, device, stream);
    if (choice.entry->symmetric()) return std::make_unique<SymmetricPlan<Real>>(choice, count, stream);
    if constexpr (std::is_same_v<Real, float>) return std::make_unique<ManyStepsPlan>(choice, count, device, stream);
    throw UsageError("kernel '" + std::string(choice.entry->row.name) + "' is not built in this precision");
}

}  // namespace

template <>
std::unique_ptr<ForcePlan<float>> makeForcePlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                                Stream stream) {
    return planOf<float>(choice, count, device, stream);
}

template <>
std::unique_ptr<ForcePlan<double>> makeForcePlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                                 Stream stream) {
    if (choice.precision != Precision::mixed) return planOf<double>(choice, count, device, stream);
    return std::make_unique<MixedPlan>(planOf<float>(choice, count, device, stream), count, stream);
}

}  // namespace gravlab::cuda
