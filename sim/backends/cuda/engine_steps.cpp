// Steps, enqueued: the program's cursor, what one launch holds, and what is shown.
#include "sim/backends/cuda/engine.h"

#include "sim/backends/profiler_range.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gravlab::cuda {
namespace {

// Shorter forces are timed in bunches: an event costs the host a microsecond.
constexpr double kBunchedForce = 3e-4, kBunch = 1e-3;
constexpr double kMapSeconds = 1e-5;
// Longest batch of steps in one launch.
constexpr double kBatchSeconds = 2e-3;
// From here on a step takes a good part of a frame.
constexpr double kLongStep = 8e-3;

}  // namespace

template <class Real>
double EngineOf<Real>::integrateSeconds() const {
    // Some 150 bytes a body at half of a usual bandwidth, and a launch.
    return 3e-6 + 150.0 * state_.count() / 1e12;
}

/// Of the force that is next.
template <class Real>
double EngineOf<Real>::forceSeconds() const {
    const double share = active_.all() ? 1 : static_cast<double>(active_.count) / state_.count();
    return share * pairs().evaluationSeconds();
}

/// Of the next piece of work.
template <class Real>
double EngineOf<Real>::nextSeconds() const {
    if (!cursor_.atBoundary() && !atForce()) return integrateSeconds();
    return std::min(forceSeconds(), pairs().sliceSeconds(kSliceSeconds));
}

template <class Real>
double EngineOf<Real>::stepSeconds() const {
    // Steps on each rung are as the last ones were.
    const double bodies = std::max<double>(1, state_.count());
    const double forces = std::max<double>(forcesPerStep(program_), inBlocks(program_) ? lastClock_.forces() / bodies : 1);
    const double moves = inBlocks(program_) ? lastClock_.substeps() : forces;
    return forces * pairs().evaluationSeconds() + std::max(1.0, moves) * integrateSeconds();
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
void EngineOf<Real>::beginStep(StepProgram program, double timeStep) {
    requirePointwise(program, "cuda");
    if (needsScratch(program)) state_.requireScratch();
    blocks_.begin(inBlocks(program));
    clock_ = {};
    active_ = {};
    this->adoptSettings();
    program_ = program;
    timeStep_ = timeStep;
    auto& complete = state_.complete();
    cursor_.begin(program, timeStep, complete.forceKnown);
    x_ = complete.x.data();
    v_ = complete.v.data();
    acceleration_ = {complete.a.data(), 1};
    forceAtX_ = complete.forceKnown;
    firstForce_ = false;
}

template <class Real>
void EngineOf<Real>::restartStep() {
    abandonForce();
    if (!cursor_.atBoundary()) beginStep(program_, timeStep_);
}

template <class Real>
bool EngineOf<Real>::forceLeft(bool afterThis) const {
    StepCursor ahead = cursor_;
    if (afterThis) ahead.next();
    for (; !ahead.atBoundary(); ahead.next())
        if (ahead.op().op == Op::force) return true;
    return false;
}

template <class Real>
bool EngineOf<Real>::fuses() const {
    return atForce() && !inBlocks(program_) && plainForce() && pairs().steps() && pairs().steps()->fuses(kSliceSeconds);
}

template <class Real>
DeviceBodies<Real> EngineOf<Real>::forceHere() {
    // The force that a first kick needs belongs to the last complete step; all others to the step under way.
    firstForce_ = cursor_.atInitialForce();
    return {x_, firstForce_ ? state_.complete().a.data() : state_.work().a.data()};
}

/// The next slice of the force that the step has come to.
template <class Real>
void EngineOf<Real>::runForce() {
    const ProfilerRange range("slice");
    const DeviceBodies<Real> bodies = forceHere();
    if (term_ > 0) {
        if (!runTerm(bodies)) return;
    } else {
        if (!pairs().underWay()) pairs().prepare(bodies, requestOf(0, active_));
        const bool complete = enqueueSlice(pairs(), active_.all());
        endPart(Span::force);
        if (!complete) return cursor_.reach(this->reached(pairs().progress()));
        acceleration_ = accelerationOf(pairs().sums(), v_, bodies.sums, active_);
        if (!others_.empty()) return endPairs(bodies);
    }
    forceAtX_ = active_.all();
    if (firstForce_ && acceleration_.ranges == 1) state_.complete().forceKnown = true;
    cursor_.next();
    if (!checks()) return;
    if (context_.timer.hasOpenWork()) context_.timer.close(Span::force);
    if (acceleration_.ranges > 1) {
        enqueueSum(acceleration_, bodies.sums);
        acceleration_ = {bodies.sums, 1};
        if (firstForce_) state_.complete().forceKnown = true;
    }
    enqueueCheck(bodies.positions, bodies.sums);
}

template <class Real>
void EngineOf<Real>::endPairs(const DeviceBodies<Real>& bodies) {
    if (acceleration_.sums != bodies.sums || acceleration_.ranges > 1) {
        enqueueSum(acceleration_, bodies.sums);
        acceleration_ = {bodies.sums, 1};
    }
    term_ = 1;
    cursor_.reach(this->reached(0));
    if (!checks()) return;
    if (context_.timer.hasOpenWork()) context_.timer.close(Span::force);
    // Copied before the check takes its wish away: the same bodies answer for the other terms.
    std::vector<std::uint32_t> targets = check_.targets();
    termCheck_.begin(std::move(targets), copyAsync(bodies.positions, v_), ids_);
    termCheck_.addShare(std::make_shared<const PairLaw>(force_), pairs().accuracy().gate, bodies.sums, false);
    enqueueCheck(bodies.positions, bodies.sums);
}

template <class Real>
bool EngineOf<Real>::runTerm(const DeviceBodies<Real>& bodies) {
    DeviceTermMethod<Real>& method = termMethod(term_);
    if (!method.underWay()) method.prepare({bodies.positions, termSums_.data(), v_}, requestOf(term_, active_));
    const bool complete = enqueueTermSlice(method);
    if (complete) {
        const DeviceSums<Real> sums = method.sums();
        if (termCheck_.open()) {
            // One array of sums, as the check reads them.
            if (sums.ranges > 1 || sums.sums != termSums_.data()) enqueueSum(sums, termSums_.data());
            termCheck_.addShare(others_[term_ - 1], method.accuracy().gate, termSums_.data(), true);
        }
        addTerm(sums, v_, bodies.sums, active_);
        ++term_;
    }
    endPart(Span::terms);
    if (term_ == termCount()) {
        if (termCheck_.open()) termCheck_.end(bodies.sums);
        term_ = 0;
        return true;
    }
    cursor_.reach(this->reached(complete ? 0 : method.progress()));
    return false;
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
    setScratch(task);
    task.shown = context_.shown;
    task.rungs = inBlocks(program_) ? blocks_.rungs() : nullptr;
    return task;
}

template <class Real>
void EngineOf<Real>::setScratch(Operations& task) const {
    task.x0 = state_.x0.data();
    task.v0 = state_.v0.data();
    task.dx = state_.dx.data();
    task.dv = state_.dv.data();
}

template <class Real>
bool EngineOf<Real>::launchFused(Operations& task, const DeviceBodies<Real>& force) {
    if (checks() && !task.force) task.force = force.sums;
    const bool fused = pairs().steps()->enqueueFused(force, requestOf(), task);
    if (fused) {
        context_.timer.add(pairs().evaluationSeconds(),
                           {.forceEvaluations = 1, .interactions = pairs().allPairs(), .rated = pairs().allPairs()},
                           pairs().rate());
    } else {
        pairs().prepare(force, requestOf());
        while (!enqueueSlice(pairs())) {
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
    if (const PendingForce pending = std::exchange(force, std::nullopt); pending && launchFused(task, *pending)) return true;
    // Where bodies are few and ranges many, up to 16 threads share a body's ranges.
    unsigned lanes = 1;
    if (task.count < 131072)
        while (lanes < 16 && lanes * 2 <= task.ranges) lanes *= 2;
    const unsigned threads = lanes == 1 ? 256 : 32 * lanes;
    task.bodiesPerBlock = threads / lanes;
    const unsigned blocks = (task.count + task.bodiesPerBlock - 1) / task.bodiesPerBlock;
    launchKernel(task.rungs ? blockIntegrateKernel<Real>() : integrateKernel<Real>(), {blocks}, threads, task,
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

/// The operations leave the state in the arrays of the step under way.
template <class Real>
void EngineOf<Real>::setOut(Operations& task) {
    task.outX = state_.work().x.data();
    task.outV = state_.work().v.data();
    x_ = task.outX;
    v_ = task.outV;
}

template <class Real>
void EngineOf<Real>::appendOps(Operations& task, PendingForce& force) {
    while (!cursor_.atBoundary() && !atForce() && !atRungs()) {
        if (task.steps == Operations::kMostSteps) {
            if (!task.force) task.force = state_.work().a.data();
            setOut(task);
            launchOperations(task, force);
            acceleration_ = {task.force, 1};
            task = operationsFromHere();
        }
        const StepOp& op = cursor_.op();
        const auto planned = this->planned(op, timeStep_, blocks_.rungs());
        task.add(op, planned.timeStep, planned.least);
        task.usesScratch |= usesScratch(op.op);
        if (movesBodies(op.op)) forceAtX_ = false;
        cursor_.next();
    }
}

/// The step is complete where the step under way was; the arrays of the one before serve the next.
template <class Real>
void EngineOf<Real>::appendEnd(Operations& task, PendingForce& force, bool follow) {
    auto& work = state_.work();
    task.endX = work.x.data();
    task.endV = work.v.data();
    task.endA = work.a.data();
    task.end = task.steps;
    work.forceKnown = forceAtX_;
    state_.complete().forceKnown = false;
    state_.setCompleteIndex(1 - state_.completeIndex());
    if (!follow) return;
    beginStep(nextProgram_, nextTimeStep_);
    setScratch(task);  // which the next program may be the first to need
    const int before = task.steps;
    appendOps(task, force);
    if (task.steps > before) setOut(task);
}

template <class Real>
bool EngineOf<Real>::giveRungs(bool waits) {
    GpuTimer& timer = context_.timer;
    if (firstForce_) {
        // The force that the step begins with, where the last complete one has it.
        V* const to = state_.complete().a.data();
        if (acceleration_.ranges > 1 || acceleration_.sums != to) enqueueSum(acceleration_, to);
        acceleration_ = {to, 1};
        state_.complete().forceKnown = true;
        firstForce_ = false;
    }
    if (blocks_.enqueueRungs<Real>(acceleration_.sums)) {
        timer.add(integrateSeconds(), {});
        timer.close(measured_ ? Span::integrate : Span::steps);
    }
    timer.collect();
    if (!waits && !blocks_.arrived()) return false;
    clock_ = blocks_.take();
    cursor_.repeat(clock_.substeps());
    cursor_.next();
    return true;
}

template <class Real>
void EngineOf<Real>::integrate(VertexSink* sink, bool follow) {
    GpuTimer& timer = context_.timer;
    const int completeBefore = state_.completeIndex();
    const StepProgram program = program_;
    const double timeStep = timeStep_;
    ParticleVertex* vertices = nullptr;
    bool ends = false, fused = false;
    try {
        PendingForce force;
        if (atForce()) {
            force = forceHere();
            acceleration_ = {force->sums, 1};
            forceAtX_ = true;
            cursor_.next();
        }
        Operations task = operationsFromHere();
        if (firstForce_ && (acceleration_.ranges > 1 || force)) task.force = state_.complete().a.data();
        appendOps(task, force);
        ends = cursor_.atBoundary();
        std::optional<ProfilerRange> range;
        if (ends && sink) {
            range.emplace("publish");
            if (timer.hasOpenWork()) timer.close(Span::steps);
            vertices = context_.writer.open(*sink, state_.count());
            timer.add(kMapSeconds, {});
            timer.close(Span::publish);
            task.vertices = vertices;
        }
        if (ends)
            appendEnd(task, force, follow);
        else
            setOut(task);
        fused = launchOperations(task, force);
    } catch (...) {
        // The step begins again from the last complete one, which nothing has touched.
        if (vertices) context_.writer.abandon(*sink);
        state_.setCompleteIndex(completeBefore);
        abandonForce();
        beginStep(program, timeStep);
        throw;
    }
    if (ends) lastClock_ = clock_;
    if (firstForce_ && !ends) state_.complete().forceKnown = true;
    firstForce_ = false;
    timer.add(integrateSeconds(), {.steps = ends ? 1 : 0});
    // What is fused cannot be told apart: it counts as force.
    const Span kind = fused ? Span::force : Span::integrate;
    if (vertices || measured_)
        timer.close(kind);
    else if (timer.openSeconds() > kBunch)
        timer.close(fused ? kind : Span::steps);
    if (!vertices) return;
    context_.writer.close(*sink);
    timer.add(kMapSeconds, {});
    timer.close(Span::publish);
}

/// The operations that end a step: decides whether it is shown and whether the next one follows in the same launch. True
/// when the call is over.
template <class Real>
bool EngineOf<Real>::runToEnd(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink) {
    const bool last = pacing.lastStep(status.stepsCompleted + 1);
    const double left = pacing.left() - integrateSeconds() - (atForce() ? pairs().evaluationSeconds() : 0);
    const bool shows = sink && (last || left < 2 * stepSeconds());
    if (shows && pacing.offline()) context_.writer.deliver(*sink, true);
    const bool follow = !last && !shows && left > 0 && force_ == wanted_ && !inBlocks(program_) && !inBlocks(nextProgram_);
    integrate(shows ? sink : nullptr, follow);
    ++status.stepsCompleted;
    if (!shows) return false;
    status.published |= sink->space() == MemorySpace::cudaDevice || context_.writer.deliver(*sink, pacing.offline());
    // What is shown should not be old when the call ends; steps longer than the budget go on regardless.
    return !last && stepSeconds() < pacing.budgetSeconds();
}

template <class Real>
bool EngineOf<Real>::runsBatches(StepProgram program) const {
    return plainForce() && pairs().steps() && pairs().steps()->runsSteps(program) && state_.complete().forceKnown &&
           force_ == wanted_ && !check_.wanted();
}

/// As many whole steps as fit a slice of time, in one launch. True when the call is over.
template <class Real>
bool EngineOf<Real>::runBatch(const Pacing& pacing, AdvanceStatus& status, VertexSink* sink) {
    GpuTimer& timer = context_.timer;
    const double force = pairs().evaluationSeconds();
    const double fit = std::min(pacing.left(), kBatchSeconds) / std::max(force, 1e-7);
    const std::int64_t left = pacing.stepsLeft(status.stepsCompleted);
    const auto steps = static_cast<std::int64_t>(std::clamp(fit, 1.0, std::min(static_cast<double>(left), 1e6)));
    const bool last = steps == left;
    const bool shows = sink && (last || pacing.left() - static_cast<double>(steps) * force < force);
    ParticleVertex* vertices = nullptr;
    if (shows) {
        if (pacing.offline()) context_.writer.deliver(*sink, true);
        vertices = context_.writer.open(*sink, state_.count());
        timer.add(kMapSeconds, {});
        timer.close(Span::publish);
    }
    auto& complete = state_.complete();
    try {
        pairs().steps()->enqueueSteps({.x = complete.x.data(),
                                       .v = complete.v.data(),
                                       .a = complete.a.data(),
                                       .steps = static_cast<int>(steps),
                                       .timeStep = nextTimeStep_,
                                       .vertices = vertices,
                                       .shown = context_.shown},
                                      requestOf());
    } catch (...) {
        if (vertices) context_.writer.abandon(*sink);
        throw;
    }
    lastClock_ = {};
    const double all = static_cast<double>(steps);
    timer.add(all * force,
              {.steps = steps,
               .forceEvaluations = steps,
               .interactions = all * pairs().allPairs(),
               .rated = all * pairs().allPairs()},
              pairs().rate());
    timer.close(Span::force);  // the parts of a step cannot be told apart
    status.stepsCompleted += steps;
    if (!vertices) return false;
    context_.writer.close(*sink);
    timer.add(kMapSeconds, {});
    timer.close(Span::publish);
    status.published |= sink->space() == MemorySpace::cudaDevice || context_.writer.deliver(*sink, pacing.offline());
    return !last;
}

template <class Real>
AdvanceStatus EngineOf<Real>::advance(StepProgram program, double timeStep, const Budget& budget, VertexSink* sink) {
    const ProfilerRange range("step");
    GpuTimer& timer = context_.timer;
    timer.collect();
    AdvanceStatus status;
    status.stepsCompleted = std::exchange(unreported_, 0);
    nextProgram_ = program;
    nextTimeStep_ = timeStep;
    const Pacing pacing(budget, timer);
    // A step that did not fit one budget will be followed by one that does not either: what is left of the budget then
    // goes into the next step, up to its end; likewise after a long one, for the device would stand still until the next
    // call. A short step leaves the state at its boundary.
    // A method with a state gives it at the end of a step only: one that was not asked for must not be begun.
    const bool cut = !this->keepsForceState() && (!cursor_.atBoundary() || (!pacing.offline() && stepSeconds() > kLongStep));
    bool first = true;
    try {
        if (sink) status.published = context_.writer.deliver(*sink, false);
        while (budget.steps > 0 && state_.count() > 0) {
            const bool ahead = pacing.lastStep(status.stepsCompleted);
            if (ahead && !cut) break;
            if (!pacing.admits(first, nextSeconds())) break;
            if (cursor_.atBoundary() && runsBatches(program)) {
                if (first) timer.begin();
                first = false;
                measured_ = false;
                if (ahead || runBatch(pacing, status, sink)) break;
                continue;
            }
            if (cursor_.atBoundary()) beginStep(program, timeStep);
            const bool fused = fuses();
            if (ahead && !forceLeft(fused)) break;
            if (first) timer.begin();
            first = false;
            measured_ = status.stepsCompleted == 0 || !smallSteps() || !others_.empty();
            if (atRungs()) {
                // What is queued ends within the budget: waiting for it costs a frame nothing that it had not given.
                if (!giveRungs(pacing.left() > 0)) break;
            } else if (atForce() && !fused)
                runForce();
            else if (forceLeft(fused))
                integrate(nullptr, false);
            else if (runToEnd(pacing, status, sink))
                break;
        }
    } catch (...) {
        unreported_ += status.stepsCompleted;  // they are done, and the next call says so
        throw;
    }
    if (timer.hasOpenWork()) timer.close(Span::steps);
    status.stepProgress = cursor_.progress(state_.count());
    return status;
}

template <class Real>
void EngineOf<Real>::finishStep() {
    if (cursor_.atBoundary()) return;
    context_.timer.begin();
    measured_ = true;
    while (!cursor_.atBoundary())
        if (atRungs())
            giveRungs(true);
        else if (atForce() && !fuses())
            runForce();
        else
            integrate(nullptr, false);
    CUDA_CHECK(waitForStream(context_.stream));
    context_.timer.collect();
    ++unreported_;
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
