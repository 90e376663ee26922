// Runs step programs in slices, for backends that compute on the calling thread (or a pool that it waits for).
// Rule: the order of operations never depends on the budget, so slicing leaves results bit-identical.
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/error.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

namespace gravlab {

/// Where a step stands: which operation is next, and how many targets of its force are done.
class StepCursor {
public:
    bool atBoundary() const { return !running_; }
    /// The time step of the step under way [T].
    double timeStep() const { return timeStep_; }
    /// The operation to run next; only while a step is under way.
    const StepOp& op() const { return initialForce_ ? kForce : program_[next_]; }
    /// True when nothing of the step is left but the operation that op() gives.
    bool atLastOp() const { return !initialForce_ && next_ + 1 == program_.size(); }
    /// True when op() is the force that the program's first operation needs and the step before did not leave.
    bool atInitialForce() const { return running_ && initialForce_; }
    /// The first target of the force under way that is not done yet.
    std::size_t target() const { return target_; }

    /// Starts a step. The program must stay alive until the step ends. `forceKnown`: `a` is the force at the present x.
    void begin(StepProgram program, double timeStep, bool forceKnown) {
        program_ = program;
        timeStep_ = timeStep;
        next_ = 0;
        target_ = 0;
        forcesDone_ = 0;
        initialForce_ = !forceKnown && needsInitialForce(program);
        forces_ = forcesPerStep(program) + (initialForce_ ? 1 : 0);
        running_ = true;
    }
    /// Notes that targets before `target` have their force.
    void reach(std::size_t target) { target_ = target; }
    /// Goes to the next operation; after the last one the cursor is at a boundary.
    void next() {
        if (op().op == Op::force) ++forcesDone_;
        target_ = 0;
        if (initialForce_)
            initialForce_ = false;
        else if (++next_ == program_.size())
            running_ = false;
    }
    /// Begins the force under way again, e.g. for another kernel.
    void restartForce() { target_ = 0; }
    /// Forgets the step under way.
    void abandon() { running_ = false; }

    /// 0 at a boundary, else the done share of the step's forces, within ]0, 1[.
    double progress(std::size_t bodies) const {
        if (!running_) return 0;
        const double part = bodies ? static_cast<double>(target_) / static_cast<double>(bodies) : 0;
        return std::clamp((forcesDone_ + part) / std::max(1, forces_), 1e-9, 1 - 1e-9);
    }

private:
    static constexpr StepOp kForce{Op::force};
    StepProgram program_;
    double timeStep_ = 0;
    std::size_t next_ = 0, target_ = 0;
    int forces_ = 0, forcesDone_ = 0;
    bool initialForce_ = false, running_ = false;
};

/// The registers of a step, structure of arrays; Vec is Float4 or Double4. w components are never touched.
/// Scratch registers may be null for programs that do not use them.
template <class Vec>
struct StepRegisters {
    Vec *x = nullptr, *v = nullptr;
    const Vec* a = nullptr;
    Vec *x0 = nullptr, *v0 = nullptr, *dx = nullptr, *dv = nullptr;
};

/// True when the program needs x0, v0, dx, dv.
inline bool needsScratch(StepProgram program) {
    return std::any_of(program.begin(), program.end(), [](const StepOp& s) { return s.op == Op::save; });
}

/// to += factor from, on x, y, z.
template <class Vec, class Real>
void addScaled(Vec& to, Real factor, const Vec& from) {
    to.x += factor * from.x;
    to.y += factor * from.y;
    to.z += factor * from.z;
}

/// to = base + factor slope, on x, y, z.
template <class Vec, class Real>
void setAdvanced(Vec& to, const Vec& base, Real factor, const Vec& slope) {
    to.x = base.x + factor * slope.x;
    to.y = base.y + factor * slope.y;
    to.z = base.z + factor * slope.z;
}

/// Runs one operation other than a force on bodies [first, last). Throws UsageError for operations it does not know.
template <class Vec>
void applyOp(const StepOp& step, double timeStep, const StepRegisters<Vec>& r, std::size_t first, std::size_t last) {
    using Real = decltype(Vec::x);
    const Real weight = static_cast<Real>(step.weight);
    const Real advance = static_cast<Real>(step.weight * timeStep);
    const Real whole = static_cast<Real>(timeStep);
    switch (step.op) {
        case Op::kick:
            for (std::size_t i = first; i < last; ++i) addScaled(r.v[i], advance, r.a[i]);
            return;
        case Op::drift:
            for (std::size_t i = first; i < last; ++i) addScaled(r.x[i], advance, r.v[i]);
            return;
        case Op::save:
            std::copy(r.x + first, r.x + last, r.x0 + first);
            std::copy(r.v + first, r.v + last, r.v0 + first);
            std::fill(r.dx + first, r.dx + last, Vec{});
            std::fill(r.dv + first, r.dv + last, Vec{});
            return;
        case Op::combine:
            for (std::size_t i = first; i < last; ++i) {
                addScaled(r.dx[i], weight, r.v[i]);
                addScaled(r.dv[i], weight, r.a[i]);
            }
            return;
        case Op::stage:
            for (std::size_t i = first; i < last; ++i) {
                setAdvanced(r.x[i], r.x0[i], advance, r.v[i]);
                setAdvanced(r.v[i], r.v0[i], advance, r.a[i]);
            }
            return;
        case Op::finish:
            for (std::size_t i = first; i < last; ++i) {
                setAdvanced(r.x[i], r.x0[i], whole, r.dx[i]);
                setAdvanced(r.v[i], r.v0[i], whole, r.dv[i]);
            }
            return;
        case Op::force:
        case Op::predict:
        case Op::correct:
        case Op::adaptive:
            break;
    }
    throw UsageError("this backend cannot run the integrator: it has an operation that the backend does not know");
}

/// True when operation `op` moves bodies, so that a known force is no longer the force at x.
inline bool movesBodies(Op op) { return op == Op::drift || op == Op::stage || op == Op::finish || op == Op::correct; }

/// When a call of advance() stops and when it publishes. Time comes from a function, so that tests bring their own clock.
class StepPacer {
public:
    using Clock = double (*)();
    /// Seconds of a clock that never goes back.
    static double steadySeconds() {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    StepPacer(const Budget& budget, Clock clock = steadySeconds) : budget_(budget), clock_(clock), start_(clock()) {}
    double elapsed() const { return clock_() - start_; }
    bool outOfTime() const { return !(elapsed() < budget_.seconds); }
    bool lastStep(std::int64_t completed) const { return completed >= budget_.steps; }
    /// Publish at the end of the last step that is allowed, or that surely has no complete follower in this budget.
    bool publishesAfter(std::int64_t completed, double stepSeconds) const {
        return lastStep(completed) || budget_.seconds - elapsed() < 2 * stepSeconds;
    }

private:
    Budget budget_;
    Clock clock_;
    double start_;
};

/// The loop of Backend::advance(). `Machine` has, all for the step under way:
///   std::size_t size(); void beginStep(StepProgram); bool forceKnown();
///   std::size_t forceSlice(std::size_t first)   computes targets from `first`, a few milliseconds' worth; returns one past
///   the last void endForce();  void apply(const StepOp&, double timeStep);  void endStep();  void publish(VertexSink&);
/// A machine works on a copy from beginStep() to endStep(), so that the last complete step can be read at any moment.
template <class Machine>
class StepRunner {
public:
    /// Throws away the step under way: other bodies, or an edit of the last complete step.
    void abandon() { cursor_.abandon(); }
    StepCursor& cursor() { return cursor_; }
    const StepCursor& cursor() const { return cursor_; }

    AdvanceStatus advance(Machine& machine, StepProgram program, double timeStep, const Budget& budget, VertexSink* sink,
                          StepPacer::Clock clock = StepPacer::steadySeconds) {
        AdvanceStatus status;
        status.stepsCompleted = std::exchange(unreported_, 0);
        const StepPacer pacer(budget, clock);
        double mark = pacer.elapsed();
        // A step that did not fit one budget will be followed by one that does not either: what is left of the budget then
        // goes into the next step, up to its last operation. A step that fits leaves the state at its boundary.
        const bool cut = !cursor_.atBoundary();
        while (budget.steps > 0) {
            const bool ahead = pacer.lastStep(status.stepsCompleted);
            if (ahead && !cut) break;
            if (cursor_.atBoundary()) begin(machine, program, timeStep);
            if (ahead && cursor_.atLastOp()) break;
            runSlice(machine);
            const double now = pacer.elapsed();
            workSeconds_ += now - mark;
            mark = now;
            if (cursor_.atBoundary()) {
                ++status.stepsCompleted;
                if (sink && pacer.publishesAfter(status.stepsCompleted, workSeconds_)) {
                    publishing(status.stepsCompleted, [&] { machine.publish(*sink); });
                    status.published = true;
                    mark = pacer.elapsed();
                }
            }
            if (pacer.outOfTime()) break;
        }
        status.stepProgress = cursor_.progress(machine.size());
        return status;
    }

    /// Runs the step under way to its end; the next advance() reports it.
    void finishStep(Machine& machine) {
        if (cursor_.atBoundary()) return;
        while (!cursor_.atBoundary()) runSlice(machine);
        ++unreported_;
    }

    /// Steps ended by finishStep() that no advance() has reported yet; the caller reports them.
    std::int64_t takeUnreported() { return std::exchange(unreported_, 0); }

    /// Runs `publish` at the end of `steps` steps. They are done even where a picture fails: the next advance() reports
    /// them.
    template <class Publish>
    void publishing(std::int64_t steps, Publish publish) {
        try {
            publish();
        } catch (...) {
            unreported_ += steps;
            throw;
        }
    }

private:
    void begin(Machine& machine, StepProgram program, double timeStep) {
        machine.beginStep(program);
        cursor_.begin(program, timeStep, machine.forceKnown());
        workSeconds_ = 0;
    }

    /// One operation, or one slice of a force.
    void runSlice(Machine& machine) {
        if (cursor_.op().op == Op::force) {
            if (cursor_.target() < machine.size()) cursor_.reach(machine.forceSlice(cursor_.target()));
            if (cursor_.target() < machine.size()) return;
            machine.endForce();
        } else {
            machine.apply(cursor_.op(), cursor_.timeStep());
        }
        cursor_.next();
        if (cursor_.atBoundary()) machine.endStep();
    }

    StepCursor cursor_;
    std::int64_t unreported_ = 0;
    double workSeconds_ = 0;
};

}  // namespace gravlab
