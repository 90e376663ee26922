// The energy of all pairs where double precision would take minutes beside a picture.
#pragma once
#include "sim/measure/diagnostics.h"

namespace gravlab {

/// Whether a law's pairs keep their energy in single precision.
bool singleEnergy(const ForceSettings& force);

/// Sums all pairs in single precision, 64 sources at a time, and these in double, on so many threads (0 = all), which it
/// waits for; pairs so near that rounding of places would show are in double. The same bits for any number of threads. Some
/// bodies at random are compared with fp64, which gives PairSum::error. Of laws that singleEnergy() names.
PairSum pairsInSingle(const ParticleSet& bodies, const ForceSettings& force, int threads);

}  // namespace gravlab
