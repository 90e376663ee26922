// Runs step programs in slices, for backends that compute on the calling thread (or a pool that it waits for).
// Rule: the order of operations never depends on the budget, so slicing leaves results bit-identical.
#pragma once
#include "sim/backends/backend.h"
#include "sim/core/error.h"
#include "sim/integrators/apply_op.h"

#include <algorithm>
#include <chrono>
#include <concepts>
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
    bool atLastOp() const { return !initialForce_ && next_ + 1 == program_.size() && rounds_ == 1; }
    /// True when op() is the force that the program's first operation needs and the step before did not leave.
    bool atInitialForce() const { return running_ && initialForce_; }
    /// Whether a step is under way of which a force is complete, or bodies take steps of their own.
    bool hasEvaluated() const { return running_ && (forcesDone_ > 0 || inBlocks(program_)); }
    /// The first target of the force under way that is not done yet.
    std::size_t target() const { return target_; }

    /// Starts a step. The program must stay alive until the step ends. `forceKnown`: `a` is the force at the present x.
    void begin(StepProgram program, double timeStep, bool forceKnown) {
        program_ = program;
        timeStep_ = timeStep;
        next_ = 0;
        round_ = 0;
        rounds_ = 1;
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
        else if (++next_ == program_.size()) {
            if (--rounds_ > 0)
                next_ = round_;
            else
                running_ = false;
        }
    }
    /// What follows the operation to run next is done so many times: the substeps of block steps.
    void repeat(unsigned rounds) {
        round_ = next_ + 1;
        rounds_ = static_cast<int>(rounds);
        forces_ += rounds_ - 1;
    }
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
    std::size_t round_ = 0;  ///< operation that a substep begins with
    int rounds_ = 1;         ///< substeps that have not ended
    int forces_ = 0, forcesDone_ = 0;
    bool initialForce_ = false, running_ = false;
};

/// True when the program needs x0, v0, dx, dv.
inline bool needsScratch(StepProgram program) {
    return std::any_of(program.begin(), program.end(), [](const StepOp& s) { return usesScratch(s.op); });
}

/// Throws UsageError when the program has an operation beside forces that applyOp() does not know, naming `backend`. For the
/// start of a step: what runs inside a pool or on a device can no longer refuse.
inline void requirePointwise(StepProgram program, std::string_view backend) {
    for (const StepOp& step : program)
        if (step.op != Op::force && !isPointwise(step.op))
            throw UsageError("the " + std::string(backend) +
                             " backend cannot run the integrator: it has an operation that the backend does not know");
}

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

/// Runs one step that nobody cuts. `timed` runs the force that it is given.
template <class Machine, class Timed>
void runWholeStep(Machine& machine, StepProgram program, double timeStep, Timed timed) {
    if (!machine.forceKnown() && needsInitialForce(program)) timed([&] { machine.wholeStepForce(); });
    for (const StepOp& step : program) {
        if (step.op == Op::force)
            timed([&] { machine.wholeStepForce(); });
        else
            machine.apply(step, timeStep);
    }
}

/// Up to `steps` whole steps until the pacer is out of time, at least one; gives how many. The clock is read once a batch of
/// about kBatchSeconds: a step of six bodies is as short as ten readings. The machine has forceKnown() and apply() as a
/// StepMachine; wholeStepForce(), its force at x from begin to end; and wholeStepsTaken(seconds, share) after each batch:
/// its wall time [s], and the share of it that forces took.
template <class Machine>
std::int64_t runWholeSteps(Machine& machine, StepProgram program, double timeStep, std::int64_t steps,
                           const StepPacer& pacer) {
    constexpr double kBatchSeconds = 100e-6;
    double batchStart = pacer.elapsed();
    std::int64_t done = 0;
    for (std::int64_t batch = 1; done < steps;) {
        // The first step of a batch is timed in detail; the others take the same parts.
        double inForce = 0;
        const double firstStart = pacer.elapsed();
        runWholeStep(machine, program, timeStep, [&](auto force) {
            const double start = pacer.elapsed();
            force();
            inForce += pacer.elapsed() - start;
        });
        const double first = std::max(pacer.elapsed() - firstStart, 1e-9);
        batch = std::min(batch, steps - done);
        for (std::int64_t i = 1; i < batch; ++i) runWholeStep(machine, program, timeStep, [](auto force) { force(); });
        done += batch;
        const double now = pacer.elapsed();
        machine.wholeStepsTaken(now - batchStart, std::min(1.0, inForce / first));
        batchStart = now;
        batch = std::clamp<std::int64_t>(static_cast<std::int64_t>(kBatchSeconds / first), 1, 10000);
        if (pacer.outOfTime()) break;
    }
    return done;
}

/// What a backend offers to StepRunner; every call speaks of the step under way. A machine works on a copy from beginStep()
/// to endStep(), so that the last complete step can be read at any moment. Everything has happened when a call returns.
template <class Machine>
concept StepMachine = requires(Machine machine, std::size_t target, StepProgram program, const StepOp& op, double timeStep,
                               std::int64_t steps, VertexSink& sink) {
    { machine.size() } -> std::convertible_to<std::size_t>;  ///< bodies
    machine.beginStep(program);                              ///< throws UsageError for a program that it cannot run
    { machine.forceKnown() } -> std::same_as<bool>;          ///< `a` is the force at the present x
    /// Computes targets from `target` on, a few milliseconds' worth; gives one past the last, size() when all are done.
    { machine.forceSlice(target) } -> std::convertible_to<std::size_t>;
    machine.endForce();           ///< all targets are done: `a` becomes the new force
    machine.apply(op, timeStep);  ///< any other operation, see applyOp(); timeStep [T]
    machine.endStep(steps);       ///< so many steps since beginStep() become the last complete one
    machine.publish(sink);        ///< stores the last complete step
};

/// The loop of Backend::advance(): runs a machine's steps in slices, within budgets, and publishes what is complete.
/// One thread drives it. What a machine throws passes through; the step under way is then where it was.
template <class Machine>
class StepRunner {
public:
    /// Throws away the step under way: other bodies, or an edit of the last complete step.
    void abandon() { cursor_.abandon(); }
    StepCursor& cursor() { return cursor_; }
    const StepCursor& cursor() const { return cursor_; }

    AdvanceStatus advance(Machine& machine, StepProgram program, double timeStep, const Budget& budget, VertexSink* sink,
                          StepPacer::Clock clock = StepPacer::steadySeconds) {
        static_assert(StepMachine<Machine>);
        AdvanceStatus status;
        status.stepsCompleted = std::exchange(unreported_, 0);
        const StepPacer pacer(budget, clock);
        double mark = pacer.elapsed();
        // A step that did not fit one budget will be followed by one that does not either: what is left of the budget then
        // goes into the next step, up to its last operation. A step that fits leaves the state at its boundary. Where a
        // state can be taken at the end of a step only, a step that was not asked for must not be begun: it would have to be
        // ended.
        const bool cut = !cursor_.atBoundary() && !endsStepsForStates(machine, program);
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

    /// advance() for systems so small that looking at the clock costs as much as a step: whole steps, the clock read once a
    /// batch; only at a boundary. See runWholeSteps() for what the machine offers beside.
    AdvanceStatus advanceWholeSteps(Machine& machine, StepProgram program, double timeStep, const Budget& budget,
                                    VertexSink* sink, StepPacer::Clock clock = StepPacer::steadySeconds) {
        AdvanceStatus status;
        status.stepsCompleted = std::exchange(unreported_, 0);
        const std::int64_t wanted = budget.steps - status.stepsCompleted;
        if (wanted <= 0) return status;
        machine.beginStep(program);
        const std::int64_t steps = runWholeSteps(machine, program, timeStep, wanted, StepPacer(budget, clock));
        machine.endStep(steps);
        status.stepsCompleted += steps;
        if (sink) {
            publishing(status.stepsCompleted, [&] { machine.publish(*sink); });
            status.published = true;
        }
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
    static bool endsStepsForStates(const Machine& machine, StepProgram program) {
        if constexpr (requires { machine.keepsForceState(); })
            if (machine.keepsForceState()) return true;
        return isAdaptive(program);
    }
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
            if constexpr (requires { machine.substeps(); })
                if (cursor_.op().op == Op::rungs) cursor_.repeat(machine.substeps());
        }
        cursor_.next();
        if (cursor_.atBoundary()) machine.endStep(1);
    }

    StepCursor cursor_;
    std::int64_t unreported_ = 0;
    double workSeconds_ = 0;
};

}  // namespace gravlab
