// State, forces and their slices. The steps that are made of them are in engine_steps.cpp.
#include "sim/backends/cuda/engine.h"

#include "sim/backends/cuda/runtime/device.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

// About 1 ms where double precision is half as fast as single, some 20 ms where it is 64 times slower.
constexpr double kPairsPerCheck = 2.7e8;

template <class Real>
Vec4<Real> converted(const Double4& value) {
    return {static_cast<Real>(value.x), static_cast<Real>(value.y), static_cast<Real>(value.z), static_cast<Real>(value.w)};
}

template <class Real>
void upload(const DeviceArray<Vec4<Real>>& to, const std::vector<Double4>& from, Stream stream) {
    std::vector<Vec4<Real>> host(from.size());
    std::transform(from.begin(), from.end(), host.begin(), converted<Real>);
    // Arrays with pads are longer than there are bodies.
    constexpr Real far = kPadDistance<Real>;
    host.resize(to.size(), {far, far, far, 0});
    CUDA_CHECK(copyAsync(to.data(), host.data(), to.bytes(), Copy::toDevice, stream));
    CUDA_CHECK(waitForStream(stream));
}

template <class V>
std::vector<Double4> downloaded(const DeviceArray<V>& from, std::size_t count, Stream stream) {
    std::vector<V> host(count);
    CUDA_CHECK(copyAsync(host.data(), from.data(), count * sizeof(V), Copy::toHost, stream));
    CUDA_CHECK(waitForStream(stream));
    std::vector<Double4> result(count);
    std::transform(host.begin(), host.end(), result.begin(), [](const V& a) { return Double4{a.x, a.y, a.z, a.w}; });
    return result;
}

}  // namespace

template <class Real>
EngineOf<Real>::EngineOf(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force, const Choice& choice)
    : context_(context),
      count_(static_cast<std::uint32_t>(bodies.size())),
      facts_(factsOf(bodies)),
      unlike_(std::any_of(bodies.velocity.begin(), bodies.velocity.end(), [](const Double4& v) { return v.w != 1; })),
      force_(force),
      wanted_(force) {
    for (State& state : states_) {
        state.x = DeviceArray<V>(padded(count_));
        state.v = DeviceArray<V>(count_);
        state.a = DeviceArray<V>(count_);
        if (count_ > 0) CUDA_CHECK(fillAsync(state.a.data(), 0, state.a.bytes(), context_.stream));
    }
    plan_ = makeForcePlan<Real>(choice, count_, context_.device, context_.stream);
    if (count_ == 0) return;
    upload<Real>(work().x, {}, context_.stream);  // its pads
    upload<Real>(complete().x, bodies.position, context_.stream);
    upload<Real>(complete().v, bodies.velocity, context_.stream);
    double heaviest = 0;
    for (const Double4& body : bodies.position) heaviest = std::max(heaviest, std::abs(body.w));
    // Where a body meets itself, mass / softening^3 must stay a number.
    constexpr bool kSingle = std::is_same_v<Real, float>;
    smallestR2_ = std::max<double>(kSingle ? kSofteningSquaredFloor32 : kSofteningSquaredFloor64,
                                   std::pow(heaviest / (kSingle ? 1e37 : 1e307), 2.0 / 3));
}

template <class Real>
void EngineOf<Real>::copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) {
    positions = downloaded(complete().x, count_, context_.stream);
    velocities = downloaded(complete().v, count_, context_.stream);
    if (complete().v.bytes() > kLargestFact) context_.hostCopies += 2;
}

template <class Real>
LaterVectors EngineOf<Real>::copyStateLater() {
    if (count_ == 0) return [](std::vector<Double4>&, std::vector<Double4>&) {};
    // Where an earlier copy is still being fetched, that one is its fetcher's, and goes with it.
    if (!copy_ || copy_->held()) copy_ = std::make_shared<StateCopy<Real>>(context_.device.index, count_);
    LaterVectors later = copy_->take(complete().x.data(), complete().v.data(), context_.stream);
    if (complete().v.bytes() > kLargestFact) context_.hostCopies += 2;
    return later;
}

template <class Real>
void EngineOf<Real>::configure(const ForceSettings& force, const Choice* choice) {
    std::unique_ptr<ForcePlan<Real>> plan;
    if (choice) plan = makeForcePlan<Real>(*choice, count_, context_.device, context_.stream);
    wanted_ = force;
    if (cursor_.atBoundary()) adoptSettings();
    if (!plan) return;
    plan_ = std::move(plan);
    context_.timeline.forgetRate();
    complete().forceKnown = false;
    restartStep();
}

template <class Real>
void EngineOf<Real>::adoptSettings() {
    if (force_ == wanted_) return;
    force_ = wanted_;
    complete().forceKnown = false;
}

template <class Real>
double EngineOf<Real>::rate() const {
    const LaunchConfig& launch = plan_->choice().launch;
    const double threads = static_cast<double>(count_) * launch.split / launch.bodiesPerThread;
    return context_.timeline.rate(expectedPairRate(context_.device, threads));
}

template <class Real>
ForceJob<Real> EngineOf<Real>::job(V* x, V* direct) const {
    return {x, direct, std::max(force_.softening * force_.softening, smallestR2_), force_};
}

template <class Real>
bool EngineOf<Real>::enqueueSlice(V* x, V* direct) {
    const ForceSlice slice = plan_->enqueue(job(x, direct), slicePairs());
    context_.timeline.add(slice.pairs / rate(), {.forceEvaluations = slice.last ? 1 : 0, .interactions = slice.pairs});
    return slice.last;
}

template <class Real>
void EngineOf<Real>::takeForce(V* direct) {
    const ForceSums<Real> sums = plan_->sums(job(x_, direct));
    sums_ = sums.sums;
    ranges_ = sums.ranges;
    if (!responds()) return;
    constexpr unsigned kThreads = 256;
    launchKernel(respondKernel<Real>(), {(count_ + kThreads - 1) / kThreads}, kThreads,
                 RespondTask<Real>{sums_, ranges_, v_, forceFactor(force_), direct, count_}, 0, context_.stream);
    sums_ = direct;
    ranges_ = 1;
}

template <class Real>
void EngineOf<Real>::computeForce() {
    const bool underWay = !cursor_.atBoundary();
    context_.timeline.begin();
    plan_->restart();
    waiting_.reset();
    x_ = complete().x.data();
    v_ = complete().v.data();
    while (!enqueueSlice(x_, complete().a.data())) context_.timeline.close(Stretch::force);
    context_.timeline.close(Stretch::force);
    takeForce(complete().a.data());
    if (ranges_ > 1) enqueueSum(complete().a.data());
    complete().forceKnown = true;
    if (!checkWanted_.empty()) enqueueCheck(x_, complete().a.data());
    if (underWay) restartStep();
}

template <class Real>
void EngineOf<Real>::accelerations(std::vector<Double4>& out) {
    out.clear();
    if (count_ == 0) return;
    if (!complete().forceKnown) computeForce();
    out = downloaded(complete().a, count_, context_.stream);
    if (complete().a.bytes() > kLargestFact) ++context_.hostCopies;
}

template <class Real>
void EngineOf<Real>::requestForceCheck(std::vector<std::uint32_t> targets) {
    const auto affordable =
        std::max<std::size_t>(16, static_cast<std::size_t>(kPairsPerCheck / std::max<double>(1, count_)));
    if (targets.size() > affordable) {
        for (std::size_t k = 0; k < affordable; ++k) targets[k] = targets[k * targets.size() / affordable];
        targets.resize(affordable);
    }
    checkWanted_ = std::move(targets);
    checkRunning_ = false;
}

template <class Real>
void EngineOf<Real>::enqueueCheck(const V* x, const V* a) {
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
    const CheckTask<Real> task{.bodies = x,
                               .accelerations = a,
                               .velocities = v_,
                               .targets = checkIndices_.data(),
                               .result = checkResult_.data(),
                               .count = count_,
                               .softeningSquared = std::max(force_.softening * force_.softening, smallestR2_),
                               .sign = forceFactor(force_),
                               .floorShare = floorShare(force_)};
    const Dim blocks{static_cast<unsigned>(samples)};
    if (loopLaw(force_) == Law::gravity)
        launchKernel(checkKernel<Real>(), blocks, kCheckThreads, task, 0, stream);
    else
        withLoopLaw<double>(force_, [&]<class Type>(const Type& law) {
            launchKernel(lawCheckKernel<Real, Type>(), blocks, kCheckThreads, {task, law}, 0, stream);
        });
    CUDA_CHECK(copyAsync(checkHost_.data(), checkResult_.data(), samples * sizeof(Float4), Copy::toHost, stream));
    CUDA_CHECK(recordEvent(checkDone_, stream));
    checkRunning_ = true;
    context_.timeline.begin();  // the check's time belongs to nothing
}

template <class Real>
std::optional<ForceCheck> EngineOf<Real>::takeForceCheck() {
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
    ForceCheck check = compareForces(got, want, gateOf(force_));
    check.worst = checkTargets_[check.worst];
    return check;
}

template <class Real>
void EngineOf<Real>::requestMeasurement() {
    measureFailure_.clear();
    if (count_ == 0) return;
    try {
        if (!measurer_) measurer_ = std::make_unique<Measurer<Real>>(context_.stream, count_);
        measurer_->begin(complete().x.data(), complete().v.data(), wanted_);
    } catch (const DeviceError& error) {
        measureFailure_ = error.what();
    }
}

template <class Real>
std::optional<Measurement> EngineOf<Real>::takeMeasurement(double seconds) {
    Measurement failed;
    failed.failure = std::exchange(measureFailure_, {});
    if (!failed.failure.empty()) return failed;
    if (!measurer_) return std::nullopt;
    try {
        return measurer_->advance(seconds);
    } catch (const DeviceError& error) {
        failed.failure = error.what();
        return failed;
    }
}

template <class Real>
bool EngineOf<Real>::paintMatrix(const MatrixColours& colours, std::uint32_t row, std::uint32_t column, int edge,
                                 VertexSink& sink) {
    if (!artist_) artist_ = std::make_unique<MatrixArtist<Real>>(context_.stream);
    return artist_->paint(complete().x.data(), count_, wanted_, colours, row, column, edge, sink);
}

template class EngineOf<float>;
template class EngineOf<double>;

std::unique_ptr<Engine> makeEngine(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force,
                                   const Choice& choice) {
    if (choice.precision == Precision::fp32) return std::make_unique<EngineOf<float>>(context, bodies, force, choice);
    return std::make_unique<EngineOf<double>>(context, bodies, force, choice);
}

}  // namespace gravlab::cuda
