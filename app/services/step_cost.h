// What a step costs on this machine, and how many bodies it could move at a pace that can be watched.
#pragma once
#include <cstddef>
#include <optional>

namespace gravlab {

/// How long a step of `forces` forces takes at `rate` interactions a second, which is above 0 [s].
double secondsOfAStep(std::size_t bodies, int forces, double rate);

struct SlowStep {
    double seconds = 0;         ///< that one step takes
    std::size_t bodies = 0;     ///< a power of two that it can move
    double stepsPerSecond = 0;  ///< with those
};

/// Of `bodies` bodies with `forces` forces a step at `rate` interactions a second; empty where a step takes less than two
/// seconds, or nothing is known (a rate of 0).
std::optional<SlowStep> slowStep(std::size_t bodies, int forces, double rate);

}  // namespace gravlab
