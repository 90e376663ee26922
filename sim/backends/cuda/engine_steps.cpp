// Enqueues steps: decides what one launch holds, and which step is drawn.
#include "sim/backends/cuda/engine.h"

#include "sim/backends/profiler_range.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gravlab::cuda {
namespace {

// Forces shorter than kBunchedForce are timed in bunches [s]: an event costs the host a microsecond.
constexpr double kBunchedForce = 3e-4, kBunch = 1e-3;
constexpr double kMapSeconds = 1e-5;
// Longest batch of steps in one launch [s].
constexpr double kBatchSeconds = 2e-3;

}  // namespace

template <class Real>
double EngineOf<Real>::integrateSeconds() const {
    // The estimate is about 150 bytes per body at half of a usual bandwidth, and one launch.
    return 3e-6 + 150.0 * state_.count() / 1e12;
}

/// Estimated time of a force by all terms.
template <class Real>
double EngineOf<Real>::forceSeconds() const {
    double seconds = 0;
    for (const auto& method : methods_) seconds += method->evaluationSeconds();
    return seconds;
}

/// Estimated time of the next piece of work.
template <class Real>
double EngineOf<Real>::nextSeconds() const {
    if (!cursor_.atBoundary() && !atForce()) return integrateSeconds();
    const TermMethod& next = *methods_[cursor_.atBoundary() ? 0 : term_];
    const double share = active_.all() ? 1 : static_cast<double>(active_.count) / state_.count();
    return std::min(share * next.evaluationSeconds(), next.sliceSeconds(kSliceSeconds));
}

template <class Real>
double EngineOf<Real>::stepSeconds() const {
    // The estimate assumes that bodies are on the levels of the last step.
    const double bodies = std::max<double>(1, state_.count());
    const double forces = std::max<double>(forcesPerStep(program_), inBlocks(program_) ? lastClock_.forces() / bodies : 1);
    const double moves = inBlocks(program_) ? lastClock_.substeps() : forces;
    return forces * forceSeconds() + std::max(1.0, moves) * integrateSeconds();
}

template <class Real>
bool EngineOf<Real>::smallSteps() const {
    return pairs().evaluationSeconds() < kBunchedForce;
}

template <class Real>
void EngineOf<Real>::endPart(Span kind) {
    if (measured_) context_.timer.close(kind);
}

template <class Real>
Pacing EngineOf<Real>::pace(const Budget& budget) {
    const Pacing pacing(budget, context_.timer);
    offline_ = pacing.offline();
    return pacing;
}

template <class Real>
void EngineOf<Real>::beforePiece(bool first, std::int64_t stepsCompleted) {
    if (first) context_.timer.begin();
    measured_ = stepsCompleted == 0 || !smallSteps() || !alone();
}

template <class Real>
void EngineOf<Real>::prepareStep(StepProgram program) {
    if (needsScratch(program)) state_.requireScratch();
    blocks_.begin(inBlocks(program));
}

template <class Real>
void EngineOf<Real>::enterStep() {
    auto& complete = state_.complete();
    x_ = complete.x.data();
    v_ = complete.v.data();
    acceleration_ = {complete.a.data(), 1};
    pendingTermSums_ = nullptr;
    forceAtX_ = complete.forceKnown;
    firstForce_ = moved_ = false;
}

template <class Real>
void EngineOf<Real>::restartStep() {
    abandonForce();
    if (!cursor_.atBoundary()) this->beginStep(program_, this->timeStep_);
}

template <class Real>
bool EngineOf<Real>::fuses() const {
    return atForce() && !inBlocks(program_) && plainForce() && pairs().steps() && pairs().steps()->fuses(kSliceSeconds);
}

template <class Real>
DeviceBodies<Real> EngineOf<Real>::forceHere() {
    // The force for a first kick belongs to the last complete step; all other forces belong to the step under way.
    firstForce_ = cursor_.atInitialForce();
    return {x_, firstForce_ ? state_.complete().a.data() : state_.work().a.data()};
}

template <class Real>
bool EngineOf<Real>::runSlice(std::size_t k, TermMethod& method) {
    const ProfilerRange range("slice");
    const DeviceBodies<Real> bodies = forceHere();
    if (!method.underWay())
        method.prepare(k == 0 ? bodies : DeviceBodies<Real>{bodies.positions, termSums_.data(), v_}, requestOf(k, active_));
    const bool complete = enqueueSlice(k, method, active_.all());
    endPart(k == 0 ? Span::force : Span::terms);
    return complete;
}

template <class Real>
void EngineOf<Real>::sumInto(V* to) {
    if (acceleration_.sums == to && acceleration_.ranges == 1) return;
    enqueueSum(acceleration_, to);
    acceleration_ = {to, 1};
}

template <class Real>
void EngineOf<Real>::takeTerm(std::size_t k, TermMethod& method) {
    const DeviceBodies<Real> bodies = forceHere();
    if (k == 0) {
        pendingTermSums_ = nullptr;
        acceleration_ = accelerationOf(method.sums(), v_, bodies.sums, active_);
        if (alone()) return;
        sumInto(bodies.sums);
        if (needsResponsePass() || method.sums().ranges > 1) {
            // Else the time would count for the next term.
            context_.timer.add(integrateSeconds() / 2, {});
            endPart(Span::sums);
        }
        if (!checks()) return;
        if (context_.timer.hasOpenWork()) context_.timer.close(Span::force);
        // enqueueCheck() clears the targets, so copy them first: the check of the other terms takes the same bodies.
        check_.add(pairs().partEnds());
        std::vector<std::uint32_t> targets = check_.targets();
        termCheck_.begin(std::move(targets), copyAsync(bodies.positions, v_), ids_, this->forceTime());
        termCheck_.addShare(terms_[k], method.accuracy().gate, bodies.sums, false);
        return enqueueCheck(bodies.positions, bodies.sums);
    }
    const DeviceSums<Real> sums = method.sums();
    if (termCheck_.open()) {
        // The check reads one array of sums.
        if (sums.ranges > 1 || sums.sums != termSums_.data()) enqueueSum(sums, termSums_.data());
        termCheck_.addShare(terms_[k], method.accuracy().gate, termSums_.data(), true, method.termHere());
    }
    // The pass that moves the bodies reads these sums as well as a launch for them alone would.
    if (k + 1 == termCount() && sums.ranges == 1 && !state_.hasResponses() && !inBlocks(program_) && !termCheck_.open()) {
        pendingTermSums_ = sums.sums;
        return;
    }
    addTerm(sums, v_, bodies.sums, active_);
    context_.timer.add(integrateSeconds() / 2, {});
    endPart(Span::sums);
    if (k + 1 == termCount() && termCheck_.open()) termCheck_.end(bodies.sums);
}

template <class Real>
void EngineOf<Real>::endForce() {
    forceAtX_ = active_.all();
    if (firstForce_ && acceleration_.ranges == 1 && !pendingTermSums_) state_.complete().forceKnown = true;
    // With several terms the check began with the first term; a later request waits for the next force.
    if (!alone() || !checks()) return;
    if (context_.timer.hasOpenWork()) context_.timer.close(Span::force);
    V* const to = firstForce_ ? state_.complete().a.data() : state_.work().a.data();
    if (acceleration_.ranges > 1) {
        sumInto(to);
        if (firstForce_) state_.complete().forceKnown = true;
    }
    enqueueCheck(x_, to);
}

template <class Real>
IntegrateTask<Real> EngineOf<Real>::operationsFromHere() const {
    Operations task{};
    task.end = -1;
    task.count = state_.count();
    task.x = x_;
    task.v = v_;
    task.sums = acceleration_.sums;
    task.ranges = acceleration_.ranges;
    task.more = pendingTermSums_;
    task.shown = context_.shown;
    task.levels = inBlocks(program_) ? blocks_.levels() : nullptr;
    return task;
}

template <class Real>
bool EngineOf<Real>::launchFused(Operations& task, const DeviceBodies<Real>& force) {
    if (checks() && !task.force) task.force = force.sums;
    const bool fused = pairs().steps()->enqueueFused(force, requestOf(), task);
    if (fused) {
        context_.timer.add(pairs().evaluationSeconds(),
                           {.forceEvaluations = 1, .interactions = pairs().work(), .rated = pairs().work()}, pairs().rate());
    } else {
        pairs().prepare(force, requestOf());
        while (!enqueueSlice(0, pairs())) {
        }
    }
    if (checks()) {
        context_.timer.close(Span::force);
        enqueueCheck(force.positions, fused ? task.force : force.sums);
    }
    return fused;
}

template <class Real>
bool EngineOf<Real>::launchOperations(Operations& task, PendingForce& force) {
    task.x0 = state_.x0.data();
    task.v0 = state_.v0.data();
    task.dx = state_.dx.data();
    task.dv = state_.dv.data();
    if (const PendingForce pending = std::exchange(force, std::nullopt); pending && launchFused(task, *pending)) return true;
    // Few bodies with many ranges would leave the device idle, so up to 16 threads add up a body's ranges.
    unsigned lanes = 1;
    if (task.count < 131072)
        while (lanes < 16 && lanes * 2 <= task.ranges) lanes *= 2;
    const unsigned threads = lanes == 1 ? 256 : 32 * lanes;
    task.bodiesPerBlock = threads / lanes;
    const unsigned blocks = (task.count + task.bodiesPerBlock - 1) / task.bodiesPerBlock;
    launchKernel(integrateKernel<Real>(task.levels != nullptr), {blocks}, threads, task,
                 lanes > 1 ? 3 * sizeof(double) * threads : 0, context_.stream);
    return false;
}

template <class Real>
void EngineOf<Real>::enqueueSum(const DeviceSums<Real>& sums, V* to) {
    Operations task{};
    task.end = -1;
    task.count = state_.count();
    task.sums = sums.sums;
    task.ranges = sums.ranges;
    task.force = to;
    PendingForce none;
    launchOperations(task, none);
}

/// Makes the operations write the state into the arrays of the step under way.
template <class Real>
void EngineOf<Real>::setOut(Operations& task) {
    task.outX = state_.work().x.data();
    task.outV = state_.work().v.data();
    x_ = task.outX;
    v_ = task.outV;
}

template <class Real>
void EngineOf<Real>::openOperations(bool fused) {
    completeBefore_ = state_.completeIndex();
    sink_ = nullptr;
    vertices_ = nullptr;
    pending_.reset();
    if (fused) {
        pending_ = forceHere();
        acceleration_ = {pending_->sums, 1};
        forceAtX_ = true;
    }
    list_ = operationsFromHere();
    if (firstForce_ && (acceleration_.ranges > 1 || pendingTermSums_ || fused)) list_.force = state_.complete().a.data();
}

template <class Real>
void EngineOf<Real>::add(const PlannedOp& planned) {
    if (list_.steps == Operations::kMostSteps) {
        if (!list_.force) list_.force = state_.work().a.data();
        setOut(list_);
        launchOperations(list_, pending_);
        acceleration_ = {list_.force, 1};
        pendingTermSums_ = nullptr;
        list_ = operationsFromHere();
    }
    list_.add(planned.op, planned.timeStep, planned.least);
    list_.usesScratch |= usesScratch(planned.op.op);
    if (movesBodies(planned.op.op)) forceAtX_ = false;
}

/// Swaps the arrays: those of the step under way become the complete state, and the next step writes into the others.
template <class Real>
void EngineOf<Real>::endStep(VertexSink* sink) {
    if (sink) {
        if (offline_) context_.writer.deliver(*sink, true);
        const ProfilerRange range("publish");
        sink_ = sink;
        vertices_ = openVertices(*sink);
        list_.vertices = vertices_;
    }
    auto& work = state_.work();
    list_.endX = work.x.data();
    list_.endV = work.v.data();
    list_.endA = work.a.data();
    list_.end = list_.steps;
    state_.complete().forceKnown = false;
    work.forceKnown = forceAtX_;
    state_.setCompleteIndex(state_.nextIndex());
}

template <class Real>
void EngineOf<Real>::enqueueOperations() {
    if (list_.steps > list_.end) setOut(list_);  // some operations belong to a step that is not complete
    moved_ = list_.end < 0;
    fused_ = launchOperations(list_, pending_);
}

template <class Real>
void EngineOf<Real>::countOperations(bool ended) {
    if (firstForce_ && !ended) state_.complete().forceKnown = true;
    firstForce_ = false;
    GpuTimer& timer = context_.timer;
    timer.add(integrateSeconds(), {.steps = ended ? 1 : 0});
    // The timer cannot separate the parts of a fused launch: all of it counts as force.
    const Span kind = fused_ ? Span::force : Span::integrate;
    if (vertices_ || measured_)
        timer.close(kind);
    else if (timer.openSeconds() > kBunch)
        timer.close(fused_ ? kind : Span::steps);
    if (vertices_) closeVertices(*sink_);
}

template <class Real>
void EngineOf<Real>::undoOperations() {
    if (vertices_) context_.writer.abandon(*sink_);
    state_.setCompleteIndex(completeBefore_);
    abandonForce();
}

template <class Real>
ParticleVertex* EngineOf<Real>::openVertices(VertexSink& sink) {
    GpuTimer& timer = context_.timer;
    if (timer.hasOpenWork()) timer.close(Span::steps);
    ParticleVertex* const vertices = context_.writer.open(sink, state_.count());
    timer.add(kMapSeconds, {});
    timer.close(Span::publish);
    return vertices;
}

template <class Real>
void EngineOf<Real>::closeVertices(VertexSink& sink) {
    context_.writer.close(sink);
    context_.timer.add(kMapSeconds, {});
    context_.timer.close(Span::publish);
}

template <class Real>
bool EngineOf<Real>::shown(VertexSink& sink) {
    return sink.space() == MemorySpace::cudaDevice || context_.writer.deliver(sink, offline_);
}

template <class Real>
std::optional<BlockClock> EngineOf<Real>::levelClock(bool waits) {
    GpuTimer& timer = context_.timer;
    if (firstForce_) {
        // This force is the one at the last complete step, so that step keeps it.
        sumInto(state_.complete().a.data());
        state_.complete().forceKnown = true;
        firstForce_ = false;
    }
    if (blocks_.enqueueLevels<Real>(acceleration_.sums, state_.complete().x.data())) {
        timer.add(integrateSeconds(), {});
        timer.close(measured_ ? Span::integrate : Span::steps);
    }
    timer.collect();
    if (!waits && !blocks_.arrived()) return std::nullopt;
    return blocks_.take();
}

template <class Real>
bool EngineOf<Real>::takesWholeSteps(StepProgram program) const {
    return plainForce() && pairs().steps() && pairs().steps()->runsSteps(program) && state_.complete().forceKnown &&
           force_ == wanted_ && !check_.wanted();
}

/// Enqueues as many whole steps as fit a slice of time, in one launch.
template <class Real>
WholeSteps EngineOf<Real>::wholeSteps(const Pacing& pacing, std::int64_t left, VertexSink* sink) {
    GpuTimer& timer = context_.timer;
    measured_ = false;
    const double force = pairs().evaluationSeconds();
    const double fit = std::min(pacing.left(), kBatchSeconds) / std::max(force, 1e-7);
    const auto steps = static_cast<std::int64_t>(std::clamp(fit, 1.0, std::min(static_cast<double>(left), 1e6)));
    const bool last = steps == left;
    const bool shows = sink && (last || pacing.left() - static_cast<double>(steps) * force < force);
    if (shows && offline_) context_.writer.deliver(*sink, true);
    ParticleVertex* const vertices = shows ? openVertices(*sink) : nullptr;
    auto& complete = state_.complete();
    try {
        pairs().steps()->enqueueSteps({.x = complete.x.data(),
                                       .v = complete.v.data(),
                                       .a = complete.a.data(),
                                       .steps = static_cast<int>(steps),
                                       .timeStep = this->nextTimeStep_,
                                       .vertices = vertices,
                                       .shown = context_.shown},
                                      requestOf());
    } catch (...) {
        if (vertices) context_.writer.abandon(*sink);
        throw;
    }
    const double all = static_cast<double>(steps);
    timer.add(
        all * force,
        {.steps = steps, .forceEvaluations = steps, .interactions = all * pairs().work(), .rated = all * pairs().work()},
        pairs().rate());
    timer.close(Span::force);  // the timer cannot separate the parts of a step
    if (vertices) closeVertices(*sink);
    return {.steps = steps, .shows = vertices != nullptr, .over = vertices && !last};
}

template <class Real>
AdvanceStatus EngineOf<Real>::advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
    const ProfilerRange range("step");
    context_.timer.collect();
    if (sink) check_.fitFrame(state_.count());
    const AdvanceStatus status = Base::advance(program, timeStep, budget, sink);
    if (context_.timer.hasOpenWork()) context_.timer.close(Span::steps);
    return status;
}

template <class Real>
void EngineOf<Real>::finished() {
    CUDA_CHECK(waitForStream(context_.stream));
    context_.timer.collect();
}

template <class Real>
void EngineOf<Real>::publish(VertexSink& sink) {
    if (state_.count() == 0) return;
    const ProfilerRange range("publish");
    GpuTimer& timer = context_.timer;
    context_.writer.deliver(sink, true);
    timer.begin();
    ParticleVertex* vertices = context_.writer.open(sink, state_.count());
    if (!vertices) return;
    const auto& complete = state_.complete();
    Operations task{};
    task.count = state_.count();
    task.x = complete.x.data();
    task.v = complete.v.data();
    task.sums = complete.a.data();
    task.ranges = 1;
    task.vertices = vertices;
    task.shown = context_.shown;
    task.end = 0;
    PendingForce none;
    launchOperations(task, none);
    context_.writer.close(sink);
    timer.add(kMapSeconds + integrateSeconds(), {});
    timer.close(Span::publish);
    context_.writer.deliver(sink, true);
}

template class EngineOf<float>;
template class EngineOf<double>;

}  // namespace gravlab::cuda
