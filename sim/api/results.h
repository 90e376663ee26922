// What an experiment measures: conserved quantities, shape, closest pair, errors and rates. G = 1.
#pragma once
#include "vectors.h"

#include <array>
#include <cstddef>
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

/// Relative errors of accelerations of sampled bodies, against fp64.
struct ForceError {
    std::size_t samples = 0;
    double median = 0, p99 = 0, p999 = 0;  ///< of the samples: the half, 99 %, 99.9 % have less
    bool passed = false;                   ///< they are those of the row: rounding, or the allowed error
    std::string text;                      ///< one line for people
};

/// Work of a number of steps.
struct Rate {
    double interactions = 0;  ///< directed pairs that were computed; for a tree cells, too
    double seconds = 0;       ///< from the call to the end of the last step, by the host's clock
    double perSecond() const { return seconds > 0 ? interactions / seconds : 0; }
};

}  // namespace gravlab
