// How many steps a frame owes, so that simulated time passes at a wanted speed.
// Rule: no clock: times come in, steps come out. What the machine cannot make is not owed later; the step never changes.
#pragma once
#include <cstdint>

namespace gravlab {

class Pace {
public:
    /// A frame begins `seconds` after the one before. Steps of `timeStep` [T] (of either sign) that it owes at `speed`
    /// [T/s].
    std::int64_t due(double seconds, double speed, double timeStep);
    /// That many of them were made.
    void made(std::int64_t steps);
    /// Whether the last frame was owed more than was made.
    bool behind() const { return behind_; }
    /// Simulated time a second of watching over the last one or two seconds, whoever asked for the steps [T/s]; 0 at first.
    double reached() const { return reached_; }
    /// Forgets what is owed and what was reached: the run stood still, or is another one.
    void restart();

private:
    static constexpr double kSpan = 1;  ///< [s] of a reading
    double owed_ = 0;                   ///< [steps]
    double timeStep_ = 0, span_ = 0, simulated_ = 0, reached_ = 0;
    bool behind_ = false;
};

}  // namespace gravlab
