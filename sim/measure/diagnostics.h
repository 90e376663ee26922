// Measurements of one complete step on the host: conserved quantities, shape, closest pair.
// Rule: fp64 sums in an order of their own, so that neither threads nor slices change a bit. G = 1.
#pragma once
#include "sim/measure/pair_sum.h"

#include <array>
#include <cstdint>
#include <string>

namespace gravlab {

/// Fractions of the mass whose radii are measured.
constexpr std::array<double, 3> kLagrangianShares{0.1, 0.5, 0.9};

/// Distribution of mass around its centre, and the closest pair.
struct Shape {
    /// Radii around the centre of mass that hold 10, 50 and 90 % of the mass [L].
    std::array<double, 3> lagrangianRadii{};
    /// Smallest distance of two bodies of which one at least has a source [L]; 0 with fewer than two of them.
    double closest = 0;
    std::uint32_t closestFirst = 0, closestSecond = 0;  ///< their indices
};

/// Measurements of one complete step. "Mass" is inertialMass(), under every law.
struct Diagnostics {
    double kinetic = 0;       ///< sum of m v^2 / 2, and of rotation [M L^2/T^2]
    double potential = 0;     ///< of all pairs, each counted once, without self energy [M L^2/T^2]
    Vec3d momentum{};         ///< sum of m v [M L/T]
    Vec3d angularMomentum{};  ///< about the origin, with spin [M L^2/T]
    Vec3d centreOfMass{};     ///< [L]; the plain sum of m x where the mass is 0
    double mass = 0;          ///< of all bodies [M]
    double angularMomentumScale =
        0;  ///< sum of |m| |x| |v|: nothing cancels in it, so it is the scale of rounding errors [M L^2/T]
    Shape shape;
    /// Relative error of the potential, estimated from random bodies that were compared with fp64; 0: all pairs were summed.
    double potentialError = 0;
    double seconds = 0;   ///< time of device or host for the measurement [s]
    std::string failure;  ///< why there are no numbers; empty when there are

    double lost = 0;  ///< energy that contacts have taken out of the motion [M L^2/T^2]

    double energy() const { return kinetic + potential; }
    /// The energy with that which contacts took: the number that an exact run keeps.
    double balance() const { return energy() + lost; }
    double virialRatio() const { return potential != 0 ? kinetic / -potential : 0; }  ///< 1/2 in balance, for gravity
};

/// Measures a system on `threads` host threads (0 = all), which it waits for. The pair law's energy is summed by `pairs` or,
/// where it is null, allPairs(); every other term adds its own energy. The force's precision is ignored.
Diagnostics measureSystem(const ParticleSet& bodies, const ForceTerms& terms, int threads = 0,
                          const PairSummation& pairs = nullptr);
/// The same where the pair law acts alone.
inline Diagnostics measure(const ParticleSet& bodies, const ForceSettings& force, int threads = 0) {
    return measureSystem(bodies, termsOf(force), threads);
}

/// Radii of kLagrangianShares. O(N log N).
std::array<double, 3> lagrangianRadii(const ParticleSet& bodies);

}  // namespace gravlab
