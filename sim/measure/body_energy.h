// The energy of one body among others, as what acts on them has it.
#pragma once
#include "sim/core/particles.h"
#include "sim/forces/force_settings.h"
#include "sim/forces/force_term.h"

#include <cstddef>

namespace gravlab {

/// v^2 / 2 + k_i sum_j s_j potential(r_ij) [L^2/T^2], and what it has in the terms beside the pair law: kinetic energy and
/// the energy of all its pairs and bonds, over its mass. O(N), in fp64. `response` stands in for that of a body that is
/// held. Bodies at one place without a finite energy have none.
double specificEnergy(const ParticleSet& bodies, std::size_t index, const ForceTerms& terms, double response);

/// Whether a body of that energy can never go to infinity: it is negative, or the potential grows without end.
bool isBound(double specificEnergy, const ForceSettings& force);

}  // namespace gravlab
