// The energy of all pairs where nobody can sum them all: potentials from a walk of the tree.
#pragma once
#include "sim/measure/diagnostics.h"

namespace gravlab {

/// Sums pairs under a law that treeLaw() knows by a tree whose forces keep `accuracy`, on so many threads (0 = all), which
/// it waits for. The same bits for any number of threads. Some bodies at random are compared with fp64, which gives
/// PairSum::error; the closest pair is that of the bodies that were met one by one. Throws std::bad_alloc.
PairSummation pairsByTree(double accuracy);

}  // namespace gravlab
