#include "app/services/predictability.h"

#include <cmath>
#include <cstdio>

namespace gravlab {
namespace {

struct PredictabilityLimit {
    std::string_view scene;
    double fixed, fixed32;  ///< reliable until this time in double and in single precision with fixed steps [T]
    double adaptive;        ///< reliable until this time with radau15 [T]
    const char* why;
};

constexpr double kTrianglePeriod = 3.6275987284684357;  // 2 pi / sqrt(3)
constexpr PredictabilityLimit kLimits[] = {
    {"pythagorean", 15.82, 8.7, 1e300,
     "two bodies passed at 0.0004 at t = 15.83, and no fixed step gets through. radau15 shows the true ending: the lightest "
     "escapes after t = 60"},
    {"lagrange", 5 * kTrianglePeriod, 2 * kTrianglePeriod, 6 * kTrianglePeriod,
     "the triangle is unstable and multiplies every rounding error by 85 each period: how it breaks up is chance"},
    {"super-eight", 4 * 6.283185307179586, 2 * 6.283185307179586, 5 * 6.283185307179586,
     "the orbit is unstable and multiplies every rounding error by hundreds each period: how it breaks up is chance"},
};

}  // namespace

std::string predictabilityNote(std::string_view scene, const Integrator& integrator, double time, bool singlePrecision) {
    for (const PredictabilityLimit& row : kLimits) {
        if (row.scene != scene) continue;
        const bool adaptive = isAdaptive(integrator.program);
        const double until = adaptive ? row.adaptive : singlePrecision ? row.fixed32 : row.fixed;
        if (!(std::abs(time) > until)) return {};
        char text[320];
        std::snprintf(text, sizeof text, "Beyond t = %.3g this ending is not the true one: %s.", until, row.why);
        return text;
    }
    return {};
}

}  // namespace gravlab
