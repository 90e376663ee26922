// Pairs of mixed precision in units of their own, as every backend computes them: what a method of single precision is asked
// for in these units, and how a state that it keeps says in which it is.
#pragma once
#include "sim/backends/force_method.h"
#include "sim/forces/single_precision.h"

#include <optional>
#include <vector>

namespace gravlab {

/// The request as pairs in these units have it. `heaviest`: the largest |source| of the state [M].
ForceRequest requestIn(const PairUnits& units, ForceRequest request, double heaviest);

/// What a method keeps, with the units that it is in; nothing is added where they are the state's.
std::vector<StateArray> withUnits(std::vector<StateArray> state, const PairUnits& units);
/// Takes the units out of what withUnits() made; nothing where what stands there are none.
std::optional<PairUnits> takeUnits(std::vector<StateArray>& state);

}  // namespace gravlab
