// State, forces, and what is measured beside them. The steps that are made of them are in engine_steps.cpp.
#include "sim/backends/cuda/engine.h"

#include <utility>

namespace gravlab::cuda {
template <class Real>
EngineOf<Real>::EngineOf(EngineContext& context, const ParticleSet& bodies, const ForceSettings& force,
                         const LaunchPlan& plan)
    : context_(context),
      state_(static_cast<std::uint32_t>(bodies.size()), context.stream),
      method_(makeForceMethod<Real>(plan, state_.count(), context.device, context.stream)),
      facts_(factsOf(bodies)),
      force_(force),
      wanted_(force),
      check_(context.stream) {
    state_.upload(bodies);
}

template <class Real>
void EngineOf<Real>::copyState(std::vector<Double4>& positions, std::vector<Double4>& velocities) {
    state_.download(positions, velocities);
    if (state_.complete().v.bytes() > kLargestFact) context_.hostCopies += 2;
}

template <class Real>
LaterVectors EngineOf<Real>::copyStateLater() {
    if (size() == 0) return [](std::vector<Double4>&, std::vector<Double4>&) {};
    // Where an earlier copy is still being fetched, that one is its fetcher's, and goes with it.
    if (!copy_ || copy_->held()) copy_ = std::make_shared<StateCopy<Real>>(context_.device.index, state_.count());
    LaterVectors later = copy_->take(state_.complete().x.data(), state_.complete().v.data(), context_.stream);
    if (state_.complete().v.bytes() > kLargestFact) context_.hostCopies += 2;
    return later;
}

template <class Real>
void EngineOf<Real>::configure(const ForceSettings& force, const LaunchPlan* plan) {
    std::unique_ptr<Method> method;
    if (plan) method = makeForceMethod<Real>(*plan, state_.count(), context_.device, context_.stream);
    wanted_ = force;
    if (cursor_.atBoundary()) adoptSettings();
    if (!method) return;
    method_ = std::move(method);
    state_.complete().forceKnown = false;
    restartStep();
}

template <class Real>
void EngineOf<Real>::adoptSettings() {
    if (force_ == wanted_) return;
    force_ = wanted_;
    state_.complete().forceKnown = false;
}

template <class Real>
bool EngineOf<Real>::enqueueSlice(Method& method) {
    const ForceProgress done = method.enqueue(kSliceSeconds);
    context_.timer.add(done.work.pairs / method.rate()->pairsPerSecond(),
                       {.forceEvaluations = done.complete ? 1 : 0, .interactions = done.work.pairs}, method.rate());
    return done.complete;
}

template <class Real>
DeviceSums<Real> EngineOf<Real>::accelerationOf(DeviceSums<Real> sums, const V* v, V* to) {
    if (!responds()) return sums;
    constexpr unsigned kThreads = 256;
    launchKernel(respondKernel<Real>(), {(state_.count() + kThreads - 1) / kThreads}, kThreads,
                 {sums.sums, sums.ranges, v, forceFactor(force_), to, state_.count()}, 0, context_.stream);
    return {to, 1};
}

template <class Real>
void EngineOf<Real>::evaluate(Method& method, V* to) {
    auto& complete = state_.complete();
    context_.timer.begin();
    method.prepare({complete.x.data(), to}, request());
    while (!enqueueSlice(method)) context_.timer.close(Span::force);
    context_.timer.close(Span::force);
    const DeviceSums<Real> sums = accelerationOf(method.sums(), complete.v.data(), to);
    if (sums.ranges > 1) enqueueSum(sums, to);
}

template <class Real>
void EngineOf<Real>::accelerations(std::vector<Double4>& out) {
    out.clear();
    if (size() == 0) return;
    auto& complete = state_.complete();
    if (complete.a.bytes() > kLargestFact) ++context_.hostCopies;
    if (!complete.forceKnown && !cursor_.atBoundary()) {
        // The step under way goes on, with what its method has done: this force has a method and an array of its own.
        const auto method = makeForceMethod<Real>(plan(), state_.count(), context_.device, context_.stream);
        const DeviceArray<V> beside(state_.count());
        evaluate(*method, beside.data());
        out = state_.download(beside);
        return;
    }
    if (!complete.forceKnown) {
        evaluate(*method_, complete.a.data());
        complete.forceKnown = true;
        x_ = complete.x.data();
        v_ = complete.v.data();
        if (check_.wanted()) enqueueCheck(x_, complete.a.data());
    }
    out = state_.download(complete.a);
}

template <class Real>
void EngineOf<Real>::enqueueCheck(const V* x, const V* a) {
    check_.enqueue(x, v_, a, state_.count(), request(), method_->accuracy());
    context_.timer.begin();  // the check's time belongs to nothing
}

template <class Real>
void EngineOf<Real>::requestMeasurement() {
    measureFailure_.clear();
    if (size() == 0) return;
    try {
        if (!diagnostics_) diagnostics_ = std::make_unique<DiagnosticsJob<Real>>(context_.stream, state_.count());
        diagnostics_->begin(state_.complete().x.data(), state_.complete().v.data(), wanted_);
    } catch (const Error& error) {
        measureFailure_ = error.what();
    }
}

template <class Real>
std::optional<Diagnostics> EngineOf<Real>::takeMeasurement(double seconds) {
    Diagnostics failed;
    failed.failure = std::exchange(measureFailure_, {});
    if (!failed.failure.empty()) return failed;
    if (!diagnostics_) return std::nullopt;
    try {
        return diagnostics_->advance(seconds);
    } catch (const Error& error) {
        failed.failure = error.what();
        return failed;
    }
}

template <class Real>
bool EngineOf<Real>::enqueueMatrix(const PairMatrixRequest& request, FloatSink& sink) {
    if (!matrix_) matrix_ = std::make_unique<PairMatrixJob<Real>>(context_.stream);
    return matrix_->enqueue(state_.complete().x.data(), state_.count(), wanted_, request, sink);
}

template class EngineOf<float>;
template class EngineOf<double>;

}  // namespace gravlab::cuda
