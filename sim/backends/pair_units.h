// Pairs of mixed precision in units of their own, for every backend: the request to a single-precision method in these
// units, and the units that are saved with its state.
#pragma once
#include "sim/backends/force_method.h"
#include "sim/forces/law.h"
#include "sim/forces/single_precision.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab {

/// The request in these units. `heaviest`: the largest |source| of the state [M].
inline ForceRequest requestIn(const PairUnits& units, ForceRequest request, double heaviest) {
    request.settings = settingsIn(units, request.settings);
    request.smallestR2 = smallestR2<float>(request.settings, heaviest / units.source);
    return request;
}

constexpr const char* kUnitsInFiles = "units";

/// A method's state with its units; nothing is added where they are the units of the bodies.
inline std::vector<StateArray> withUnits(std::vector<StateArray> state, const PairUnits& units) {
    if (!state.empty() && units != PairUnits()) state.push_back({kUnitsInFiles, {units.length, units.source}});
    return state;
}
/// Takes the units out of a result of withUnits(); empty where the saved numbers are not units.
inline std::optional<PairUnits> takeUnits(std::vector<StateArray>& state) {
    if (state.empty() || state.back().name != kUnitsInFiles) return PairUnits();
    const std::vector<double> values = std::move(state.back().values);
    state.pop_back();
    const auto bad = [](double v) { return !(v > 0 && std::isfinite(v) && std::ldexp(1.0, std::ilogb(v)) == v); };
    if (values.size() != 2 || bad(values[0]) || bad(values[1])) return std::nullopt;
    return PairUnits{values[0], values[1]};
}

}  // namespace gravlab
