#include "sim/backends/pair_units.h"

#include "sim/forces/law.h"

#include <cmath>
#include <string_view>

namespace gravlab {
namespace {

constexpr std::string_view kUnits = "units";  // in a file

bool isPairUnit(double value) { return value > 0 && std::isfinite(value) && std::ldexp(1.0, std::ilogb(value)) == value; }

}  // namespace

ForceRequest requestIn(const PairUnits& units, ForceRequest request, double heaviest) {
    request.settings = settingsIn(units, request.settings);
    request.smallestR2 = smallestR2<float>(request.settings, heaviest / units.source);
    return request;
}

std::vector<StateArray> withUnits(std::vector<StateArray> state, const PairUnits& units) {
    if (!state.empty() && units != PairUnits()) state.push_back({std::string(kUnits), {units.length, units.source}});
    return state;
}

std::optional<PairUnits> takeUnits(std::vector<StateArray>& state) {
    if (state.empty() || state.back().name != kUnits) return PairUnits();
    const std::vector<double> values = std::move(state.back().values);
    state.pop_back();
    if (values.size() != 2 || !isPairUnit(values[0]) || !isPairUnit(values[1])) return std::nullopt;
    return PairUnits{values[0], values[1]};
}

}  // namespace gravlab
