// The Kepler orbit of one body about another: the motion of two isolated point masses from now on.
#pragma once
#include "sim/api/law.h"
#include "sim/api/vectors.h"
#include "sim/core/particles.h"

#include <cstddef>
#include <optional>
#include <string>

namespace gravlab {

/// Osculating elements. An orbit that is not closed has a negative semi-major axis, and no period and apocentre.
struct Orbit {
    double semiMajorAxis = 0;  ///< [L]
    double eccentricity = 0;
    double inclination = 0;                       ///< to the plane x, y: 0 to pi [rad]
    double pericentre = 0;                        ///< least distance [L]
    double direction = 0;                         ///< of the pericentre, from x towards y: -pi to pi [rad]
    std::optional<double> period{}, apocentre{};  ///< [T], [L]
    bool closed() const { return period.has_value(); }
    bool operator==(const Orbit&) const = default;
};

/// The orbit for a position and velocity relative to the other body. `pull` is the strength of the attraction, G times both
/// masses [L^3/T^2]. Empty where there is no orbit: no distance, no attraction, a straight fall.
std::optional<Orbit> orbitOf(const Vec3d& place, const Vec3d& velocity, double pull);

/// The least distance within `time` on that orbit, from where it is now; forwards, or backwards for a time below 0. Without
/// an attraction the path is straight.
double leastDistance(const Vec3d& place, const Vec3d& velocity, double pull, double time);

/// Fixed steps for which few bodies need an integrator of automatic steps: the reason, in words; empty: there is none. Two
/// bodies turn about their pericentre in too few steps, or a third one has an orbit about a pair that is much longer than
/// that of the pair, which may then become eccentric. Gravity only. See docs/decisions/few-bodies.md.
std::string unresolvedOrbit(const ParticleSet& bodies, const ForceSettings& force, double timeStep);

/// Two of few bodies that would orbit each other, in words, where the softening is much longer than that orbit; empty: there
/// are none. Gravity only.
std::string softenedOrbit(const ParticleSet& bodies, const ForceSettings& force);

/// The body that `index` orbits. Among the bodies that bind it and are not lighter it is the one with the closest orbit. For
/// a body heavier than all others it is the one that binds it most strongly. For very large N only a body with a tenth of
/// the total mass is a centre. For an unbound body it is the one with the strongest pull. Gravity only.
std::optional<std::size_t> centreOfOrbit(const ParticleSet& bodies, std::size_t index, const ForceSettings& force);

/// The orbit of body `index` about body `centre`; empty under another law than gravity, or where orbitOf() has none.
std::optional<Orbit> orbitAbout(const ParticleSet& bodies, std::size_t index, std::size_t centre,
                                const ForceSettings& force);

/// Acceleration of body `index` by all others under the pair law [L/T^2], as in specificEnergy(). O(N), in fp64.
Vec3d accelerationOf(const ParticleSet& bodies, std::size_t index, const ForceSettings& force);

}  // namespace gravlab
