// Two bodies by conic sections; energies decide which two.
#include "sim/measure/orbit.h"

#include "sim/core/body_edit.h"
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

/// Relative to body `centre`: energy of a unit mass [L^2/T^2], and G times both masses.
struct Pair {
    double energy, pull;
};
Pair pairOf(const ParticleSet& bodies, std::size_t index, std::size_t centre) {
    const Vec3d x = xyz(bodies.position[index]) - xyz(bodies.position[centre]);
    const Vec3d v = xyz(bodies.velocity[index]) - xyz(bodies.velocity[centre]);
    const double pull = bodies.position[index].w + bodies.position[centre].w;
    return {0.5 * dot(v, v) - pull / length(x), pull};
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

std::optional<std::size_t> centreOfOrbit(const ParticleSet& bodies, std::size_t index, const ForceSettings& force) {
    if (force.law != Law::gravity || index >= bodies.size()) return std::nullopt;
    const double mass = bodies.position[index].w;
    double all = 0;
    for (const Double4& x : bodies.position) all += x.w;
    const bool many = bodies.size() > kManyBodies;
    std::optional<std::size_t> closest, strongest;
    double axis = std::numeric_limits<double>::infinity(), binding = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        const double other = bodies.position[j].w;
        if (j == index || !(other > 0) || (many && other < kCentralShare * all)) continue;
        const Pair pair = pairOf(bodies, index, j);
        if (!(pair.energy < 0)) continue;
        const double a = -0.5 * pair.pull / pair.energy;
        if (other >= mass && a < axis) {
            axis = a;
            closest = j;
        }
        if (other / a > binding) {
            binding = other / a;
            strongest = j;
        }
    }
    if (closest) return closest;
    if (strongest) return strongest;
    // It is unbound: it passes by the body with the strongest pull.
    std::optional<std::size_t> passed;
    double most = 0;
    for (std::size_t j = 0; j < bodies.size(); ++j) {
        const double other = bodies.position[j].w;
        if (j == index || (many && other < kCentralShare * all)) continue;
        const Vec3d x = xyz(bodies.position[index]) - xyz(bodies.position[j]);
        if (const double pull = other / dot(x, x); pull > most && other >= mass) {
            most = pull;
            passed = j;
        }
    }
    return passed;
}

std::optional<Orbit> orbitAbout(const ParticleSet& bodies, std::size_t index, std::size_t centre,
                                const ForceSettings& force) {
    if (force.law != Law::gravity || index == centre) return std::nullopt;
    return orbitOf(xyz(bodies.position[index]) - xyz(bodies.position[centre]),
                   xyz(bodies.velocity[index]) - xyz(bodies.velocity[centre]), pairOf(bodies, index, centre).pull);
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
