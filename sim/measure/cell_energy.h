// The energy of laws that end: pairs beyond their reach have none, so cells find all that count.
#pragma once
#include "sim/measure/diagnostics.h"

namespace gravlab {

/// Sums all pairs that have an energy, in double precision, on so many threads (0 = all), which it waits for: O(N) at the
/// density of a liquid. The same bits for any number of threads. The law must end, see LawRow::reach.
PairSum pairsByCells(const ParticleSet& bodies, const ForceSettings& force, int threads);

}  // namespace gravlab
