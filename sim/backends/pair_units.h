// Pairs of mixed precision in units of their own, for every backend: the request to a single-precision method in these
// units, and the units that are saved with its state.
#pragma once
#include "sim/backends/force_method.h"
#include "sim/forces/single_precision.h"

#include <optional>
#include <vector>

namespace gravlab {

/// The request in these units. `heaviest`: the largest |source| of the state [M].
ForceRequest requestIn(const PairUnits& units, ForceRequest request, double heaviest);

/// A method's state with its units; nothing is added where they are the units of the bodies.
std::vector<StateArray> withUnits(std::vector<StateArray> state, const PairUnits& units);
/// Takes the units out of a result of withUnits(); empty where the saved numbers are not units.
std::optional<PairUnits> takeUnits(std::vector<StateArray>& state);

}  // namespace gravlab
