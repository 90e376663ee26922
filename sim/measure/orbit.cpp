// Two bodies by conic sections; energies decide which two.
#include "sim/measure/orbit.h"

#include "sim/core/body_edit.h"
#include "sim/core/text.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gravlab {
namespace {

// Beyond this N a neighbour that happens to be slow is no centre.
constexpr std::size_t kManyBodies = 1000;
constexpr double kCentralShare = 0.1;  // fraction of the total mass

/// Relative to body `centre`: place, velocity, and G times both masses.
struct Pair {
    Vec3d x, v;
    double pull;
    std::optional<Orbit> orbit() const { return orbitOf(x, v, pull); }
};
Pair pairOf(const ParticleSet& bodies, std::size_t index, std::size_t centre) {
    return {xyz(bodies.position[index]) - xyz(bodies.position[centre]),
            xyz(bodies.velocity[index]) - xyz(bodies.velocity[centre]),
            bodies.position[index].w + bodies.position[centre].w};
}

}  // namespace

std::optional<Orbit> orbitOf(const Vec3d& place, const Vec3d& velocity, double pull) {
    const double distance = length(place), squared = dot(velocity, velocity);
    const Vec3d momentum = cross(place, velocity);
    const double turning = length(momentum);
    // A straight fall has no plane.
    if (!(pull > 0) || !(distance > 0) || !(turning > 1e-12 * distance * std::sqrt(squared))) return std::nullopt;
    const double energy = 0.5 * squared - pull / distance;
    // The Laplace-Runge-Lenz vector points to the pericentre, and its length is the eccentricity.
    const Vec3d lenz = cross(velocity, momentum) / pull - place / distance;
    Orbit orbit{.eccentricity = length(lenz)};
    const double parameter = turning * turning / pull;
    orbit.pericentre = parameter / (1 + orbit.eccentricity);
    orbit.direction = std::atan2(lenz.y, lenz.x);
    orbit.inclination = std::atan2(std::hypot(momentum.x, momentum.y), momentum.z);
    orbit.semiMajorAxis = energy != 0 ? -0.5 * pull / energy : std::numeric_limits<double>::infinity();
    if (energy < 0) {
        const double a = orbit.semiMajorAxis;
        orbit.period = 2 * std::numbers::pi * a * std::sqrt(a / pull);
        orbit.apocentre = 2 * a - orbit.pericentre;
    }
    if (!std::isfinite(orbit.eccentricity) || !std::isfinite(orbit.pericentre)) return std::nullopt;
    return orbit;
}

double leastDistance(const Vec3d& place, const Vec3d& velocity, double pull, double time) {
    const double distance = length(place), along = std::copysign(1.0, time) * dot(place, velocity);
    const std::optional<Orbit> orbit = orbitOf(place, velocity, pull);
    if (!orbit) {
        const double squared = dot(velocity, velocity), nearest = squared > 0 ? -along / squared : 0;
        return length(place + std::clamp(nearest, 0.0, std::abs(time)) * std::copysign(1.0, time) * velocity);
    }
    // Kepler's equation gives the time to the pericentre without iteration: M = E - e sin E, or e sinh F - F.
    const double a = orbit->semiMajorAxis, rate = std::sqrt(pull / std::abs(a)) / std::abs(a);
    const double sine = along / std::sqrt(pull * std::abs(a));  // e sin E or e sinh F
    double left = 0;
    if (orbit->closed()) {
        const double anomaly = std::atan2(sine, 1 - distance / a) - sine;
        left = (anomaly <= 0 ? -anomaly : 2 * std::numbers::pi - anomaly) / rate;
    } else if (along >= 0) {
        return distance;
    } else {
        left = (std::asinh(sine / orbit->eccentricity) - sine) / rate;
    }
    // Near a parabola the difference above is rounding; a straight line is the shorter way then.
    if (!std::isfinite(left)) left = distance * distance / std::max(-along, 1e-300);
    return left <= std::abs(time) ? orbit->pericentre : distance;
}

namespace {
constexpr std::size_t kFewOrbits = 10;  // bodies
}

std::string softenedOrbit(const ParticleSet& bodies, const ForceSettings& force) {
    constexpr double kMuchLonger = 3;
    if (force.law != Law::gravity || bodies.size() > kFewOrbits) return {};
    double least = force.softening / kMuchLonger;
    std::string text;
    for (std::size_t j = 0; j < bodies.size(); ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const std::optional<Orbit> found = pairOf(bodies, j, i).orbit();
            if (!found || !found->closed() || !(found->semiMajorAxis < least)) continue;
            least = found->semiMajorAxis;
            text =
                formatted("bodies %zu and %zu would orbit each other at %.3g, but the softening %.3g is %.3g times as long",
                          i, j, least, force.softening, force.softening / least);
        }
    return text;
}

std::string unresolvedOrbit(const ParticleSet& bodies, const ForceSettings& force, double timeStep) {
    constexpr double kLeastSteps = 50, kHierarchy = 20, kHeavy = 0.01;
    if (force.law != Law::gravity || bodies.size() > kFewOrbits) return {};
    struct Turning {
        std::size_t first, second;
        Orbit orbit;
        double turn;  ///< period of a circle of the pericentre's radius [T]
    };
    std::optional<Turning> sharpest, shortest;
    const auto orbit = [&](const Vec3d& x, const Vec3d& v, double pull) -> std::optional<Orbit> {
        std::optional<Orbit> found = orbitOf(x, v, pull);
        return found && found->closed() && found->semiMajorAxis > force.softening ? found : std::nullopt;
    };
    const auto mass = [&](std::size_t i) { return bodies.position[i].w; };
    for (std::size_t j = 0; j < bodies.size(); ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const auto [x, v, pull] = pairOf(bodies, j, i);
            const std::optional<Orbit> found = orbit(x, v, pull);
            if (!found) continue;
            const double nearest = std::hypot(found->pericentre, force.softening);
            const Turning pair{i, j, *found, 2 * std::numbers::pi * nearest * std::sqrt(nearest / pull)};
            if (!sharpest || pair.turn < sharpest->turn) sharpest = pair;
            if (!shortest || *found->period < *shortest->orbit.period) shortest = pair;
        }
    if (!sharpest) return {};
    if (kLeastSteps * std::abs(timeStep) > sharpest->turn)
        return formatted(
            "bodies %zu and %zu turn about each other in %.2g time steps at their pericentre, and %g are needed",
            sharpest->first, sharpest->second, sharpest->turn / std::abs(timeStep), kLeastSteps);
    const auto [i, j, inner, turn] = *shortest;
    const double both = mass(i) + mass(j);
    const auto centre = [&](const std::vector<Double4>& of) { return (mass(i) * xyz(of[i]) + mass(j) * xyz(of[j])) / both; };
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        if (k == i || k == j || !(mass(k) > kHeavy * both)) continue;
        const std::optional<Orbit> outer = orbit(xyz(bodies.position[k]) - centre(bodies.position),
                                                 xyz(bodies.velocity[k]) - centre(bodies.velocity), both + mass(k));
        if (!outer || *outer->period < kHierarchy * *inner.period) continue;
        return formatted(
            "body %zu goes about bodies %zu and %zu in %.0f of their periods, and can make their orbit eccentric", k, i, j,
            *outer->period / *inner.period);
    }
    return {};
}

std::optional<std::size_t> centreOfOrbit(const ParticleSet& bodies, std::size_t index, const ForceSettings& force) {
    if (force.law != Law::gravity || index >= bodies.size()) return std::nullopt;
    const double mass = bodies.position[index].w;
    double all = 0;
    for (const Double4& x : bodies.position) all += x.w;
    const bool many = bodies.size() > kManyBodies;
    std::optional<std::size_t> closest, strongest, passed;
    double axis = std::numeric_limits<double>::infinity(), binding = 0, most = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        const double other = bodies.position[j].w;
        if (j == index || !(other > 0) || (many && other < kCentralShare * all)) continue;
        const auto [x, v, pull] = pairOf(bodies, index, j);
        if (const double strength = other / dot(x, x); other >= mass && strength > most) {
            most = strength;
            passed = j;
        }
        const double energy = 0.5 * dot(v, v) - pull / length(x);
        if (!(energy < 0)) continue;
        const double a = -0.5 * pull / energy;
        if (other >= mass && a < axis) {
            axis = a;
            closest = j;
        }
        if (other / a > binding) {
            binding = other / a;
            strongest = j;
        }
    }
    // One that is not bound passes by the body with the strongest pull.
    return closest ? closest : strongest ? strongest : passed;
}

std::optional<Orbit> orbitAbout(const ParticleSet& bodies, std::size_t index, std::size_t centre,
                                const ForceSettings& force) {
    if (force.law != Law::gravity || index == centre) return std::nullopt;
    return pairOf(bodies, index, centre).orbit();
}

Vec3d accelerationOf(const ParticleSet& bodies, std::size_t index, const ForceSettings& force) {
    const Vec3d x = xyz(bodies.position[index]);
    const double answers = bodies.velocity[index].w;
    return withLaw<double>(force, [&](const auto& law) {
        Vec3d sum{0, 0, 0};
        for (std::size_t j = 0; j < bodies.size(); ++j) {
            const Vec3d away = xyz(bodies.position[j]) - x;
            const double squared = dot(away, away);
            if (j != index && squared > 0) sum += bodies.position[j].w * law.forceOverDistance(squared) * away;
        }
        return answers * sum;
    });
}

}  // namespace gravlab
