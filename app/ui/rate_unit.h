// Units of rates beside a plot, where a number has space for five letters.
#pragma once

namespace gravlab {

struct RateUnit {
    float size;  ///< in G
    const char* name;
};

/// The unit in which `most` [G] has at most three digits before the point, also after rounding to three.
constexpr RateUnit rateUnit(float most) {
    constexpr RateUnit kUnits[] = {{1e3f, "T interactions/s"}, {1, "G interactions/s"}, {1e-3f, "M interactions/s"}};
    for (const RateUnit& unit : kUnits)
        if (most >= 0.9995f * unit.size) return unit;
    return {1e-6f, "k interactions/s"};
}

}  // namespace gravlab
