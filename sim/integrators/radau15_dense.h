// Automatic steps with output at any time: the solver runs ahead in its own steps, and its polynomial gives the state in
// between.
// Rule: output times never shorten a step, and reading a state never changes later steps.
#pragma once
#include "sim/integrators/radau15.h"

#include <cstddef>
#include <vector>

namespace gravlab {

/// Runs Radau15 from one output time to the next. Between its nodes the polynomial of an accepted step is as accurate as at
/// its ends. The controller keeps its eighth term near 1e-10 of the acceleration, and the zeros at the nodes remove five
/// more digits. Everhart 1985 (the polynomial); Hairer, Norsett & Wanner 1993, II.6 (continuous output).
class Radau15Dense {
public:
    /// The longest step, in output intervals: without forces one step would otherwise be infinite.
    static constexpr double kMostIntervals = 1024;

    /// For a state of `size` coordinates. Allocates here and never again.
    explicit Radau15Dense(std::size_t size);

    std::size_t size() const { return radau_.size(); }
    /// Forgets everything: the next begin() takes its state from outside.
    void restart();

    /// Requests the state `interval` after the present output time, forwards or backwards; not 0. `x` and `v` are the
    /// present state. They are read only where there is no earlier step to continue from, or the direction has changed.
    void begin(const double* x, const double* v, double interval);
    /// True when read() can give the requested state.
    bool reached() const;
    /// One accepted step of automatic length. Call while not reached().
    void step(Radau15::Acceleration acceleration, void* context);
    /// The requested state; only when reached().
    void read(double* x, double* v) const;
    /// Whether accelerations depend on velocities, see Radau15.
    void followVelocities(bool follow) { radau_.followVelocities(follow); }
    /// Time from the requested output to the solver's state [T].
    double ahead() const { return ahead_; }
    /// Completed fraction of the requested interval, within [0, 1].
    double progress() const;

    /// The data that an exact continuation needs beside the state that was read; empty before the first step.
    std::vector<StateArray> state() const;
    /// Restores the arrays of state(). When they are missing or of another size it returns false and acts as restart().
    bool restore(const std::vector<StateArray>& state);

    /// Whether the solver's data belong to the state x, v: the output of read() and the end of the solver's last step lie
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
