// Straight paths of bodies within a step.
#pragma once
#include "sim/api/contact.h"
#include "sim/api/vectors.h"
#include "sim/contact/touch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gravlab {

/// |a|, by squares wherever they neither underflow nor overflow.
inline double lengthOf(const Vec3d& a) {
    const double squared = dot(a, a);
    return squared > 1e-280 && squared < 1e280 ? std::sqrt(squared) : exactLength(a);
}

/// A body on its way through the rest of a step. Times are those since the beginning of the step [T].
struct BodyPath {
    Vec3d end{};  ///< position at the end of the step [L]
    Vec3d way{};  ///< velocity of the path [L/T]; that of the body at the end of the step may differ
    double from = 0;
    double radius = 0;    ///< below 0: no contact any more; it merged into another one, or is not finite
    Vec3d moved{};        ///< jumps to the centre of mass in mergers of this step [L]
    bool merged = false;  ///< it begins with a merger
    bool alive() const { return radius >= 0; }
    /// The body touches nothing farther than this from its centre, with or without the jumps [L].
    double reach() const { return moved == Vec3d{} ? radius : radius + lengthOf(moved); }
};
constexpr double kGone = -std::numeric_limits<double>::infinity();  ///< radius of such bodies

/// Overlap that is a contact at the beginning of a step.
inline Overlap overlapAtFirst(const ContactSettings& contact) {
    return contact.mode == ContactMode::bounce ? Overlap::approaches : Overlap::counts;
}
/// And later in the step, for two paths. Bodies at rest on each other would touch again at each change of either, without
/// end. A merger is no such change: it may put a larger body over its neighbours.
inline Overlap overlapLater(const ContactSettings& contact, const BodyPath& a, const BodyPath& b) {
    const bool merged = (a.merged && a.from >= b.from) || (b.merged && b.from >= a.from);
    return merged || contact.mode == ContactMode::stick ? Overlap::counts : Overlap::sinks;
}

/// When two bodies touch from `earliest` on, and when they would without the jumps of mergers; below 0: never.
inline std::array<double, 2> contactTimes(const BodyPath& a, const BodyPath& b, double earliest, double length,
                                          const ContactSettings& contact) {
    const double from = std::max({a.from, b.from, earliest}), both = a.radius + b.radius;
    const Vec3d away = a.end - b.end, way = a.way - b.way, moved = a.moved - b.moved;
    const double time = touchTime(away, way, both, from, length, overlapLater(contact, a, b));
    if (moved == Vec3d{}) return {time, -1};
    const double unmoved = touchTime(away - moved, way, both, from, length, Overlap::approaches);
    return {time, unmoved == time ? -1 : unmoved};
}

}  // namespace gravlab
