// A small system in double precision on one core, tuned for one core: no pool, no virtual call per force.
// Rule: each pair is computed once; the order of sums is fixed, so the same input gives the same bits.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/backend.h"
#include "sim/backends/step_clock.h"
#include "sim/core/particles.h"
#include "sim/forces/force_term.h"
#include "sim/integrators/integrator.h"
#include "sim/integrators/radau15_dense.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gravlab {

/// Runs every step program, Hermite steps and adaptive ones included, on a state of its own. Host memory, fp64.
/// Any number of bodies works; beyond kUsefulLimit the SIMD backends are faster. Not thread-safe.
class FewBody {
public:
    static constexpr std::size_t kUsefulLimit = 256;

    FewBody();

    /// Replaces all bodies; at a step boundary afterwards. Only this allocates.
    void load(const ParticleSet& bodies);
    /// Writes positions and velocities of the last complete step into `out`, in body order; ids and groups stay.
    void store(ParticleSet& out) const;
    std::size_t size() const { return source_.size(); }

    /// Sets law, softening, exponent and the other terms from the next step on. A step under way begins again. Precision is
    /// always fp64.
    void configure(const ForceSettings& settings, const ForceTerms& others = {});
    const ForceSettings& settings() const { return settings_; }

    /// Simulated time of the last complete step, for terms that depend on it; load() sets it to that of the bodies.
    const Clock& clock() const { return time_.complete(); }
    /// Call between steps.
    void setClock(const Clock& clock) { time_.set(clock); }

    /// Runs until the budget is used and returns the number of steps completed. Fixed steps are never left half done. An
    /// adaptive program takes inner steps across the time steps, is read between them, and stops between two inner steps.
    /// Throws UsageError for Hermite steps under a law or term without a jerk. Slicing leaves results bit-identical.
    std::int64_t advance(StepProgram program, double timeStep, const Budget& budget);
    /// Ends the adaptive step under way; does nothing at a boundary. Returns the steps completed: 0 or 1.
    std::int64_t finishStep();
    /// Done fraction of the step under way, 0 at a boundary.
    double stepProgress() const;

    /// Accelerations at the last complete step.
    void accelerations(std::vector<Double4>& out);
    /// Accelerations and their rates of change at the last complete step; gravity only.
    void jerks(std::vector<Double4>& accelerations, std::vector<Double4>& jerks);

    /// State that adaptive steps need beside the bodies; valid at a step boundary only. Fixed steps need nothing: the force
    /// that they begin with is a function of the bodies.
    std::vector<StateArray> state() const { return dense_.state(); }
    /// Restores a result of state() for the bodies just loaded. False when it does not fit them.
    bool restore(const std::vector<StateArray>& state) { return dense_.restore(state); }

    std::int64_t forceEvaluations() const { return forceEvaluations_; }
    double termInteractions() const { return termInteractions_; }
    /// The controller of adaptive programs: inner steps taken and rejected, and the next one's length.
    const Radau15& adaptive() const { return dense_.radau(); }

private:
    template <class PairLaw>
    std::int64_t run(StepProgram program, double timeStep, const Budget& budget, const PairLaw& law);
    template <class PairLaw>
    struct FixedSteps;
    void apply(const StepOp& step, double timeStep);
    template <class PairLaw>
    bool runAdaptiveStep(double timeStep, const PairLaw& law, const class StepDeadline& deadline);
    template <class PairLaw>
    void computeForces(const PairLaw& law, const double* x, const double* v, double time, double* a);
    void addTerms(const double* x, const double* v, double time, double* a, double* jerk);
    void computeJerks();
    void scaleByResponse(double* a) const;
    void gather(const double* from, std::vector<Double4>& out) const;

    ForceSettings settings_;
    ForceTerms others_;
    std::vector<double> source_, response_;
    std::size_t sources_ = 0;        ///< bodies from here on have no source: pairs among them are skipped
    bool plainResponse_ = true;      ///< every response is 1
    std::vector<double> x_, v_, a_;  ///< three blocks each: all x, all y, all z
    std::vector<double> x0_, v0_, dx_, dv_;
    std::vector<double> jerk_, a0_, jerk0_;
    bool forceKnown_ = false;  ///< a_ is the acceleration at x_
    bool jerkKnown_ = false;   ///< a_ and jerk_ are the results of the last Hermite step
    double interval_ = 0;      ///< length of the adaptive step under way [T]; 0 at a boundary
    std::int64_t forceEvaluations_ = 0;
    double termInteractions_ = 0;
    std::vector<std::uint32_t> ids_, targets_;                ///< inputs of terms
    std::vector<Double4> positions_, velocities_, termSums_;  ///< inputs and sums of terms
    Radau15Dense dense_;
    StepClock time_;
};

}  // namespace gravlab
