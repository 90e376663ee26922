// Can single precision compute the pairs of these bodies? If not, the start is refused or runs in double precision. Rule:
// judge the bodies before they are rounded; a kernel's own check sees only the rounded ones.
#pragma once
#include "sim/core/made_bodies.h"
#include "sim/core/particles.h"
#include "sim/forces/force_term.h"

#include <string>

namespace gravlab {

/// Units for pairs of mixed precision when the state's lengths and masses exceed the range of single precision. They are
/// powers of two, so that scaling rounds nothing.
struct PairUnits {
    double length = 1, source = 1;
    bool operator==(const PairUnits&) const = default;
};
/// Units for bodies with coordinates up to `largest` [L] and sources up to `heaviest` [M]. 1 when the state's own units
/// suffice, or when the law has a length of its own.
PairUnits pairUnits(double largest, double heaviest, const ForceSettings& force);
/// The settings converted to these units.
ForceSettings settingsIn(const PairUnits& units, ForceSettings force);
/// The factor from accelerations in these units to the state's.
double accelerationUnit(const PairUnits& units, const ForceSettings& force);

/// Why loops in single precision would compute these bodies wrongly under that force; the sentence has single precision as
/// its subject. Empty when the forces stay near double precision: half of them within kSingleMedian (ten times that under
/// steep laws) and each within kSingleWorst. Positions and velocities must be in range, no two places may round to one, and
/// no close pair may lose more than kSingleWorst by rounding. Up to 1,024 bodies all forces are computed, beyond that a
/// sample: a fifteenth of a second of one core for a million. Close pairs are searched among all bodies,
/// unless the softening makes all of them harmless. `others`: terms beside the pair law, see ForceTerm::beyondSingle().
/// `timeStep` [T]: a step must move a body by more than the rounding of its coordinate; 0: steps are not judged. Mixed
/// precision is judged in pairUnits(), and its steps are in double.
std::string beyondSinglePrecision(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others = {},
                                  double timeStep = 0);
/// The same in single precision alone. At most `most` of these bodies stand for all, with the masses of those between them.
/// Where that leaves out what only all pairs show, all are made.
std::string beyondSinglePrecision(const MadeBodies& bodies, const ForceSettings& force, double timeStep,
                                  std::size_t most = std::size_t{1} << 22);

/// Between two bodies so far from the origin along an axis, the square of the distance is still a number of single
/// precision.
constexpr double kFarthestInSingle = 5e18;
constexpr double kSingleMedian = 3e-5, kSingleWorst = 1e-2;
/// Memory of the search for close pairs, per body.
constexpr double kClosePairBytes = 60;

}  // namespace gravlab
