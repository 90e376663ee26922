// An exponential disc around a round centre, balanced by rotation. The scenes `disc` and `collision` use it.
#pragma once
#include "sim/scenes/scene_builder.h"
#include "sim/scenes/spiral_wave.h"

#include <vector>

namespace gravlab::scenes {

/// G = 1, lengths in [L]. The disc lies in the x-y plane and rotates anticlockwise seen from +z.
struct DiscModel {
    double discMass = 0.5;
    double scaleLength = 1;  ///< surface density ~ exp(-R / scaleLength)
    double innerRadius = 0;  ///< no bodies of the disc inside
    double outerRadius = 5;  ///< no bodies of the disc outside
    double height = 0.1;     ///< density ~ sech^2(z / height)
    double toomreQ = 1.2;    ///< random motion, in units of the least that keeps rings from collapsing
    double centralMass = 0.5;
    double centralRadius = 0;  ///< Plummer radius of the centre; 0: one heavy body
    double centralShare = 0;   ///< fraction of the bodies in the centre, when it is not one body
    double softening = 0.05;   ///< the scene's, so that rotation balances the softened force
    SpiralWave wave{};         ///< spiral arms at the start
};

/// Tabulates a model once and then samples bodies from it.
class DiscGalaxy {
public:
    DiscGalaxy(const DiscModel& model, std::size_t bodies);

    /// Body i of the galaxy; group 0. The centre's bodies come last, because sums in fp32 are then more exact.
    Body sample(std::size_t i, Random& random) const;

    /// Speed of a circular orbit in the plane [L/T].
    double circularSpeed(double radius) const;
    /// Disc mass per area [M/L^2].
    double surfaceDensity(double radius) const;

private:
    /// Mean speed and dispersions at one radius of the plane.
    struct Motion {
        double rotation = 0, radial = 0, azimuthal = 0, vertical = 0;  ///< mean, then dispersions
        double angular = 0, epicyclic = 0;                             ///< frequencies [1/T]
    };
    struct CentreMotion {
        double dispersion = 0, escape = 0;
    };
    Body sampleDisc(Random& random) const;
    Body sampleCentre(Random& random) const;
    void tabulateDisc();
    void tabulateCentre();

    DiscModel model_;
    std::size_t discBodies_ = 0, centreBodies_ = 0;
    double centralDensity_ = 0;  ///< surface density at R = 0
    std::vector<Motion> motion_;
    std::vector<CentreMotion> centreMotion_;
};

}  // namespace gravlab::scenes
