// Can pairs in single precision compute these bodies? A start that they cannot is refused or runs in double precision.
// Rule: judged on the bodies themselves before they are rounded; a kernel's own check sees them only afterwards.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

#include <string>

namespace gravlab {

/// What pairs of mixed precision are computed in where the state's own lengths and masses leave single precision: powers of
/// two, so that nothing is rounded otherwise.
struct PairUnits {
    double length = 1, source = 1;
    bool operator==(const PairUnits&) const = default;
};
/// For bodies whose coordinates reach `largest` [L] and whose sources reach `heaviest` [M]; 1 where the state's own will do,
/// or where the law has a length of its own.
PairUnits pairUnits(double largest, double heaviest, const ForceSettings& force);
/// The settings as pairs in these units have them.
ForceSettings settingsIn(const PairUnits& units, ForceSettings force);
/// What accelerations of such pairs are multiplied with to be the state's.
double accelerationUnit(const PairUnits& units, const ForceSettings& force);

/// Why loops in single precision would compute these bodies wrongly under that force, as a sentence of which single
/// precision is the subject; empty when they stay near double precision: half of the forces within kSingleMedian (ten times
/// that under steep laws), each within kSingleWorst, positions and velocities in range, no two places rounded into one, and
/// no pair so close that rounding may change a force by more than kSingleWorst. Up to 1,024 bodies all forces are computed,
/// of more a sample, a fifteenth of a second of a core for a million; close pairs are searched among all, see closePairs().
/// Mixed precision is judged in pairUnits().
std::string beyondSinglePrecision(const ParticleSet& bodies, const ForceSettings& force);

/// Between two bodies so far from the origin along an axis, the square of the distance is still a number of single precision.
constexpr double kFarthestInSingle = 5e18;
constexpr double kSingleMedian = 3e-5, kSingleWorst = 1e-2;

}  // namespace gravlab
