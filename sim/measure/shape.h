// The shape of a state: how its mass lies around its centre, and how near bodies come to each other. fp64, O(N^2) for pairs.
#pragma once
#include "sim/core/particles.h"

#include <array>
#include <cstdint>

namespace gravlab {

/// Shares of the mass whose radii are measured.
constexpr std::array<double, 3> kLagrangianShares{0.1, 0.5, 0.9};

struct Shape {
    /// Radii around the centre of mass that hold 10, 50 and 90 % of the mass [L].
    std::array<double, 3> lagrangianRadii{};
    /// Smallest distance of two bodies of which one at least has a source [L]; 0 with fewer than two of them.
    double closest = 0;
    std::uint32_t closestFirst = 0, closestSecond = 0;  ///< their indices
};

/// O(N log N).
std::array<double, 3> lagrangianRadii(const ParticleSet& bodies);

/// Index of the first body that has a number which is not finite; bodies.size() if there is none.
std::size_t firstNonFinite(const ParticleSet& bodies);

}  // namespace gravlab
