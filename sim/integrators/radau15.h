// An adaptive integrator of order 15 for close encounters: Gauss-Radau nodes, implicit, with compensated sums.
// Rule: plain arrays of doubles and one force callback; it knows nothing of bodies.
#pragma once
#include "sim/api/bodies.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gravlab {

/// sum += term; `lost` carries the rounding error. Kahan 1965.
inline void addCompensated(double& sum, double& lost, double term) {
    const double wanted = term - lost;
    const double rounded = sum + wanted;
    lost = (rounded - sum) - wanted;
    sum = rounded;
}

/// Solves x'' = a(x) with automatic steps. Not symplectic and not reversible, but its error stays at rounding level for
/// thousands of periods. Everhart 1985; Rein & Spiegel 2015 (step control, compensation).
class Radau15 {
public:
    /// Writes the accelerations at `x` to `a`; both hold size() values.
    using Acceleration = void (*)(void* context, const double* x, double* a);

    static constexpr int kNodes = 7;  ///< force evaluations of one iteration, beside the one at the step's start
    /// Dimensionless truncation error a step; Rein & Spiegel's default keeps the true error at rounding level.
    static constexpr double kDefaultTolerance = 1e-9;
    /// Fraction of the limit that is tried first where no better value is known; then the controller sets the step.
    static constexpr double kFirstStep = 1e-3;

    /// For a state of `size` coordinates. Allocates here and never again.
    explicit Radau15(std::size_t size, double tolerance = kDefaultTolerance);

    std::size_t size() const { return size_; }

    /// Forgets step size, predictions and compensations: call after the state was changed from outside.
    void restart();

    /// Whether velocities() follows the positions of each evaluation, for accelerations that depend on velocities.
    void followVelocities(bool follow) { follows_ = follow; }
    /// The velocities at the positions of the evaluation under way: valid within `acceleration` only.
    const double* velocities() const { return v_.data(); }
    /// Time from the start of the step to the evaluation under way [T].
    double evaluationTime() const { return evaluationTime_; }

    /// One accepted step of automatic length, at most |limit| long and in its direction; returns its signed length.
    /// The returned lengths add up to `limit` exactly, so steps end at output times. `limit` must not be 0. `firstTry`:
    /// length of the very first step; 0: kFirstStep of the limit.
    double step(double* x, double* v, double limit, Acceleration acceleration, void* context, double firstTry = 0);

    /// The state at the fraction `s` of the last step, within [0, 1]. The step began at `fromX`, `fromV`; its own polynomial
    /// gives the state.
    void interpolate(const double* fromX, const double* fromV, double s, double* x, double* v) const;

    /// The data that the next step depends on beside x and v; empty before the first step.
    std::vector<StateArray> state() const;
    /// Restores the arrays of state(). When they are missing or of another size it returns false and acts as restart().
    bool restore(const std::vector<StateArray>& state);

    /// The controller's next step if no limit shortens it; 0 before the first step [T].
    double proposedStep() const { return proposed_; }
    /// Signed length of the last step; 0 before the first [T].
    double lastStep() const { return done_; }
    std::int64_t steps() const { return steps_; }
    std::int64_t forceEvaluations() const { return evaluations_; }

private:
    using Coefficients = std::array<std::vector<double>, kNodes>;

    void solve(const double* x, const double* v, double h, Acceleration acceleration, void* context);
    double suggestedStep(double h) const;
    void advanceState(double* x, double* v, double h);
    void predict(double h);

    std::size_t size_;
    double tolerance_;
    double proposed_ = 0;
    double done_ = 0;  ///< signed length of the last step; 0 when there is nothing to extrapolate
    std::int64_t steps_ = 0, evaluations_ = 0;
    std::vector<double> a0_, a_, x_, v_, lostX_, lostV_;
    bool follows_ = false;
    double evaluationTime_ = 0;
    Coefficients b_, e_, g_;      ///< acceleration as a polynomial; prediction of b; b in Newton form
    Coefficients lastB_, lastE_;  ///< those of the step before
};

/// The numbers of that name in a state, where there are `count`; null otherwise.
const std::vector<double>* numbersOf(const std::vector<StateArray>& state, std::string_view name, std::size_t count);

}  // namespace gravlab
