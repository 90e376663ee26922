// Observables of a galaxy against the distance from a centre: rotation, surface density, dispersions, Toomre Q.
// Rule: a pure function of the bodies; for very large N it takes an even sample and reports its size. It needs no memory
// beside that sample.
#pragma once
#include "sim/api/law.h"
#include "sim/core/body_pieces.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Zero point of distances.
enum class ProfileCentre : unsigned char {
    mass,      ///< centre of mass of the chosen bodies, moving with it
    heaviest,  ///< the heaviest of them
    core,      ///< the densest place: spheres that shrink around their own centre. Power et al. 2003, 2.5
};

/// Stable keys of the centres, in the order of the enumeration.
std::span<const std::string_view> profileCentres();

struct ProfileRequest {
    ProfileCentre centre = ProfileCentre::mass;
    int galaxy = -1;             ///< only this origin; -1: all bodies
    std::size_t rings = 24;      ///< of equal width
    double reach = 0;            ///< outer edge of the last ring [L]; 0: the radius that contains 95 % of the seen bodies
    std::size_t sample = 65536;  ///< largest sample beside the heaviest bodies; sampled bodies have larger weights
    bool operator==(const ProfileRequest&) const = default;
};

/// One ring around the axis of rotation. An undefined value is NaN: a curve has a gap, never a zero.
struct ProfileRing {
    double radius = 0;          ///< mean over the ring's area [L]
    std::size_t bodies = 0;     ///< seen bodies in the sample
    double surfaceDensity = 0;  ///< seen mass over the ring's area [M/L^2]; for massless bodies, their number
    double rotation = 0;        ///< mean tangential velocity [L/T]
    double circular = 0;        ///< circular velocity from the mean radial force in the plane [L/T]; gravity only
    double circularOfMass = 0;  ///< sqrt(M(<r) / r), all matter within a sphere [L/T]; gravity only
    double dispersionR = 0;     ///< sigma of the radial velocity about the ring's mean [L/T]
    double dispersionZ = 0;     ///< of the velocity along the axis [L/T]
    double toomreQ = 0;         ///< sigma_R kappa / (3.36 G Sigma) of disc bodies. Toomre 1964
};

struct Profile {
    std::vector<ProfileRing> rings;
    Vec3d centre{}, velocity{};           ///< position and velocity of the zero point
    Vec3d axis{0, 0, 1};                  ///< of rotation, towards positive spin
    double order = 0;                     ///< |sum of L| over the sum of |L|: 1 for a cold disc, near 0 for a sphere
    std::size_t bodies = 0, sampled = 0;  ///< chosen bodies, and the sampled ones of them
    bool numberWeighted = false;          ///< the seen bodies have no mass: their density is a number density
    double weight = 1;                    ///< number of bodies that a sampled one stands for
    std::string why;                      ///< why there are no rings; empty when there are some
};

/// Dark bodies (group >> 6 == 2) pull, but are not seen; where all are dark, all are seen. Toomre's Q counts the disc (group
/// >> 6 == 0). Costs O(sample x rings) on the calling thread: below 0.3 s at the default sample.
/// Binney & Tremaine 2008, 2.2-2.6 (rotation curves), eq. 3.79 (kappa), eq. 6.71 (Q).
Profile measureProfile(const BodySource& bodies, const ForceSettings& force, const ProfileRequest& request);

/// Number of galaxies that the bodies' groups distinguish.
int galaxiesIn(const BodySource& bodies);
/// Whether groups of this number have a profile each: many groups are species or single bodies, and no galaxies.
constexpr bool haveProfiles(int galaxies) { return galaxies > 1 && galaxies <= 8; }

}  // namespace gravlab
