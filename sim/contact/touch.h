// The moment at which two spheres on straight paths touch, and bounds of such paths. Host and device.
#pragma once
#include "sim/api/vectors.h"

#include <cmath>
#include <cstdint>

namespace gravlab {

/// When overlapping spheres touch at once.
enum class Overlap {
    counts,      ///< always
    approaches,  ///< where they approach
    sinks,       ///< where they would approach by more than kSinks times the sum of the radii until the step ends
};
constexpr double kSinks = 1.0 / 32;

/// Time from `from` to `length` at which two spheres touch first; below 0: they do not. `away`: their distance at `length`,
/// `way`: its change per time, `both`: the sum of the radii.
GRAVLAB_HOST_DEVICE double touchTime(const Vec3d& away, const Vec3d& way, double both, double from, double length,
                                     Overlap overlap) {
    constexpr double kTouching = 1e-9;  // relative overlap of squares that rounding leaves after a bounce
    const double rest = length - from;
    const Vec3d start = away - rest * way;
    const double apart = dot(start, start) - both * both, closing = dot(start, way);
    if (!(both > 0)) return -1;
    if (apart <= 0) {
        if (overlap == Overlap::counts && apart < -kTouching * both * both) return from;
        const double sinks = overlap == Overlap::sinks ? kSinks * both : 0;
        return closing < 0 && rest * rest * closing * closing >= sinks * sinks * dot(start, start) ? from : -1;
    }
    const double squared = dot(way, way), root = closing * closing - squared * apart;
    if (!(closing < 0) || root < 0) return -1;
    const double after = apart / (std::sqrt(root) - closing);  // the smaller root, without cancellation
    return after <= rest ? from + after : -1;
}

/// How far two bodies may leave their paths before the lists of bodies near them fail [L]. `mostReach`: see FoundContacts.
GRAVLAB_HOST_DEVICE double allowanceOf(double radius, double mostReach) {
    const double most = mostReach / 4;
    return radius / 4 < most ? radius / 4 : most;
}

/// The path of a body: where it is in the middle of the step, and half of its way [L].
struct HalfPath {
    Vec3d middle{}, half{};
    double reach = 0;  ///< its radius, and how far it may leave the path; below 0: it touches none
    std::uint32_t index = 0;
};

/// |away| <= both + |way|, by squares, with a margin for rounding. Numbers too large or too small for squares: true.
GRAVLAB_HOST_DEVICE bool comeNear(const Vec3d& away, const Vec3d& way, double both) {
    const double reach = both * (1 + 1e-6), ways = dot(way, way), rest = dot(away, away) - reach * reach - ways;
    return !(rest > 0 && rest * rest > 4 * (1 + 1e-6) * reach * reach * ways);
}

/// Bounds of paths: of places in the middle of the step, and of ways.
struct PathBounds {
    static constexpr double kFar = 1e300;
    Vec3d low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
    Vec3d slowest{kFar, kFar, kFar}, fastest{-kFar, -kFar, -kFar};
    double reach = -1;  ///< the largest; below 0: there are none

    GRAVLAB_HOST_DEVICE void add(const HalfPath& path) {
        add(PathBounds{path.middle, path.middle, path.half, path.half, path.reach});
    }
    GRAVLAB_HOST_DEVICE void add(const PathBounds& other) {
        if (other.reach < 0) return;
        low = {least(low.x, other.low.x), least(low.y, other.low.y), least(low.z, other.low.z)};
        high = {most(high.x, other.high.x), most(high.y, other.high.y), most(high.z, other.high.z)};
        slowest = {least(slowest.x, other.slowest.x), least(slowest.y, other.slowest.y), least(slowest.z, other.slowest.z)};
        fastest = {most(fastest.x, other.fastest.x), most(fastest.y, other.fastest.y), most(fastest.z, other.fastest.z)};
        reach = most(reach, other.reach);
    }
    /// Some of them may come near a path, with `more` reach.
    GRAVLAB_HOST_DEVICE bool near(const HalfPath& path, double more) const {
        const Vec3d& at = path.middle;
        const Vec3d& way = path.half;
        return near(PathBounds{at, at, way, way, path.reach + more});
    }
    /// Some of both may come near each other.
    GRAVLAB_HOST_DEVICE bool near(const PathBounds& other) const {
        if (reach < 0 || other.reach < 0) return false;
        const Vec3d away{most(most(low.x - other.high.x, other.low.x - high.x), 0),
                         most(most(low.y - other.high.y, other.low.y - high.y), 0),
                         most(most(low.z - other.high.z, other.low.z - high.z), 0)};
        const Vec3d way{most(other.fastest.x - slowest.x, fastest.x - other.slowest.x),
                        most(other.fastest.y - slowest.y, fastest.y - other.slowest.y),
                        most(other.fastest.z - slowest.z, fastest.z - other.slowest.z)};
        return comeNear(away, way, reach + other.reach);
    }

private:
    GRAVLAB_HOST_DEVICE static double least(double a, double b) { return a < b ? a : b; }
    GRAVLAB_HOST_DEVICE static double most(double a, double b) { return a > b ? a : b; }
};

}  // namespace gravlab
