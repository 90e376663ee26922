// What is measured of one complete step: conserved quantities, shape, closest pair; and the host's way to do so.
// Rule: fp64 sums in an order of their own, so that neither threads nor slices change a bit. G = 1.
#pragma once
#include "sim/measure/pair_sum.h"

#include <array>
#include <cstdint>
#include <string>

namespace gravlab {

/// Shares of the mass whose radii are measured.
constexpr std::array<double, 3> kLagrangianShares{0.1, 0.5, 0.9};

/// How mass lies around its centre, and how near bodies come to each other.
struct Shape {
    /// Radii around the centre of mass that hold 10, 50 and 90 % of the mass [L].
    std::array<double, 3> lagrangianRadii{};
    /// Smallest distance of two bodies of which one at least has a source [L]; 0 with fewer than two of them.
    double closest = 0;
    std::uint32_t closestFirst = 0, closestSecond = 0;  ///< their indices
};

/// One complete step, measured. "Mass" is inertialMass(), under every law.
struct Diagnostics {
    double kinetic = 0;               ///< sum of m v^2 / 2 [M L^2/T^2]
    double potential = 0;             ///< of all pairs, each once, none of a body with itself [M L^2/T^2]
    Vec3d momentum{};                 ///< sum of m v [M L/T]
    Vec3d angularMomentum{};          ///< about the origin [M L^2/T]
    Vec3d centreOfMass{};             ///< [L]; the plain sum of m x where the mass is 0
    double mass = 0;                  ///< of all bodies [M]
    double angularMomentumScale = 0;  ///< sum of |m| |x| |v|: without cancelling, the scale of its rounding [M L^2/T]
    Shape shape;
    /// Relative error of the potential, as bodies at random say that were compared with fp64; 0: all pairs were summed.
    double potentialError = 0;
    double seconds = 0;   ///< of device or host that measuring took [s]
    std::string failure;  ///< why there are no numbers; empty when they are there

    double energy() const { return kinetic + potential; }
    double virialRatio() const { return potential != 0 ? kinetic / -potential : 0; }  ///< 1/2 in balance, for gravity
};

/// Measures a system on `threads` host threads (0 = all), which it waits for: what its pair law stores, summed by `pairs`
/// or, where it is null, allPairs(), and what every other term adds by its own statement. The force's precision is not
/// looked at.
Diagnostics measureSystem(const ParticleSet& bodies, const ForceTerms& terms, int threads = 0,
                          const PairSummation& pairs = nullptr);
/// The same where the pair law acts alone.
inline Diagnostics measure(const ParticleSet& bodies, const ForceSettings& force, int threads = 0) {
    return measureSystem(bodies, termsOf(force), threads);
}

/// O(N log N).
std::array<double, 3> lagrangianRadii(const ParticleSet& bodies);

}  // namespace gravlab
