// Steps, enqueued: the program's cursor, the budget of a call, what is fused and what is shown.
#include "sim/backends/cuda/engine.h"
#include "sim/backends/cuda/kernels/many_steps.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

// From this budget on, a call is not part of a frame and may wait for the device to catch up.
constexpr double kOfflineSeconds = 1;
// How far the host runs ahead then: far enough that the device never waits.
constexpr double kLongQueue = 0.05;
// A full queue takes one more slice as long as less than this is waiting, so that even a budget of 0 makes progress.
constexpr double kShortQueue = 4e-3;
// Shorter forces are timed in bunches: an event costs the host a microsecond.
constexpr double kBunchedForce = 3e-4, kBunch = 1e-3;
constexpr double kMapSeconds = 1e-5;
// Longest batch of steps in one launch.
constexpr double kBatchSeconds = 2e-3;

void requireKnown(Op op) {
    switch (op) {
        case Op::kick:
        case Op::drift:
        case Op::save:
        case Op::combine:
        case Op::stage:
        case Op::finish:
            return;
        case Op::force:
        case Op::predict:
        case Op::correct:
        case Op::adaptive:
            break;
    }
    throw UsageError("the cuda backend cannot run the integrator: it has an operation that the backend does not know");
}

}  // namespace

/// What one call may still do.
template <class Real>
class EngineOf<Real>::Pacing {
public:
    Pacing(const Budget& budget, Timeline& timeline) : budget_(budget), timeline_(timeline) {}
    double budgetSeconds() const { return budget_.seconds; }
    bool offline() const { return budget_.seconds >= kOfflineSeconds; }
    /// Seconds of the budget that neither the device's queue nor the host has used.
    double left() const { return budget_.seconds - std::max(timeline_.outstanding(), StepPacer::steadySeconds() - start_); }
    bool lastStep(std::int64_t completed) const { return completed >= budget_.steps; }
    std::int64_t stepsLeft(std::int64_t completed) const { return budget_.steps - completed; }
    /// Whether work of `seconds` may be enqueued; offline it waits until that is so. In a frame the first piece of work is
    /// taken whatever its length, as long as the queue is short; what follows has to fit.
    bool admits(bool first, double seconds) const {
        if (offline()) {
            if (timeline_.outstanding() > kLongQueue) timeline_.drain(kLongQueue / 2);
            return left() > 0;
        }
        return first ? timeline_.outstanding() <= std::max(budget_.seconds, kShortQueue) : left() > seconds;
    }

private:
    Budget budget_;
    Timeline& timeline_;
    double start_ = StepPacer::steadySeconds();
};

template <class Real>
double EngineOf<Real>::passSeconds() const {
    // Some 150 bytes a body at half of a usual bandwidth, and a launch.
    return 3e-6 + 150.0 * count_ / 1e12;
}

/// Of the next piece of work.
template <class Real>
double EngineOf<Real>::nextSeconds() const {
    const bool force = cursor_.atBoundary() || cursor_.op().op == Op::force;
    return force ? plan_->nextPairs(slicePairs()) / rate() : passSeconds();
}

template <class Real>
double EngineOf<Real>::stepSeconds() const {
    const double force = static_cast<double>(count_) * count_ / rate();
    return std::max(1, forcesPerStep(program_)) * (force + passSeconds());
}

template <class Real>
bool EngineOf<Real>::smallSteps() const {
    return static_cast<double>(count_) * count_ / rate() < kBunchedForce;
}

template <class Real>
void EngineOf<Real>::endPart(Stretch kind) {
    if (measured_) context_.timeline.close(kind);
}

template <class Real>
void EngineOf<Real>::beginStep(StepProgram program, double timeStep) {
    if (needsScratch(program) && x0_.size() != count_)
        for (DeviceArray<V>* scratch : {&x0_, &v0_, &dx_, &dv_}) {
            *scratch = DeviceArray<V>(count_);
            CUDA_CHECK(fillAsync(scratch->data(), 0, scratch->bytes(), context_.stream));
        }
    adoptSettings();
    program_ = program;
    timeStep_ = timeStep;
    cursor_.begin(program, timeStep, complete().forceKnown);
    x_ = complete().x.data();
    v_ = complete().v.data();
    sums_ = complete().a.data();
    ranges_ = 1;
    forceAtX_ = complete().forceKnown;
    firstForce_ = false;
}

template <class Real>
void EngineOf<Real>::restartStep() {
    plan_->restart();
    waiting_.reset();
    if (!cursor_.atBoundary()) beginStep(program_, timeStep_);
}

template <class Real>
bool EngineOf<Real>::forceLeft() const {
    StepCursor ahead = cursor_;
    for (; !ahead.atBoundary(); ahead.next())
        if (ahead.op().op == Op::force) return true;
    return false;
}

template <class Real>
void EngineOf<Real>::runForceOp() {
    // The force that a first kick needs belongs to the last complete step; all others to the step under way.
    firstForce_ = cursor_.atInitialForce();
    V* direct = firstForce_ ? complete().a.data() : work().a.data();
    const bool checks = !checkWanted_.empty() && force_ == wanted_;
    waiting_ = responds() ? std::nullopt : plan_->fusable(job(x_, direct), slicePairs());
    checkFused_ = waiting_ && checks;
    if (!waiting_ && !enqueueSlice(x_, direct)) {
        cursor_.reach(static_cast<std::size_t>(plan_->progress() * count_));
        endPart(Stretch::force);
        return;
    }
    if (!waiting_) endPart(Stretch::force);
    takeForce(direct);
    forceAtX_ = true;
    if (firstForce_ && ranges_ == 1 && !waiting_) complete().forceKnown = true;
    cursor_.next();
    if (waiting_ || !checks) return;
    if (context_.timeline.hasOpenWork()) context_.timeline.close(Stretch::force);
    if (ranges_ > 1) {
        enqueueSum(direct);
        if (firstForce_) complete().forceKnown = true;
    }
    enqueueCheck(x_, direct);
}

template <class Real>
IntegrateTask<Real> EngineOf<Real>::passFromHere() const {
    Pass task{};
    task.end = -1;
    task.count = count_;
    task.x = x_;
    task.v = v_;
    task.sums = sums_;
    task.ranges = ranges_;
    task.x0 = x0_.data();
    task.v0 = v0_.data();
    task.dx = dx_.data();
    task.dv = dv_.data();
    task.shown = context_.shown;
    return task;
}

/// One launch may hold force and pass when no body is moved in the array that other blocks still read.
template <class Real>
bool EngineOf<Real>::fuses(const Pass& task) const {
    bool moved = false;
    for (int k = 0; k <= task.steps; ++k) {
        if (k == task.end && moved && task.endX == waiting_->bodies) return false;
        if (k < task.steps) moved |= movesBodies(task.step[k].op) || task.step[k].op == Op::save;
    }
    return !(moved && task.outX == waiting_->bodies);
}

/// The force that waited, by itself after all.
template <class Real>
void EngineOf<Real>::launchWaiting() {
    const ForceTask<Real> task = *waiting_;
    waiting_.reset();
    V* x = const_cast<V*>(task.bodies);  // jobs are not const for the sake of rows that are never fused
    while (!enqueueSlice(x, task.sums)) {
    }
    if (!std::exchange(checkFused_, false)) return;
    context_.timeline.close(Stretch::force);
    enqueueCheck(x, task.sums);
}

template <class Real>
bool EngineOf<Real>::launchPass(const Pass& task) {
    if (waiting_ && fuses(task)) {
        if constexpr (std::is_same_v<Real, float>) {
            FusedTask fused{*waiting_, task};
            if (checkFused_ && !fused.pass.force) fused.pass.force = waiting_->sums;
            const LaunchConfig& launch = plan_->choice().launch;
            const auto block = static_cast<unsigned>(launch.block);
            launchKernel(plan_->choice().entry->oneSided()->fused(launch), {(count_ + block - 1) / block}, block, fused,
                         block * sizeof(V), context_.stream);
            waiting_.reset();
            const double pairs = static_cast<double>(count_) * count_;
            context_.timeline.add(pairs / rate(), {.forceEvaluations = 1, .interactions = pairs});
            if (std::exchange(checkFused_, false)) {
                context_.timeline.close(Stretch::force);
                enqueueCheck(fused.force.bodies, fused.pass.force);
            }
            return true;
        }
    }
    if (waiting_) launchWaiting();
    // Where bodies are few and ranges many, up to 16 threads share a body's ranges.
    unsigned lanes = 1;
    if (count_ < 131072)
        while (lanes < 16 && lanes * 2 <= task.ranges) lanes *= 2;
    const unsigned threads = lanes == 1 ? 256 : 32 * lanes;
    Pass launched = task;
    launched.bodiesPerBlock = threads / lanes;
    const unsigned blocks = (count_ + launched.bodiesPerBlock - 1) / launched.bodiesPerBlock;
    launchKernel(integrateKernel<Real>(), {blocks}, threads, launched, lanes > 1 ? 3 * sizeof(double) * threads : 0,
                 context_.stream);
    return false;
}

template <class Real>
void EngineOf<Real>::enqueueSum(V* to) {
    Pass task = passFromHere();
    task.force = to;
    launchPass(task);
    sums_ = to;
    ranges_ = 1;
}

/// The pass leaves the state in the arrays of the step under way.
template <class Real>
void EngineOf<Real>::setOut(Pass& task) {
    task.outX = work().x.data();
    task.outV = work().v.data();
    x_ = task.outX;
    v_ = task.outV;
}

template <class Real>
void EngineOf<Real>::appendOps(Pass& task) {
    while (!cursor_.atBoundary() && cursor_.op().op != Op::force) {
        if (task.steps == Pass::kMostSteps) {
            if (!task.force) task.force = work().a.data();
            setOut(task);
            launchPass(task);
            sums_ = task.force;
            ranges_ = 1;
            task = passFromHere();
        }
        const StepOp& op = cursor_.op();
        const bool lengthOfTime = op.op != Op::combine;
        requireKnown(op.op);
        task.add(op.op, op.op == Op::finish ? timeStep_ : lengthOfTime ? op.weight * timeStep_ : op.weight);
        task.usesScratch |= op.op != Op::kick && op.op != Op::drift;
        if (movesBodies(op.op)) forceAtX_ = false;
        cursor_.next();
    }
}

template <class Real>
void EngineOf<Real>::runPass(VertexSink* sink, bool follow) {
    Timeline& timeline = context_.timeline;
    const int completeBefore = completeIndex_;
    const StepProgram program = program_;
    const double timeStep = timeStep_;
    ParticleVertex* vertices = nullptr;
    bool ends = false, fused = false;
    try {
        Pass task = passFromHere();
        if (firstForce_ && (ranges_ > 1 || waiting_)) task.force = complete().a.data();
        appendOps(task);
        ends = cursor_.atBoundary();
        if (ends && sink) {
            if (timeline.hasOpenWork()) timeline.close(Stretch::steps);
            vertices = context_.publisher.open(*sink, count_);
            timeline.add(kMapSeconds, {});
            timeline.close(Stretch::publish);
            task.vertices = vertices;
        }
        if (ends)
            appendEnd(task, follow);
        else
            setOut(task);
        fused = launchPass(task);
    } catch (...) {
        // The step begins again from the last complete one, which nothing has touched.
        if (vertices) context_.publisher.abandon(*sink);
        completeIndex_ = completeBefore;
        waiting_.reset();
        checkFused_ = false;
        plan_->restart();
        beginStep(program, timeStep);
        throw;
    }
    if (firstForce_ && !ends) complete().forceKnown = true;
    firstForce_ = false;
    timeline.add(passSeconds(), {.steps = ends ? 1 : 0});
    // What is fused cannot be told apart: it counts as force.
    const Stretch kind = fused ? Stretch::force : Stretch::integrate;
    if (vertices || measured_)
        timeline.close(kind);
    else if (timeline.openSeconds() > kBunch)
        timeline.close(fused ? kind : Stretch::steps);
    if (!vertices) return;
    context_.publisher.close(*sink);
    timeline.add(kMapSeconds, {});
    timeline.close(Stretch::publish);
}

/// The step is complete where the step under way was; the arrays of the one before serve the next.
template <class Real>
void EngineOf<Real>::appendEnd(Pass& task, bool follow) {
    task.endX = work().x.data();
    task.endV = work().v.data();
    task.endA = work().a.data();
    task.end = task.steps;
    work().forceKnown = forceAtX_;
    complete().forceKnown = false;
    completeIndex_ = 1 - completeIndex_;
    if (!follow) return;
    beginStep(nextProgram_, nextTimeStep_);
    const int before = task.steps;
    appendOps(task);
    if (task.steps > before) setOut(task);
}

/// The pass that ends a step: decides whether it is shown and whether the next one follows in the same launch. True when
/// the call is over.
template <class Real>
bool EngineOf<Real>::runToEnd(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink) {
    const bool last = pacing.lastStep(status.stepsCompleted + 1);
    const double left = pacing.left() - passSeconds();
    const bool shows = sink && (last || left < 2 * stepSeconds());
    if (shows && pacing.offline()) context_.publisher.deliver(*sink, true);
    runPass(shows ? sink : nullptr, !last && !shows && left > 0 && force_ == wanted_);
    ++status.stepsCompleted;
    if (!shows) return false;
    status.published |= sink->space() == MemorySpace::cudaDevice || context_.publisher.deliver(*sink, pacing.offline());
    // What is shown should not be old when the call ends; steps longer than the budget go on regardless.
    return !last && stepSeconds() < pacing.budgetSeconds();
}

/// Leapfrog as the many-steps kernel runs it: kick a half, drift, force, kick a half.
template <class Real>
bool EngineOf<Real>::runsBatches(StepProgram program) const {
    static constexpr StepOp kLeapfrog[] = {{Op::kick, 0.5}, {Op::drift, 1}, {Op::force, 0}, {Op::kick, 0.5}};
    return plan_->runsSteps() && !responds() &&
           std::equal(
               program.begin(), program.end(), std::begin(kLeapfrog), std::end(kLeapfrog),
               [](const StepOp& a, const StepOp& b) { return a.op == b.op && (a.op == Op::force || a.weight == b.weight); });
}

/// As many whole steps as fit a slice of time, in one launch. True when the call is over.
template <class Real>
bool EngineOf<Real>::runBatch(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink) {
    if constexpr (std::is_same_v<Real, float>) {
        Timeline& timeline = context_.timeline;
        const double force = static_cast<double>(count_) * count_ / rate();
        const double fit = std::min(pacing.left(), kBatchSeconds) / std::max(force, 1e-7);
        const std::int64_t left = pacing.stepsLeft(status.stepsCompleted);
        const auto steps = static_cast<std::int64_t>(std::clamp(fit, 1.0, std::min(static_cast<double>(left), 1e6)));
        const bool last = steps == left;
        const bool shows = sink && (last || pacing.left() - static_cast<double>(steps) * force < force);
        ParticleVertex* vertices = nullptr;
        if (shows) {
            if (pacing.offline()) context_.publisher.deliver(*sink, true);
            vertices = context_.publisher.open(*sink, count_);
            timeline.add(kMapSeconds, {});
            timeline.close(Stretch::publish);
        }
        State& state = complete();
        ManyStepsTask task{};
        task.here = state.x.data();
        task.velocity = state.v.data();
        task.acceleration = state.a.data();
        task.steps = static_cast<int>(steps);
        task.timeStep = static_cast<float>(nextTimeStep_);
        task.softeningSquared = static_cast<float>(job(nullptr, nullptr).softeningSquared);
        task.vertices = vertices;
        task.shown = context_.shown;
        try {
            plan_->enqueueSteps(task);
        } catch (...) {
            if (vertices) context_.publisher.abandon(*sink);
            throw;
        }
        const double all = static_cast<double>(steps);
        timeline.add(
            all * force,
            {.steps = steps, .forceEvaluations = steps, .interactions = all * count_ * static_cast<double>(count_)});
        timeline.close(Stretch::force);  // the parts of a step cannot be told apart
        status.stepsCompleted += steps;
        if (!vertices) return false;
        context_.publisher.close(*sink);
        timeline.add(kMapSeconds, {});
        timeline.close(Stretch::publish);
        status.published |= sink->space() == MemorySpace::cudaDevice || context_.publisher.deliver(*sink, pacing.offline());
        return !last;
    }
    return true;
}

template <class Real>
AdvanceStatus EngineOf<Real>::advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
    Timeline& timeline = context_.timeline;
    timeline.collect();
    AdvanceStatus status;
    status.stepsCompleted = std::exchange(unreported_, 0);
    nextProgram_ = program;
    nextTimeStep_ = timeStep;
    const Pacing pacing(budget, timeline);
    // A step that did not fit one budget will be followed by one that does not either: what is left of the budget then
    // goes into the next step, up to its end. A step that fits leaves the state at its boundary.
    const bool cut = !cursor_.atBoundary();
    bool first = true;
    try {
        if (sink) status.published = context_.publisher.deliver(*sink, false);
        while (budget.steps > 0 && count_ > 0) {
            const bool ahead = pacing.lastStep(status.stepsCompleted);
            if (ahead && !cut) break;
            if (!pacing.admits(first, nextSeconds())) break;
            if (cursor_.atBoundary() && runsBatches(program) && complete().forceKnown && force_ == wanted_ &&
                checkWanted_.empty()) {
                if (first) timeline.begin();
                first = false;
                measured_ = false;
                if (ahead || runBatch(pacing, status, sink)) break;
                continue;
            }
            if (cursor_.atBoundary()) beginStep(program, timeStep);
            if (ahead && !forceLeft()) break;
            if (first) timeline.begin();
            first = false;
            measured_ = status.stepsCompleted == 0 || !smallSteps();
            if (cursor_.op().op == Op::force)
                runForceOp();
            else if (forceLeft())
                runPass(nullptr, false);
            else if (runToEnd(pacing, status, sink))
                break;
        }
    } catch (...) {
        unreported_ += status.stepsCompleted;  // they are done, and the next call says so
        throw;
    }
    if (timeline.hasOpenWork()) timeline.close(Stretch::steps);
    status.stepProgress = cursor_.progress(count_);
    return status;
}

template <class Real>
void EngineOf<Real>::finishStep() {
    if (cursor_.atBoundary()) return;
    context_.timeline.begin();
    measured_ = true;
    while (!cursor_.atBoundary())
        if (cursor_.op().op == Op::force)
            runForceOp();
        else
            runPass(nullptr, false);
    CUDA_CHECK(waitForStream(context_.stream));
    context_.timeline.collect();
    ++unreported_;
}

template <class Real>
void EngineOf<Real>::publish(VertexSink& sink) {
    if (count_ == 0) return;
    Timeline& timeline = context_.timeline;
    context_.publisher.deliver(sink, true);
    timeline.begin();
    ParticleVertex* vertices = context_.publisher.open(sink, count_);
    if (!vertices) return;
    Pass task{};
    task.count = count_;
    task.x = complete().x.data();
    task.v = complete().v.data();
    task.sums = complete().a.data();
    task.ranges = 1;
    task.vertices = vertices;
    task.shown = context_.shown;
    task.end = 0;
    launchPass(task);
    context_.publisher.close(sink);
    timeline.add(kMapSeconds + passSeconds(), {});
    timeline.close(Stretch::publish);
    context_.publisher.deliver(sink, true);
}

template class EngineOf<float>;
template class EngineOf<double>;

}  // namespace gravlab::cuda
