// Two spiral galaxies on a parabolic orbit: they pass, throw out tails, fall back and merge.
#include "sim/scenes/disc_galaxy.h"
#include "sim/scenes/values.h"

namespace gravlab::scenes {
namespace {

/// How one galaxy stands in the orbital plane (x-y), before it is set on its orbit.
struct Attitude {
    double inclination;  ///< of the spin against the orbit's axis [rad]; 0 turns with the orbit
    double node;         ///< direction about which the disc is tilted [rad]
};

// One disc nearly in the orbit's plane, for long tails; one steep, so that the picture is three-dimensional.
constexpr Attitude kAttitudes[2] = {{0.35, 0.4}, {1.05, -0.9}};

/// The second galaxy relative to the first.
struct Orbit {
    Double4 place, velocity;
};

/// Two masses of 1 that fall from rest at infinity, `separation` apart and closing; `pericentre` is their least distance as
/// point masses. With Barker's D = tan(half the true anomaly): x = q (1 - D^2), y = 2 q D, dt/dD = sqrt(2 q^3 / M) (1 +
/// D^2).
Orbit parabola(double pericentre, double separation) {
    const double mass = 2;
    const double d = -std::sqrt(separation / pericentre - 1);
    const double rate = std::sqrt(mass / (2 * pericentre * pericentre * pericentre)) / (1 + d * d);
    return {{pericentre * (1 - d * d), 2 * pericentre * d, 0, 0}, {-2 * pericentre * d * rate, 2 * pericentre * rate, 0, 0}};
}

Double4 turned(const Double4& p, const Attitude& attitude) {
    const double ci = std::cos(attitude.inclination), si = std::sin(attitude.inclination);
    const double cn = std::cos(attitude.node), sn = std::sin(attitude.node);
    const double y = ci * p.y - si * p.z;
    const double z = si * p.y + ci * p.z;
    return {cn * p.x - sn * y, sn * p.x + cn * y, z, p.w};
}

Body placed(const Body& upright, std::size_t side, const Orbit& orbit) {
    const double sign = side == 0 ? -0.5 : 0.5;
    Body body;
    body.position = turned(upright.position, kAttitudes[side]);
    body.velocity = turned(upright.velocity, kAttitudes[side]);
    body.position.x += sign * orbit.place.x;
    body.position.y += sign * orbit.place.y;
    body.velocity.x += sign * orbit.velocity.x;
    body.velocity.y += sign * orbit.velocity.y;
    body.group = static_cast<std::uint8_t>(side);
    return body;
}

}  // namespace

ParticleSet buildCollision(const ScenarioRequest& request) {
    DiscModel model;
    model.discMass = 0.6;
    model.centralMass = 0.4;
    model.centralRadius = 0.25;
    model.centralShare = 0.25;
    model.outerRadius = 4;
    model.height = 0.08;
    model.toomreQ = 1.2;
    model.softening = kCollisionSoftening;
    const std::size_t first = request.bodies - request.bodies / 2;
    const DiscGalaxy galaxies[2] = {{model, first}, {model, request.bodies - first}};
    const Orbit orbit = parabola(1.6, 10);
    ParticleSet bodies = makeBodies(request.bodies, request.seed, [&](std::size_t i, Random& random) {
        const std::size_t side = i < first ? 0 : 1;
        return placed(galaxies[side].sample(side == 0 ? i : i - first, random), side, orbit);
    });
    centre(bodies);
    return bodies;
}

}  // namespace gravlab::scenes
