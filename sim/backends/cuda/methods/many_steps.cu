// Whole batches of leapfrog steps in one cooperative launch, for small N: the host is out of the loop and velocities stay in
// registers. A block owns a few targets; its warps split the sources; one grid barrier a step is enough because positions
// alternate between two buffers. Rule: a batch of k steps equals k batches of one step, bit for bit.
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/integrate.cuh"
#include "sim/backends/cuda/kernels/many_steps.h"
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>

namespace gravlab::cuda {
namespace {

/// kFew: the sources are not all bodies. Code for both was 4 % slower where all act.
template <int kUnroll, bool kFew>
__global__ __launch_bounds__(kManyStepsMaxWarps * 32, 1) void manySteps(ManyStepsTask task) {
    constexpr int B = kManyStepsBodies;
    extern __shared__ float sums[];  // [segment][axis][target]
    const ManyStepsPartition& partition = task.partition;
    const int n = static_cast<int>(task.count), acting = kFew ? static_cast<int>(task.sources) : n;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, groups = partition.targets / B;
    const int group = warp % groups, segment = warp / groups;
    const int first = blockIdx.x * partition.targets, mine = first + threadIdx.x;
    const bool owner = static_cast<int>(threadIdx.x) < partition.targets && mine < n;
    float4 x{}, v{}, a{};
    if (owner)
        x = asVectors(task.positionsA)[mine], v = asVectors(task.velocity)[mine], a = asVectors(task.acceleration)[mine];
    const int share = (acting + partition.segments * 32 - 1) / (partition.segments * 32) * 32;
    const int from = segment * share, to = min(acting, from + share);
    const float half = 0.5f * task.timeStep;

    for (int step = 0; step < task.steps; ++step) {
        float4* positions = asVectors(step & 1 ? task.positionsA : task.positionsB);
        if (owner) {
            v = axpy(v, half, a);
            x = axpy(x, task.timeStep, v);
            __stcg(positions + mine, x);
        }
        gridBarrier(task.arrived, (task.epoch + step + 1) * gridDim.x);

        float tx[B], ty[B], tz[B], ax[B], ay[B], az[B];
#pragma unroll
        for (int b = 0; b < B; ++b) {
            const float4 p = __ldcg(positions + min(first + group * B + b, n - 1));
            tx[b] = p.x, ty[b] = p.y, tz[b] = p.z, ax[b] = ay[b] = az[b] = 0;
        }
#pragma unroll kUnroll
        for (int j = from + lane; j < to; j += 32) {
            const float4 p = __ldcg(positions + (kFew && task.list ? static_cast<int>(task.list[j]) : j));
#pragma unroll
            for (int b = 0; b < B; ++b) {
                const float dx = p.x - tx[b], dy = p.y - ty[b], dz = p.z - tz[b];
                const float inverse = inverseRoot(fma(dz, dz, fma(dy, dy, fma(dx, dx, task.softeningSquared))));
                const float s = p.w * inverse * (inverse * inverse);
                ax[b] = fma(dx, s, ax[b]), ay[b] = fma(dy, s, ay[b]), az[b] = fma(dz, s, az[b]);
            }
        }
        // 3 B sums over 32 lanes by exchange and halving: 31 shuffles instead of 120; lane k ends with the k-th sum.
        float value[32];
#pragma unroll
        for (int k = 0; k < 32; ++k) value[k] = k < B ? ax[k % B] : k < 2 * B ? ay[k % B] : k < 3 * B ? az[k % B] : 0.f;
#pragma unroll
        for (int width = 16; width >= 1; width >>= 1) {
            const bool upper = lane & width;
#pragma unroll
            for (int k = 0; k < 16; ++k)
                if (k < width) {
                    const float keep = upper ? value[k + width] : value[k], send = upper ? value[k] : value[k + width];
                    value[k] = keep + __shfl_xor_sync(~0u, send, width);
                }
        }
        if (lane < 3 * B) sums[(segment * 3 + lane / B) * partition.targets + group * B + lane % B] = value[0];
        __syncthreads();
        if (owner) {
            a = float4{};
            for (int s = 0; s < partition.segments; ++s) {
                const float* part = sums + s * 3 * partition.targets + threadIdx.x;
                a.x += part[0], a.y += part[partition.targets], a.z += part[2 * partition.targets];
            }
            v = axpy(v, half, a);
        }
    }
    if (!owner) return;
    asVectors(task.acceleration)[mine] = a;
    if (task.onlyForce) return;
    asVectors(task.positionsA)[mine] = x, asVectors(task.velocity)[mine] = v;
    if (task.vertices) task.vertices[mine] = {x.x, x.y, x.z, shownValue(task.shown, x, v, a)};
}

// A force alone is a step of length 0.
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

Kernel<ManyStepsTask> manyStepsKernel(int unroll, bool few) {
    return StepUnrolls::pick(
        unroll, [=](auto factor) { return kernelOf(few ? manySteps<factor(), true> : manySteps<factor(), false>); });
}

ManyStepsPartition manyStepsPartition(std::size_t count, int multiprocessors, int mostWarps) {
    ManyStepsPartition partition;
    if (count == 0 ||
        count > static_cast<std::size_t>(multiprocessors) * kManyStepsBodies * static_cast<std::size_t>(mostWarps))
        return partition;
    const int n = static_cast<int>(count);
    const int share = (n + multiprocessors - 1) / multiprocessors;
    partition.targets = (share + kManyStepsBodies - 1) / kManyStepsBodies * kManyStepsBodies;
    const int groups = partition.targets / kManyStepsBodies;
    // With one group per block, 8 segments are faster than 16 (2.44 against 2.87 us per step at N = 1,024): the sum over 16
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
