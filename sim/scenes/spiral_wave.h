// Arms at the start of a disc: a kinematic density wave (Lindblad 1963; Kalnajs 1973). Every star is on an epicycle, and the
// phases of the epicycles follow a logarithmic spiral, so that orbits crowd along trailing arms. Rule: places and speeds
// belong together, so that the arms rotate slowly and the disc's own gravity sustains them.
#pragma once
#include "sim/api/vectors.h"

#include <algorithm>
#include <cmath>

namespace gravlab::scenes {

/// Lengths are in units of the scene. The disc rotates anticlockwise seen from +z.
struct SpiralWave {
    int arms = 0;                 ///< 0: none
    double strength = 0;          ///< crowding of orbits: the densest place is 1 / (1 - strength) times as dense
    double pitch = 0.33;          ///< angle of the arms against circles [rad]
    double inner = 1, outer = 4;  ///< arms fade out towards half of `inner` and beyond `outer` [L]

    /// A star of the disc without arms.
    struct Star {
        double radius, angle;                 ///< of its guiding centre [L, rad]
        double rotation, angular, epicyclic;  ///< mean speed [L/T]; frequencies there [1/T]
    };
    /// The star's place on its epicycle, and the speeds of the mean motion there.
    struct Place {
        double radius, angle, outward, around;
    };
    Place place(const Star& star) const {
        const double s = strength * fading(star.radius);
        if (arms <= 0 || !(s > 0)) return {star.radius, star.angle, 0, star.rotation};
        const double size = s * star.radius * std::tan(pitch) / arms;  // of the epicycle
        const double phase = arms * (star.angle - ridge(star.radius));
        const double radius = star.radius + size * std::cos(phase);
        return {radius, star.angle - 2 * star.angular / star.epicyclic * size / star.radius * std::sin(phase),
                -size * star.epicyclic * std::sin(phase), star.rotation * star.radius / radius};
    }
    /// Angle of one arm at a radius, up to a constant.
    double ridge(double radius) const { return -std::log(std::max(radius, 1e-9) / inner) / std::tan(pitch); }

private:
    double fading(double radius) const {
        const auto step = [](double x) {
            const double t = std::clamp(x, 0.0, 1.0);
            return t * t * (3 - 2 * t);
        };
        return step(2 * radius / inner - 1) * (1 - step((radius / outer - 1) / 0.35));
    }
};

}  // namespace gravlab::scenes
