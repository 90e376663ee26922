// Lengths and times in the units of a scene.
#pragma once
#include "sim/scenes/scene.h"

#include <string>

namespace gravlab {

/// A number of three digits for people; a whole number from 100 on.
std::string threeDigits(double value);

/// A round length of at most `most`, and its text with a unit: {5, "5 kpc"}.
struct RoundLength {
    double length = 0;  ///< [L]
    std::string text;
};
RoundLength roundLength(double most, const SceneUnits& units);

/// A unit, and the size of the scene's own unit in it.
struct ShownUnit {
    std::string name{};
    double scale = 1;
};

/// The unit for times of that size: one [T] is `scale` of `name`, such as Myr. Long times use Gyr, short times in years use
/// days; without units it is T.
ShownUnit unitOfTime(double time, const SceneUnits& units);

/// The simulated time in the scene's units: "t = 120.5 Myr".
std::string clockText(double time, const SceneUnits& units);

/// A time with its unit, for sentences: "4.77 Myr"; without units the number alone.
std::string timeText(double time, const SceneUnits& units);
/// The unit of energies in tables, "Msun (km/s)^2", and its number per unit of the run; without units empty and 1.
ShownUnit unitOfEnergy(const SceneUnits& units);

/// The unit for the speed of the story: times `scale` it is a convenient number of `name`, such as "Myr/s".
ShownUnit speedUnit(double speed, const SceneUnits& units);

// Units of rates beside a plot, where a number has space for five letters.

struct RateUnit {
    float size;  ///< in G
    const char* name;
};

/// The unit in which `most` [G] has at most three digits before the point, also after rounding to three.
constexpr RateUnit rateUnit(float most) {
    constexpr RateUnit kUnits[] = {{1e3f, "T interactions/s"}, {1, "G interactions/s"}, {1e-3f, "M interactions/s"}};
    for (const RateUnit& unit : kUnits)
        if (most >= 0.9995f * unit.size) return unit;
    return {1e-6f, "k interactions/s"};
}

}  // namespace gravlab
