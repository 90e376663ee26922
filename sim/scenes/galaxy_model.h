// A disc galaxy with a bulge and a live halo in balance: an exponential disc of chosen Toomre Q inside round parts.
// Sources: Freeman 1970 (rotation), Toomre 1964 (Q), Hernquist 1990 and 1993 (round parts, moments of the disc).
#pragma once
#include "sim/core/group.h"
#include "sim/scenes/sphere_model.h"
#include "sim/scenes/spiral_wave.h"

#include <cstdint>
#include <vector>

namespace gravlab::scenes {

/// Masses and lengths are in units of the scene; G = 1.
struct GalaxyModel {
    double discMass = 4.5, scaleLength = 3, height = 0.35;  ///< surface density ~ exp(-R / scaleLength), sech^2(z / height)
    double discEnd = 6;                                     ///< in scale lengths
    double toomreQ = 1.2;                                   ///< at two scale lengths, where it is smallest
    double bulgeMass = 1, bulgeScale = 0.6;
    double haloMass = 22, haloScale = 14, haloEnd = 90;
    double softening = 0.3;
    double bulgeShare = 0.1, haloShare = 0.4;  ///< of the bodies; the disc has the others
    int spin = 1;                              ///< 1: anticlockwise seen from +z
    SpiralWave wave{};                         ///< of the disc at the start; needs spin 1
};

/// Tabulates a model once and then samples bodies from it.
class Galaxy {
public:
    Galaxy(const GalaxyModel& model, std::size_t bodies);

    /// Body i of the galaxy, with its mass: the disc first, the heavier halo last. The group tells galaxy and species.
    Body sample(std::size_t i, std::uint8_t galaxy, Random& random) const;

    double mass() const { return model_.discMass + model_.bulgeMass + model_.haloMass; }
    double circularSpeed(double radius) const;   ///< in the plane [L/T]
    double surfaceDensity(double radius) const;  ///< of the disc [M/L^2]
    double toomreQ(double radius) const;         ///< as built

private:
    struct Motion {
        double circular = 0, rotation = 0, radial = 0, azimuthal = 0, vertical = 0, epicyclic = 0;
    };
    const Motion& motion(double radius) const;
    Body sampleDisc(Random& random) const;
    void tabulateDisc();

    GalaxyModel model_;
    std::size_t discBodies_ = 0, bulgeBodies_ = 0, haloBodies_ = 0;
    double centralDensity_ = 0;
    SphereSystem spheres_;  ///< 0: bulge, 1: halo
    std::vector<Motion> motion_;
};

/// Orientation of a galaxy: first tilted about the x axis, then rotated about z [rad].
struct Attitude {
    double inclination = 0, node = 0;
};

/// A body of a galaxy, tilted, moved to its place and set in motion.
Body placed(const Body& body, const Attitude& attitude, const Vec3d& place, const Vec3d& velocity);

/// The second of two point masses relative to the first, on a Kepler orbit of this pericentre and eccentricity (also 1 and
/// above). It starts at `separation` and approaches, in the x-y plane with the pericentre on +x, moving anticlockwise.
struct Approach {
    Vec3d place{}, velocity{};
};
Approach approach(double totalMass, double pericentre, double eccentricity, double separation);
/// The same on a parabola, by Barker's D = tan(half the true anomaly): x = q (1 - D^2), y = 2 q D, dt/dD =
/// sqrt(2 q^3 / M) (1 + D^2). Its pericentre is on +x too.
Approach parabola(double totalMass, double pericentre, double separation);

}  // namespace gravlab::scenes
