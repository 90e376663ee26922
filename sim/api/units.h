// Units as text, in metres, kilograms and seconds. Constants: CODATA 2018 for G, IAU 2015 for the nominal solar mass
// parameter GM = 1.3271244e20 m3/s2, IAU 2012 for the au.
#pragma once
#include <optional>
#include <string_view>

namespace gravlab {

/// Sizes of units, in m, kg and s.
namespace si {
constexpr double kGravity = 6.6743e-11;
constexpr double kSolarMassParameter = 1.3271244e20;
constexpr double kSunMass = kSolarMassParameter / kGravity;
constexpr double kAstronomicalUnit = 1.495978707e11;
constexpr double kParsec = 3.0856775814913673e16;
constexpr double kDay = 86400;
constexpr double kYear = 365.25 * kDay;
}  // namespace si

/// A unit as text ("MSun", "km/s", "1000.0 * m * s**-1", "length / time") as a power product of m, kg, s.
struct ParsedUnit {
    double factor = 1;
    int length = 0, mass = 0, time = 0;
    bool nbody = false;
};
std::optional<ParsedUnit> parsedUnit(std::string_view text);

/// One [L], [M] and [T] of a run in m, kg and s; 0: the run has units of its own.
struct RunUnits {
    double length = 0, mass = 0, time = 0;
    bool known() const { return length > 0 && mass > 0 && time > 0; }
};

}  // namespace gravlab
