// The simulated time of positions within a step, for forces that depend on it.
// Rule: it counts steps as the clock of the run does, so both have the same bits, also in a resumed run.
#pragma once
#include "sim/core/clock.h"
#include "sim/integrators/integrator.h"

#include <cmath>

namespace gravlab {

class StepClock {
public:
    /// Time of the last complete step.
    const Clock& complete() const { return complete_; }
    /// Sets it. Call between steps.
    void set(const Clock& clock) {
        complete_ = clock;
        forget();
    }
    /// A step begins at the last complete one.
    void begin(double timeStep) {
        forget();
        if (complete_.timeStep != timeStep) complete_.rebase(timeStep);
    }
    /// Follows an operation; a drift of block steps covers one of `substeps`. Steps may follow each other before they are
    /// counted.
    void pass(const StepOp& op, double substeps = 1) {
        if (op.op == Op::drift) passed_ += op.weight / substeps;
        if (op.op == Op::predict) passed_ += 1;
        if (op.op == Op::save) passedAtSave_ = passed_;
        if (op.op == Op::stage) passed_ = passedAtSave_ + op.weight;
        if (op.op == Op::finish) passed_ = passedAtSave_ + 1;
        // Weights of drifts add up to whole steps only up to rounding; a resumed run has the whole number.
        const double whole = std::round(passed_);
        if (whole == 0 || std::abs(passed_ - whole) > 1e-9) return;
        ahead_ += static_cast<std::int64_t>(whole);
        passedAtSave_ -= whole;
        passed_ = 0;
    }
    /// Steps are complete.
    void count(std::int64_t steps, double timeStep) {
        if (steps == 0) return;
        if (complete_.timeStep != timeStep) complete_.rebase(timeStep);
        complete_.step += steps;
        forget();
    }
    /// Time of the positions now [T].
    double now() const {
        const double steps = static_cast<double>(complete_.step - complete_.step0 + ahead_) + passed_;
        return complete_.t0 + steps * complete_.timeStep;
    }

private:
    void forget() {
        ahead_ = 0;
        passed_ = passedAtSave_ = 0;
    }

    Clock complete_;
    std::int64_t ahead_ = 0;                ///< whole steps by which positions are ahead of it
    double passed_ = 0, passedAtSave_ = 0;  ///< further parts of a step; the same at the last save
};

}  // namespace gravlab
