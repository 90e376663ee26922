// The moment at which two spheres on straight paths touch. Host and device.
#pragma once
#include "sim/core/vec3.h"

#include <cmath>

namespace gravlab {

/// Time from `from` to `length` at which two spheres touch first; below 0: they do not. `away`: their distance at `length`,
/// `way`: its change per time, `both`: the sum of the radii. Overlapping spheres touch at once where they approach, or where
/// `resting` counts overlap alone.
GRAVLAB_HOST_DEVICE double touchTime(const Vec3d& away, const Vec3d& way, double both, double from, double length,
                                     bool resting) {
    constexpr double kTouching = 1e-9;  // relative overlap of squares that rounding leaves after a bounce
    const double rest = length - from;
    const Vec3d start = away - rest * way;
    const double apart = dot(start, start) - both * both, closing = dot(start, way);
    if (!(both > 0)) return -1;
    if (apart <= 0) return closing < 0 || (resting && apart < -kTouching * both * both) ? from : -1;
    const double squared = dot(way, way), root = closing * closing - squared * apart;
    if (!(closing < 0) || root < 0) return -1;
    const double after = apart / (std::sqrt(root) - closing);  // the smaller root, without cancellation
    return after <= rest ? from + after : -1;
}

/// How far two bodies may leave their paths before the lists of bodies near them no longer hold [L]. `mostReach`: see
/// FoundContacts.
GRAVLAB_HOST_DEVICE double allowanceOf(double radius, double mostReach) {
    const double most = mostReach / 4;
    return radius / 2 < most ? radius / 2 : most;
}

}  // namespace gravlab
