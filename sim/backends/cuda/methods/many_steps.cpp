// The kernel that makes whole steps; a force alone is a step of length 0.
#include "sim/backends/cuda/kernels/many_steps.h"

#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>

namespace gravlab::cuda {
namespace {

class ManySteps final : public DeviceForceMethod<float>, public StepLauncher<float> {
public:
    explicit ManySteps(const MethodParts& parts)
        : DeviceForceMethod(parts.plan, parts.count, parts.rate),
          stream_(parts.stream),
          deal_(manyStepsDeal(parts.count, parts.device.multiprocessors)) {
        if (parts.count == 0) return;
        arrived_ = DeviceArray<unsigned>(1);
        there_ = DeviceArray<Float4>(padded(parts.count));
        still_ = DeviceArray<Float4>(parts.count);
        CUDA_CHECK(fillAsync(arrived_.data(), 0, arrived_.bytes(), stream_));
        CUDA_CHECK(fillAsync(still_.data(), 0, still_.bytes(), stream_));
    }
    StepLauncher<float>* steps() override { return this; }

    /// Leapfrog: kick a half, drift, force, kick a half.
    bool runsSteps(StepProgram program) const override {
        static constexpr StepOp kLeapfrog[] = {{Op::kick, 0.5}, {Op::drift, 1}, {Op::force, 0}, {Op::kick, 0.5}};
        return std::ranges::equal(program, kLeapfrog, [](const StepOp& a, const StepOp& b) {
            return a.op == b.op && (a.op == Op::force || a.weight == b.weight);
        });
    }
    void enqueueSteps(const StepBatch<float>& batch, const ForceRequest& request) override {
        ManyStepsTask task{};
        task.here = batch.x;
        task.there = there_.data();
        task.velocity = batch.v;
        task.acceleration = batch.a;
        task.count = count();
        task.deal = deal_;
        task.steps = batch.steps;
        task.timeStep = static_cast<float>(batch.timeStep);
        task.softeningSquared = static_cast<float>(softeningSquared(request));
        task.arrived = arrived_.data();
        task.epoch = epoch_;
        task.vertices = batch.vertices;
        task.shown = batch.shown;
        launchResident(manyStepsKernel(), {static_cast<unsigned>(deal_.blocks)}, static_cast<unsigned>(deal_.threads()),
                       task, deal_.sharedBytes(), stream_);
        epoch_ += static_cast<unsigned>(task.steps);
    }

private:
    ForceProgress enqueuePairs(double) override {
        // Times 0, whatever was there must be a number.
        CUDA_CHECK(fillAsync(bodies().sums, 0, count() * sizeof(Float4), stream_));
        enqueueSteps({.x = bodies().positions, .v = still_.data(), .a = bodies().sums, .steps = 1}, request());
        return {.complete = true, .work = {.pairs = allPairs()}};
    }
    double nextPairs(double) const override { return allPairs(); }
    double doneShare() const override { return 0; }
    void rewind() override {}

    Stream stream_;
    ManyStepsDeal deal_;
    unsigned epoch_ = 0;
    DeviceArray<unsigned> arrived_;
    DeviceArray<Float4> there_, still_;
};

}  // namespace

ManyStepsDeal manyStepsDeal(std::size_t count, int multiprocessors) {
    ManyStepsDeal deal;
    if (count == 0 || count > static_cast<std::size_t>(multiprocessors) * kManyStepsBodies * kManyStepsMaxWarps) return deal;
    const int n = static_cast<int>(count);
    const int share = (n + multiprocessors - 1) / multiprocessors;
    deal.targets = (share + kManyStepsBodies - 1) / kManyStepsBodies * kManyStepsBodies;
    const int groups = deal.targets / kManyStepsBodies;
    // At one group a block, 8 segments beat 16 (2.44 against 2.87 us a step at N = 1,024): the sum over segments costs more.
    const int most = groups == 1 ? 8 : kManyStepsMaxWarps / groups;
    deal.segments = 1;
    while (deal.segments * 2 <= most && deal.segments * 64 <= n) deal.segments *= 2;
    while (deal.threads() < deal.targets) deal.segments *= 2;  // every target needs a thread that owns it
    deal.blocks = (n + deal.targets - 1) / deal.targets;
    return deal;
}

MadeMethod<float> makeManySteps(const MethodParts& parts) { return std::make_unique<ManySteps>(parts); }

}  // namespace gravlab::cuda
