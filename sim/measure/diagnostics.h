// Measurements of one complete step on the host: conserved quantities, shape, closest pair.
// Rule: fp64 sums in an order of their own, so that neither threads nor slices change a bit. G = 1.
#pragma once
#include "sim/api/results.h"
#include "sim/measure/pair_sum.h"

#include <array>

namespace gravlab {

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
