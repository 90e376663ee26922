// The progress of a step, and when a call on the host stops; sim/engine/step_engine.h has the loop.
// Rule: the order of operations never depends on the budget, so slicing leaves results bit-identical.
#pragma once
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/integrators/apply_op.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace gravlab {

/// Progress of a step: the next operation, and how many targets of its force are done.
class StepCursor {
public:
    bool atBoundary() const { return !running_; }
    /// The time step of the step under way [T].
    double timeStep() const { return timeStep_; }
    /// The operation to run next; only while a step is under way.
    const StepOp& op() const { return initialForce_ ? kForce : program_[next_]; }
    /// True when the operation that op() gives is the last of the step.
    bool atLastOp() const { return !initialForce_ && next_ + 1 == program_.size() && rounds_ == 1; }
    /// True when op() is the force that the first operation needs and that the step before did not provide.
    bool atInitialForce() const { return running_ && initialForce_; }
    /// Whether a step is under way that has completed a force, or in which bodies take steps of their own.
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
    /// Repeats the operations after the next one `rounds` times: the substeps of block steps.
    void repeat(unsigned rounds) {
        round_ = next_ + 1;
        rounds_ = static_cast<int>(rounds);
        forces_ += rounds_ - 1;
    }
    /// Forgets the step under way.
    void abandon() { running_ = false; }

    /// 0 at a boundary, else the done fraction of the step's forces, within ]0, 1[.
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
    std::size_t round_ = 0;  ///< first operation of a substep
    int rounds_ = 1;         ///< substeps that have not ended
    int forces_ = 0, forcesDone_ = 0;
    bool initialForce_ = false, running_ = false;
};

/// True when the program needs x0, v0, dx, dv.
inline bool needsScratch(StepProgram program) {
    return std::any_of(program.begin(), program.end(), [](const StepOp& s) { return usesScratch(s.op); });
}

/// Throws UsageError, naming `backend`, when the program has an operation beside forces that applyOp() does not know. Call
/// it at the start of a step: work inside a pool or on a device can no longer refuse.
inline void requirePointwise(StepProgram program, std::string_view backend) {
    for (const StepOp& step : program)
        if (step.op != Op::force && !isPointwise(step.op))
            throw UsageError("the " + std::string(backend) +
                             " backend cannot run the integrator: it has an operation that the backend does not know");
}

/// When a call of advance() on the host stops. Time comes from a function, so that tests can use their own clock.
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

private:
    Budget budget_;
    Clock clock_;
    double start_;
};

/// Runs one whole step without slices. `timed` runs the force that is passed to it.
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

/// Runs up to `steps` whole steps, at least one, until the pacer is out of time, and returns their number. It reads the
/// clock once per batch of about kBatchSeconds, because a step of six bodies is as short as ten readings. The machine has
/// four functions. forceKnown() is its state. apply(op, timeStep) runs an operation other than a force. wholeStepForce()
/// computes its force at x from begin to end. wholeStepsTaken(seconds, forceFraction) follows each batch, with the batch's
/// wall time [s] and the fraction of it that forces took.
template <class Machine>
std::int64_t runWholeSteps(Machine& machine, StepProgram program, double timeStep, std::int64_t steps,
                           const StepPacer& pacer) {
    constexpr double kBatchSeconds = 100e-6;
    double batchStart = pacer.elapsed();
    std::int64_t done = 0;
    for (std::int64_t batch = 1; done < steps;) {
        // The first step of a batch is timed in detail; the others are taken to split in the same way.
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

}  // namespace gravlab
