// The forces in textbook form. Rule: nothing clever, because everything else is compared with them.
#pragma once
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace gravlab {

/// r^2 never falls below this, so that a body with itself, or with a coincident body, gives exactly 0 without a branch.
inline double softeningSquared(double softening) { return std::max(softening * softening, kSofteningSquaredFloor64); }

/// fp64 acceleration at `at`: the sum over all bodies j, in order, of m_j r / (r^2 + softening^2)^(3/2). G = 1. w is the sum
/// of the absolute values of the terms where `kSizes` says so, else 0.
template <bool kSizes = false>
Double4 plainGravity(std::span<const Double4> positions, const Double4& at, double softeningSquared) {
    Double4 a{};
    for (const Double4& source : positions) {
        const double dx = source.x - at.x;
        const double dy = source.y - at.y;
        const double dz = source.z - at.z;
        const double squared = dx * dx + dy * dy + dz * dz, r2 = squared + softeningSquared;
        const double inverseCube = 1 / (r2 * std::sqrt(r2));
        // Multiply by the separation before the mass: at the floor 1/r^3 is 1e300, and the term of a heavy body with itself
        // would overflow.
        a.x += source.w * (dx * inverseCube);
        a.y += source.w * (dy * inverseCube);
        a.z += source.w * (dz * inverseCube);
        if constexpr (kSizes) a.w += std::abs(source.w) * (std::sqrt(squared) * inverseCube);
    }
    return a;
}

/// fp64 sum over all bodies j, in order, of s_j forceOverDistance(r^2) r, without the target's response. w is the sum of the
/// absolute values of the terms.
template <class PairLaw>
Double4 plainForce(std::span<const Double4> positions, const Double4& at, const PairLaw& law) {
    Double4 a{};
    for (const Double4& source : positions) {
        const double dx = source.x - at.x;
        const double dy = source.y - at.y;
        const double dz = source.z - at.z;
        const double r2 = dx * dx + dy * dy + dz * dz;
        const double pull = law.forceOverDistance(r2);
        a.x += source.w * (pull * dx);
        a.y += source.w * (pull * dy);
        a.z += source.w * (pull * dz);
        a.w += std::abs(source.w * (pull * std::sqrt(r2)));
    }
    return a;
}

/// The same for any law. Gravity uses plainGravity(), and has w only where `sizes` says so.
inline Double4 plainForce(std::span<const Double4> positions, const Double4& at, const ForceSettings& force,
                          bool sizes = false) {
    if (force.law == Law::gravity) {
        const double squared = softeningSquared(force.softening);
        return sizes ? plainGravity<true>(positions, at, squared) : plainGravity(positions, at, squared);
    }
    return withLaw<double>(force, [&](const auto& law) { return plainForce(positions, at, law); });
}

}  // namespace gravlab
