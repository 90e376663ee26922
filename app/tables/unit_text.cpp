#include "app/tables/unit_text.h"

#include "app/tables/format.h"
#include "sim/core/round_number.h"

#include <cmath>
#include <string_view>

namespace gravlab {

std::string threeDigits(double value) {
    const double size = std::abs(value);
    return formatted(size >= 100 && size < 1e5 ? "%.0f" : "%.3g", value);
}

RoundLength roundLength(double most, const SceneUnits& units) {
    if (!(most > 0) || !std::isfinite(most)) return {};
    double shown = most * units.lengthScale;
    std::string_view name = units.length.empty() ? "L" : units.length;
    double scale = units.lengthScale;
    // Neighbouring units of the same family, for numbers that would be too large or small.
    struct Step {
        std::string_view from, to;
        double factor, above, below;
    };
    constexpr Step kSteps[] = {{"kpc", "Mpc", 1e-3, 2000, 0}, {"kpc", "pc", 1e3, 1e300, 0.5}};
    for (const Step& step : kSteps)
        if (name == step.from && (shown >= step.above || shown < step.below)) {
            name = step.to;
            shown *= step.factor;
            scale *= step.factor;
            break;
        }
    const double round = roundDown(shown);
    return {round / scale, threeDigits(round) + " " + std::string(name)};
}

ShownUnit unitOfTime(double time, const SceneUnits& units) {
    const double value = std::abs(time) * units.timeScale;
    if (units.time.empty()) return {"T", units.timeScale};
    if (units.time == "Myr" && value >= 1000) return {"Gyr", units.timeScale / 1000};
    if (units.time == "years" && value < 2) return {"days", units.timeScale * 365.25};
    return {std::string(units.time), units.timeScale};
}

std::string clockText(double time, const SceneUnits& units) {
    const auto [name, scale] = unitOfTime(time, units);
    const double value = time * scale, size = std::abs(value);
    const int digits = name == "Gyr" ? 3 : size >= 100 || name == "days" ? 1 : size >= 10 ? 2 : 3;
    const bool small = size > 0 && size < 0.01;  // three digits after the point would be 0
    return (small ? formatted("t = %.3g", value) : formatted("t = %.*f", digits, value)) +
           (units.time.empty() ? "" : " " + name);
}

std::string timeText(double time, const SceneUnits& units) {
    const ShownUnit unit = unitOfTime(time, units);
    return formatted("%.6g", time * unit.scale) + (units.time.empty() ? "" : " " + unit.name);
}

ShownUnit unitOfEnergy(const SceneUnits& units) {
    if (units.mass.empty()) return {};
    return {std::string(units.mass) + " (" + std::string(units.speed) + ")^2",
            units.massScale * units.speedScale * units.speedScale};
}

ShownUnit speedUnit(double speed, const SceneUnits& units) {
    if (units.time.empty()) return {"T/s", 1};
    const double shown = std::abs(speed) * units.timeScale;
    if (units.time == "Myr" && shown >= 1000) return {"Gyr/s", units.timeScale / 1000};
    if (units.time == "years" && shown < 1) return {"days/s", units.timeScale * 365.25};
    return {std::string(units.time) + "/s", units.timeScale};
}

}  // namespace gravlab
