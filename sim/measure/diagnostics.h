// Conserved quantities and shape of a state, always in fp64 sums.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"

namespace gravlab {

/// G = 1. Energies exclude the self term; vectors are about the origin.
struct Diagnostics {
    double kinetic = 0, potential = 0;
    Double4 momentum{}, angularMomentum{}, centreOfMass{};  ///< w unused; centreOfMass.w = total mass
    double energy() const { return kinetic + potential; }
    double virialRatio() const { return potential != 0 ? kinetic / -potential : 0; }
};

/// O(N^2) pairs in fp64, on `threads` host threads (0 = all). Deterministic for any thread count.
Diagnostics measure(const ParticleSet& bodies, const ForceSettings& force, int threads = 0);

/// The same without the potential, which stays 0: O(N).
Diagnostics measureMoments(const ParticleSet& bodies);

}  // namespace gravlab
