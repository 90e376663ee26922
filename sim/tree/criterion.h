// When a cell may stand for its bodies, and when it may go into the expansion of a group. Host and device.
//
// The error of a cell of mass M at a distance d, whose farthest body is b from its centre, is about M b^3 / d^5. The
// relative criterion keeps that below a fraction of the smallest acceleration of the group, so that work goes where forces
// are small. It is that of Springel 2005, MNRAS 364, 1105, for a group and with the farthest body in place of the length of
// an edge. A first evaluation has no accelerations and uses the opening angle. All distances are from the group's box, so
// that a wide group is safe at its rim.
#pragma once
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>

namespace gravlab {

/// Most bodies of a leaf, of a group of targets, and of a run of cells that groups are cut from.
constexpr int kTreeLeaf = 16, kTreeGroup = 64, kTreeRun = 256;
/// Least distance over the farthest body's: closer in, moments do not converge (Salmon & Warren 1994).
constexpr float kNearestCell = 1.2f;
/// Opening angle of the first evaluation [rad]. Its accelerations may be coarse, because they only choose cells.
constexpr double kFirstOpening = 0.5;
/// Allowed error of an expansion, as a fraction of that of a cell.
constexpr float kExpansionShare = 0.015f;
/// The smallest acceleration that a criterion uses, as a fraction of the rms; the same as in compareForces().
constexpr double kSmallestShare = 1e-3;
constexpr double kFinestAccuracy = 1e-5, kCoarsestAccuracy = 1e-2, kUsualAccuracy = 1e-3;
constexpr double kLeastOpening = 0.1, kMostOpening = 1.5;
/// Accuracy at the opening angle of a first evaluation.
constexpr double kMonopoleAccuracy = 3e-2, kQuadrupoleAccuracy = 1e-2;

/// Factors for charges and power laws on gravity's fraction; measured, see docs/decisions/tree.md.
constexpr double kChargesShare = 0.75, kPowerShare = 0.5;
/// Factor where pulls grow faster than the distance.
constexpr double kGrowingShare = 0.2;

/// The fraction of the relative criterion at which 99 % of the bodies keep `accuracy`. It is a fit of powers to measurements
/// on spheres and galaxies of 65,536 to 10,000,000 bodies, see docs/decisions/tree.md. With more bodies more cells add up,
/// and more of their errors cancel.
inline double shareOfAccuracy(double accuracy, double bodies) {
    // Coarse accuracies use nearer cells, whose higher moments are larger.
    const double power = accuracy > 1e-3 ? 1.1 : 1.5;
    // From this N on the fraction grows with a further power of 0.1, in the measured range.
    const double many = std::clamp(bodies / 262144, 1.0, 1e7 / 262144);
    return 1.3e-3 * std::pow(accuracy / 1e-3, power) * std::pow(std::max(bodies, 65536.0) / 65536, 0.08) *
           std::pow(many, 0.1);
}

/// The accuracy that 99 % of the bodies keep under an opening angle, by the moments of cells. It bounds the measurements,
/// including some hundred bodies of very different mass; for a hundred thousand bodies the error is a fifth of it.
inline double accuracyOfOpening(double opening, bool monopole) {
    const double usual = opening / kFirstOpening;
    return monopole ? kMonopoleAccuracy * std::pow(usual, 3) : kQuadrupoleAccuracy * std::pow(usual, 4);
}

enum class Expanded { no, low, high };
GRAVLAB_HOST_DEVICE bool isLow(Expanded order) { return order == Expanded::low; }
GRAVLAB_HOST_DEVICE bool isHigh(Expanded order) { return order == Expanded::high; }
GRAVLAB_HOST_DEVICE bool butNot(bool a, bool b) { return a && !b; }

/// Errors of a power law relative to gravity's. For forces of cells: the largest third derivative of a pull in any
/// direction, over that of 1/r^2. For expansions: the fourth, and the fifth relative to it.
struct ErrorScale {
    float cell = 1, expansion = 1, higher = 1;
    float reach = 1;  ///< factor on kNearestCell: steep laws need more distance before moments converge
};

/// The natural logarithm.
template <class Real>
GRAVLAB_HOST_DEVICE Real logarithm(Real x) {
    return std::log(x);
}

/// Whether value * factor is below the limit.
template <class Real>
GRAVLAB_HOST_DEVICE bool timesBelow(Real value, Real factor, Real limit) {
    return value * factor < limit;
}

#define GRAVLAB_TREE_FUNCTION GRAVLAB_HOST_DEVICE
#define GRAVLAB_PRODUCT(a, b, c) ((a) * (b) * (c))
// It has no branch, because neighbours in a warp hardly ever agree.
#define GRAVLAB_BOTH(a, b) static_cast<bool>(static_cast<int>(a) & static_cast<int>(b))
#define GRAVLAB_GIVE_ORDER(far, a, b)                            \
    const Expanded nearer = (b) ? Expanded::high : Expanded::no; \
    const Expanded order = (a) ? Expanded::low : nearer;         \
    return (far) ? order : Expanded::no
#include "sim/tree/cell.inl"
#include "sim/tree/criterion.inl"
#undef GRAVLAB_GIVE_ORDER
#undef GRAVLAB_BOTH
#undef GRAVLAB_PRODUCT
#undef GRAVLAB_TREE_FUNCTION

/// Criterion for charges, whose sum in a cell may be 0 where they are large: it uses the sum of their sizes, which
/// `sourceTimesCube` contains.
template <class Real>
struct ChargesCriterion : GroupCriterion<Real> {};

template <class Real>
GRAVLAB_HOST_DEVICE Expanded expandsCell(const ChargesCriterion<Real>& group, Real squared, Real farthest, Real,
                                         Real sourceTimesCube) {
    const GroupCriterion<Real>& base = group;
    if (!(sourceTimesCube > Real(0))) return Expanded::no;
    return expandsCell(base, squared, farthest, sourceTimesCube / (farthest * farthest * farthest), sourceTimesCube);
}

}  // namespace gravlab
