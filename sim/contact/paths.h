// Straight paths of bodies within a step.
#pragma once
#include "sim/contact/touch.h"
#include "sim/core/vec3.h"

#include <limits>
#include <optional>

namespace gravlab {

/// A body on its way through the rest of a step. Times are those since the beginning of the step [T].
struct BodyPath {
    Vec3d end{};  ///< position at the end of the step [L]
    Vec3d way{};  ///< velocity of the path [L/T]; that of the body at the end of the step may differ
    double from = 0;
    double radius = 0;  ///< below 0: no contact any more; it merged into another one, or is not finite
    bool alive() const { return radius >= 0; }
};
constexpr double kGone = -std::numeric_limits<double>::infinity();  ///< radius of such bodies

/// See touchTime().
inline std::optional<double> contactTime(const BodyPath& a, const BodyPath& b, double from, double length, Overlap overlap) {
    const double time = touchTime(a.end - b.end, a.way - b.way, a.radius + b.radius, from, length, overlap);
    return time < 0 ? std::nullopt : std::optional(time);
}

}  // namespace gravlab
