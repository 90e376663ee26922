// Lengths and times in the words of a scene's units.
#pragma once
#include "sim/scenes/scene.h"

#include <string>

namespace gravlab {

/// A number of three digits for people, whole ones from 100 on.
std::string threeDigits(double value);

/// A round length at most `most` long, and how it is written with its unit: {5, "5 kpc"}.
struct RoundLength {
    double length = 0;  ///< [L]
    std::string text;
};
RoundLength roundLength(double most, const SceneUnits& units);

/// What times of that size are counted in: one [T] is `scale` of `name`, such as Myr. Long times move up to Gyr, short ones
/// of years down to days; without units it is T.
struct UnitOfTime {
    double scale = 1;
    std::string name;
};
UnitOfTime unitOfTime(double time, const SceneUnits& units);

/// The simulated time in the scene's units: "t = 120.5 Myr".
std::string clockText(double time, const SceneUnits& units);

/// A time or a length with its unit as sentences have it: "4.77 Myr", "0.3 kpc"; without units the number alone.
std::string timeText(double time, const SceneUnits& units);
std::string lengthText(double length, const SceneUnits& units);
/// The unit of energies in tables, "Msun (km/s)^2", and how many of it make one of the run; without units none and 1.
struct UnitOfEnergy {
    double scale = 1;
    std::string name;
};
UnitOfEnergy unitOfEnergy(const SceneUnits& units);

/// How a speed of the story is written: times `scale` it is a handy number of `unit`, such as "Myr/s".
struct SpeedText {
    double scale = 1;
    std::string unit;
};
SpeedText speedUnit(double speed, const SceneUnits& units);

}  // namespace gravlab
