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
          partition_(manyStepsPartition(parts.count, parts.device.multiprocessors, parts.plan.launch.block / 32)) {
        if (parts.count == 0) return;
        arrived_ = DeviceArray<unsigned>(1);
        positionsB_ = DeviceArray<Float4>(padded(parts.count));
        zeroVelocity_ = DeviceArray<Float4>(parts.count);
        CUDA_CHECK(fillAsync(arrived_.data(), 0, arrived_.bytes(), stream_));
        CUDA_CHECK(fillAsync(zeroVelocity_.data(), 0, zeroVelocity_.bytes(), stream_));
    }
    StepLauncher<float>* steps() override { return this; }
    double work() const override { return sourcePairs(); }

    /// The kernel runs leapfrog only: half a kick, drift, force, half a kick.
    bool runsSteps(StepProgram program) const override {
        static constexpr StepOp kLeapfrog[] = {{Op::kick, 0.5}, {Op::drift, 1}, {Op::force, 0}, {Op::kick, 0.5}};
        return std::ranges::equal(program, kLeapfrog, [](const StepOp& a, const StepOp& b) {
            return a.op == b.op && (a.op == Op::force || a.weight == b.weight);
        });
    }
    void enqueueSteps(const StepBatch<float>& batch, const ForceRequest& request) override {
        ManyStepsTask task{};
        task.positionsA = batch.x;
        task.positionsB = positionsB_.data();
        task.velocity = batch.v;
        task.acceleration = batch.a;
        task.count = count();
        task.partition = partition_;
        task.steps = batch.steps;
        task.timeStep = static_cast<float>(batch.timeStep);
        task.softeningSquared = static_cast<float>(softeningSquared(request));
        task.arrived = arrived_.data();
        task.epoch = epoch_;
        task.vertices = batch.vertices;
        task.shown = batch.shown;
        // From a force that is not finite, a step of length 0 would make a velocity and a position that are not finite.
        task.onlyForce = batch.v == zeroVelocity_.data();
        task.sources = static_cast<std::uint32_t>(request.sources.among(count()));
        task.list = request.sources.list;
        launchResident(manyStepsKernel(plan().launch.unroll, task.sources < task.count),
                       {static_cast<unsigned>(partition_.blocks)}, static_cast<unsigned>(partition_.threads()), task,
                       partition_.sharedBytes(), stream_);
        epoch_ += static_cast<unsigned>(task.steps);
    }

private:
    ForceProgress enqueuePairs(double) override {
        // The kernel multiplies the old contents by 0, so they must be finite.
        CUDA_CHECK(fillAsync(bodies().sums, 0, count() * sizeof(Float4), stream_));
        enqueueSteps({.x = bodies().positions, .v = zeroVelocity_.data(), .a = bodies().sums, .steps = 1}, request());
        return {.complete = true, .work = {.pairs = sourcePairs()}};
    }
    double nextPairs(double) const override { return work(); }
    double doneShare() const override { return 0; }
    void rewind() override {}

    Stream stream_;
    ManyStepsPartition partition_;
    unsigned epoch_ = 0;
    DeviceArray<unsigned> arrived_;
    DeviceArray<Float4> positionsB_, zeroVelocity_;
};

}  // namespace

ManyStepsPartition manyStepsPartition(std::size_t count, int multiprocessors, int mostWarps) {
    ManyStepsPartition partition;
    if (count == 0 ||
        count > static_cast<std::size_t>(multiprocessors) * kManyStepsBodies * static_cast<std::size_t>(mostWarps))
        return partition;
    const int n = static_cast<int>(count);
    const int share = (n + multiprocessors - 1) / multiprocessors;
    partition.targets = (share + kManyStepsBodies - 1) / kManyStepsBodies * kManyStepsBodies;
    const int groups = partition.targets / kManyStepsBodies;
    // With one group a block, 8 segments are faster than 16 (2.44 against 2.87 us a step at N = 1,024): the sum over 16
    // segments costs more than it saves.
    const int most = groups == 1 ? std::min(8, mostWarps) : mostWarps / groups;
    partition.segments = 1;
    while (partition.segments * 2 <= most && partition.segments * 64 <= n) partition.segments *= 2;
    while (partition.threads() < partition.targets) partition.segments *= 2;  // every target needs its own thread
    partition.blocks = (n + partition.targets - 1) / partition.targets;
    return partition;
}

MadeMethod<float> makeManySteps(const MethodParts& parts) { return std::make_unique<ManySteps>(parts); }

}  // namespace gravlab::cuda
