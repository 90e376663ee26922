#include "sim/backends/pair_matrix.h"

#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <algorithm>
#include <array>

namespace gravlab {
namespace {
constexpr std::array<std::string_view, 4> kPairValues{"force", "potential", "component", "distance"};
}  // namespace

std::span<const std::string_view> pairValueNames() { return kPairValues; }
std::string_view nameOf(PairValue value) { return kPairValues[static_cast<std::size_t>(value)]; }

PairValue pairValue(std::string_view name) {
    const auto found = std::find(kPairValues.begin(), kPairValues.end(), name);
    if (found == kPairValues.end())
        throw UsageError(unknownName("value of a pair", name, {kPairValues.begin(), kPairValues.end()}));
    return static_cast<PairValue>(found - kPairValues.begin());
}

float matrixLevel(PairValue value, float cell, float strongest) {
    if (!(strongest > 0)) return value == PairValue::component ? 0.5f : 0;
    if (value == PairValue::distance) return std::clamp(cell / strongest, 0.f, 1.f);
    const float size = std::abs(cell);
    const float below = size > 0 ? std::log10(strongest / size) : kMatrixDecades;
    const float level = std::clamp(1 - below / kMatrixDecades, 0.f, 1.f);
    if (value != PairValue::component) return level;
    return cell < 0 ? 0.5f - 0.5f * level : 0.5f + 0.5f * level;
}

}  // namespace gravlab
