// State, forces and their slices. The steps that are made of them are in engine_steps.cpp.
#include "sim/cuda/engine.h"

#include <algorithm>
#include <cmath>

namespace gravlab::cuda {
namespace {

// Longest launch of a force: short against a frame, long against the few microseconds that a launch costs.
constexpr double kSliceSeconds = 2.5e-3;
// Pairs from which on a force may have to be cut: a tenth of a millisecond on the fastest device.
constexpr double kNeverCutPairs = 2e8;
// Waves of blocks in one launch of a cut force: with four, the last and partly filled one costs little.
constexpr double kWaves = 4;
// About 1 ms where double precision is half as fast as single, some 20 ms where it is 64 times slower.
constexpr double kPairsPerCheck = 2.7e8;

Float4 single(const Double4& value) {
    return {static_cast<float>(value.x), static_cast<float>(value.y), static_cast<float>(value.z),
            static_cast<float>(value.w)};
}

void upload(const DeviceArray<Float4>& to, const std::vector<Double4>& from, Stream stream) {
    std::vector<Float4> host(from.size());
    std::transform(from.begin(), from.end(), host.begin(), single);
    CUDA_CHECK(copyAsync(to.data(), host.data(), to.bytes(), Copy::toDevice, stream));
    CUDA_CHECK(waitForStream(stream));
}

std::vector<Double4> downloaded(const DeviceArray<Float4>& from, Stream stream) {
    std::vector<Float4> host(from.size());
    CUDA_CHECK(copyAsync(host.data(), from.data(), from.bytes(), Copy::toHost, stream));
    CUDA_CHECK(waitForStream(stream));
    std::vector<Double4> result(host.size());
    std::transform(host.begin(), host.end(), result.begin(), [](const Float4& a) { return Double4{a.x, a.y, a.z, a.w}; });
    return result;
}

std::uint32_t roundedUp(double value, std::uint32_t multiple) {
    return static_cast<std::uint32_t>(std::ceil(value / multiple)) * multiple;
}

}  // namespace

ForcePlan::ForcePlan(const Choice& chosen, std::size_t bodies, const DeviceFacts& device) : choice(chosen) {
    const LaunchConfig& launch = chosen.launch;
    const auto ranges = static_cast<std::size_t>(launch.split);
    // Ranges of a multiple of 8 sources keep the unrolled loops whole.
    rangeLength = ranges == 1 ? static_cast<std::uint32_t>(bodies)
                              : roundedUp(std::ceil(static_cast<double>(bodies) / static_cast<double>(ranges)), 8);
    const auto blockTargets = static_cast<std::uint32_t>(launch.block * launch.bodiesPerThread);
    const double wave = static_cast<double>(chosen.residentBlocks) * device.multiprocessors * blockTargets;
    groupTargets = static_cast<std::uint32_t>(
        std::min<double>(static_cast<double>(bodies), roundedUp(kWaves * wave / launch.split, blockTargets)));
    if (ranges > 1) sums = DeviceArray<Float4>(ranges * bodies);
    if (static_cast<double>(bodies) * static_cast<double>(bodies) > kNeverCutPairs)
        carry = DeviceArray<double>(3 * ranges * groupTargets);
}

double Engine::bytes(std::size_t bodies) { return 6.0 * sizeof(Float4) * static_cast<double>(bodies); }

Engine::Engine(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force, const Choice& choice)
    : context_(context), count_(static_cast<std::uint32_t>(bodies.size())), force_(force), wanted_(force) {
    for (State& state : states_) {
        state.x = DeviceArray<Float4>(count_);
        state.v = DeviceArray<Float4>(count_);
        state.a = DeviceArray<Float4>(count_);
        if (count_ > 0) CUDA_CHECK(fillAsync(state.a.data(), 0, state.a.bytes(), context_.stream));
    }
    plan_ = ForcePlan(choice, count_, context_.device);
    if (count_ == 0) return;
    upload(complete().x, bodies.position, context_.stream);
    upload(complete().v, bodies.velocity, context_.stream);
    double heaviest = 0;
    for (const Double4& body : bodies.position) heaviest = std::max(heaviest, std::abs(body.w));
    // Where a body meets itself, mass / softening^3 must stay a number.
    smallestR2_ = std::max<double>(kSofteningSquaredFloor32, std::pow(heaviest / 1e37, 2.0 / 3));
}

void Engine::copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) {
    positions = downloaded(complete().x, context_.stream);
    velocities = downloaded(complete().v, context_.stream);
    if (complete().x.bytes() > kLargestFact) context_.hostCopies += 2;
}

void Engine::configure(const ForceSettings& force) {
    wanted_ = force;
    if (cursor_.atBoundary()) adoptSettings();
}

void Engine::adoptSettings() {
    if (force_ == wanted_) return;
    force_ = wanted_;
    complete().forceKnown = false;
}

void Engine::configure(const Choice& choice) {
    ForcePlan plan(choice, count_, context_.device);
    plan_ = std::move(plan);
    context_.timeline.forgetRate();
    complete().forceKnown = false;
    restartStep();
}

double Engine::rate() const {
    const DeviceFacts& device = context_.device;
    // Until it is measured: what a well-filled device does, or less when there are too few threads for it.
    const double threads = static_cast<double>(count_) * plan_.choice.launch.split / plan_.choice.launch.bodiesPerThread;
    const double filled = std::min(1.0, threads / (1024.0 * device.multiprocessors));
    const double clock = device.clockKHz > 0 ? 1e3 * device.clockKHz : 1.5e9;
    return context_.timeline.rate(std::max(1e9, 0.04 * 128 * device.multiprocessors * clock * filled));
}

bool Engine::enqueueSlice(const Float4* x, Float4* direct) {
    const LaunchConfig& launch = plan_.choice.launch;
    const auto split = static_cast<std::uint32_t>(launch.split);
    const auto block = static_cast<std::uint32_t>(launch.block);
    const double budget = rate() * kSliceSeconds;
    const double all = static_cast<double>(count_) * count_;

    ForceTask task{};
    task.bodies = x;
    task.sums = split > 1 ? plan_.sums.data() : direct;
    task.carry = plan_.carry.data();
    task.count = count_;
    task.rangeLength = plan_.rangeLength;
    task.softeningSquared = static_cast<float>(std::max(force_.softening * force_.softening, smallestR2_));
    task.targetFirst = slice_.target;
    task.sliceFirst = slice_.source;
    task.targetCount = std::min(plan_.groupTargets, count_ - slice_.target);
    task.sliceLength = task.rangeLength - slice_.source;
    if (plan_.carry.size() == 0 || (slice_.target == 0 && slice_.source == 0 && all < 1.5 * budget)) {
        task.targetCount = count_;
    } else {
        const double sources = budget / (static_cast<double>(task.targetCount) * split);
        const double tiles = std::max(1.0, std::floor(sources / block));
        if (tiles * block < task.sliceLength) task.sliceLength = static_cast<std::uint32_t>(tiles) * block;
    }
    task.resumes = slice_.source > 0;
    task.finishes = slice_.source + task.sliceLength >= task.rangeLength;

    const auto blockTargets = static_cast<std::uint32_t>(launch.block * launch.bodiesPerThread);
    const Dim grid{(task.targetCount + blockTargets - 1) / blockTargets, split};
    launchKernel(plan_.choice.kernel, grid, block, task, sharedBytes(launch), context_.stream);

    const double share = static_cast<double>(task.sliceLength) / task.rangeLength;
    const double pairs = static_cast<double>(task.targetCount) * count_ * share;
    slice_.source += task.sliceLength;
    if (task.finishes) slice_ = {slice_.target + task.targetCount, 0};
    const bool done = slice_.target >= count_;
    context_.timeline.add(pairs / rate(), {.forceEvaluations = done ? 1 : 0, .interactions = pairs});
    if (done) slice_ = {};
    return done;
}

void Engine::takeForce(Float4* direct) {
    const bool split = plan_.split() > 1;
    sums_ = split ? plan_.sums.data() : direct;
    ranges_ = static_cast<std::uint32_t>(plan_.split());
}

void Engine::computeForce() {
    const bool underWay = !cursor_.atBoundary();
    context_.timeline.begin();
    slice_ = {};
    x_ = complete().x.data();
    v_ = complete().v.data();
    while (!enqueueSlice(x_, complete().a.data())) context_.timeline.close(Stretch::force);
    context_.timeline.close(Stretch::force);
    takeForce(complete().a.data());
    if (ranges_ > 1) enqueueSum(complete().a.data());
    complete().forceKnown = true;
    if (!checkWanted_.empty()) enqueueCheck();
    if (underWay) restartStep();
}

void Engine::accelerations(std::vector<Double4>& out) {
    out.clear();
    if (count_ == 0) return;
    if (!complete().forceKnown) computeForce();
    out = downloaded(complete().a, context_.stream);
    if (complete().a.bytes() > kLargestFact) ++context_.hostCopies;
}

void Engine::requestForceCheck(std::vector<std::uint32_t> targets) {
    const auto affordable =
        std::max<std::size_t>(16, static_cast<std::size_t>(kPairsPerCheck / std::max<double>(1, count_)));
    if (targets.size() > affordable) {
        for (std::size_t k = 0; k < affordable; ++k) targets[k] = targets[k * targets.size() / affordable];
        targets.resize(affordable);
    }
    checkWanted_ = std::move(targets);
    checkRunning_ = false;
}

void Engine::enqueueCheck() {
    checkTargets_ = std::move(checkWanted_);
    checkWanted_.clear();
    const std::size_t samples = checkTargets_.size();
    if (checkIndices_.size() < samples) {
        checkIndices_ = DeviceArray<std::uint32_t>(samples);
        checkResult_ = DeviceArray<Float4>(samples);
        checkHost_ = PinnedArray<Float4>(samples);
    }
    const Stream stream = context_.stream;
    CUDA_CHECK(
        copyAsync(checkIndices_.data(), checkTargets_.data(), samples * sizeof(std::uint32_t), Copy::toDevice, stream));
    const CheckTask task{.bodies = x_,
                         .accelerations = sums_,
                         .targets = checkIndices_.data(),
                         .result = checkResult_.data(),
                         .count = count_,
                         .softeningSquared = std::max(force_.softening * force_.softening, smallestR2_)};
    launchKernel(checkKernel(), {static_cast<unsigned>(samples)}, kCheckThreads, task, 0, stream);
    CUDA_CHECK(copyAsync(checkHost_.data(), checkResult_.data(), samples * sizeof(Float4), Copy::toHost, stream));
    CUDA_CHECK(recordEvent(checkDone_, stream));
    checkRunning_ = true;
    context_.timeline.begin();  // the check's time belongs to nothing
}

std::optional<ForceCheck> Engine::takeForceCheck() {
    if (!checkRunning_ || !checkDone_.reached()) return std::nullopt;
    checkRunning_ = false;
    // compareForces() looks at lengths and differences only, so any direction will do.
    std::vector<Double4> got, want;
    for (std::size_t k = 0; k < checkTargets_.size(); ++k) {
        const Float4& r = checkHost_.data()[k];
        const double length = r.w;
        want.push_back({length, 0, 0, 0});
        got.push_back({length + r.x, r.y, r.z, 0});
    }
    ForceCheck check = compareForces(got, want, kGate32);
    check.worst = checkTargets_[check.worst];
    return check;
}

}  // namespace gravlab::cuda
