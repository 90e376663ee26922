// Automatic steps read at any time: the solver goes its own pace ahead, and its polynomial gives the state in between.
// Rule: output times never shorten a step, and reading never changes what is computed next.
#pragma once
#include "sim/integrators/radau15.h"

#include <cstddef>
#include <vector>

namespace gravlab {

/// Runs Radau15 from one output time to the next. Between its nodes the polynomial of an accepted step is as good as its
/// ends: the controller keeps its eighth term near 1e-10 of the acceleration, and the zeros at the nodes take five more
/// digits. Everhart 1985 (the polynomial); Hairer, Norsett & Wanner 1993, II.6 (continuous output).
class Radau15Dense {
public:
    /// The longest step, in output intervals: a system without forces would otherwise go on to infinity in one.
    static constexpr double kMostIntervals = 1024;

    /// For a state of `size` coordinates. Allocates here and never again.
    explicit Radau15Dense(std::size_t size);

    std::size_t size() const { return radau_.size(); }
    /// Forgets everything: the next begin() takes its state from outside.
    void restart();

    /// Asks for the state `interval` after the present output time, forwards or backwards; not 0. `x` and `v` are the state
    /// now and are read only where there is nothing to go on from, or the direction has changed.
    void begin(const double* x, const double* v, double interval);
    /// True when read() can give the state asked for.
    bool reached() const;
    /// One accepted step of automatic length. Call while not reached().
    void step(Radau15::Acceleration acceleration, void* context);
    /// The state asked for; only when reached().
    void read(double* x, double* v) const;
    /// The done part of the interval asked for, within [0, 1].
    double progress() const;

    /// What going on exactly takes beside the state that was read; empty before the first step.
    std::vector<StateArray> state() const;
    /// Takes up what state() gave. False, and as after restart(), when the arrays are none or of another size.
    bool restore(const std::vector<StateArray>& state);

    /// Whether what it would go on from is the state x, v: what read() gives and the end of the solver's last step lie
    /// within `share` of the largest coordinate.
    bool fits(const double* x, const double* v, double share) const;

    const Radau15& radau() const { return radau_; }

private:
    Radau15 radau_;
    bool started_ = false;
    double interval_ = 0;
    double ahead_ = 0, lost_ = 0;            ///< from the output time to the solver's, compensated [T]
    std::vector<double> fromX_, fromV_;      ///< at the start of the solver's last step
    std::vector<double> solverX_, solverV_;  ///< at its end
};

}  // namespace gravlab
