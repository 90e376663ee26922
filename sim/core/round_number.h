// Numbers that people read at a glance: 1, 2 or 5 times a power of ten.
#pragma once
#include <cmath>

namespace gravlab {

/// The largest round number that is not above `value`; 0 when `value` is not positive.
inline double roundDown(double value) {
    if (!(value > 0)) return 0;
    const double power = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
    for (const double step : {5.0, 2.0})
        if (step * power <= value * (1 + 1e-9)) return step * power;
    return power;
}

/// The smallest round number that is not below `value`; 0 when `value` is not positive.
inline double roundUp(double value) {
    if (!(value > 0)) return 0;
    const double power = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
    for (const double step : {1.0, 2.0, 5.0})
        if (step * power >= value * (1 - 1e-9)) return step * power;
    return 10 * power;
}

}  // namespace gravlab
