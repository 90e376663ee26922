// The famous systems: rows for the scene table, and the builders behind them for whoever wants other parameters.
// Rule: numbers as published or refined to at least 15 digits, with their source; bodies in the order of the source.
#pragma once
#include "sim/scenes/builders.h"
#include "sim/scenes/scenario.h"

#include <span>
#include <string_view>

namespace gravlab::scenes {

// Each file of famous systems shows its rows; scenario.cpp joins them.
std::span<const Scenario> fewBodyScenarios();
std::span<const Scenario> threeBodyOrbitScenarios();
std::span<const Scenario> solarSystemScenarios();
std::span<const Scenario> ngonScenarios();
std::span<const Scenario> coldCollapseScenarios();
std::span<const Scenario> keplerDiscScenarios();
std::span<const Scenario> toomreFlybyScenarios();
std::span<const Scenario> lawScenarios();

/// The bodies of a list, each in a group of its own.
ParticleSet listedBodies(std::span<const Body> list);

/// Two halves of unit mass on an ellipse of semi-major axis 1, at apocentre on the x axis, turning anticlockwise; period
/// 2 pi, energy -1/8.
ParticleSet keplerPair(double eccentricity);

/// Three masses on an equilateral triangle of side 1 that turns rigidly with omega^2 = total mass. Lagrange 1772.
ParticleSet lagrangeTriangle(double m1, double m2, double m3);

/// Three unit masses at (-1,0), (1,0), (0,0) with velocities (p,q), (p,q), -2(p,q): where most of the periodic orbits of
/// three bodies were found.
ParticleSet threeInLine(double p, double q);

/// A periodic orbit that starts as threeInLine(p, q).
struct PeriodicOrbit {
    std::string_view name;
    double p, q;
    double period;  ///< [T]
    double energy;  ///< [M L^2/T^2]
};

/// Suvakov & Dmitrasinovic 2013, refined until they close.
std::span<const PeriodicOrbit> suvakovOrbits();

/// Equal masses 1/N on the unit circle that turn rigidly.
ParticleSet rotatingPolygon(std::size_t bodies, double softening);
/// Their angular velocity [1/T].
double polygonSpeed(std::size_t bodies, double softening);

/// The six classical elements of an ellipse, angles in degrees.
struct OrbitalElements {
    double semiMajorAxis;  ///< [L]
    double eccentricity;   ///< 0 to below 1
    double inclination;
    double meanLongitude;          ///< mean anomaly + longitude of pericentre
    double longitudeOfPericentre;  ///< argument of pericentre + ascending node
    double ascendingNode;
};

/// Position and velocity relative to the body at the focus; w unused. `totalMass` of the two, G = 1.
Body orbitState(const OrbitalElements& elements, double totalMass);

/// Two point masses, 1 and `companionMass`, on a parabola of pericentre distance 1, and rings of massless particles of
/// radius 0.2 to 0.6 about the first, in the frame of the centre of mass. Toomre & Toomre 1972.
struct ParabolicPassage {
    double companionMass = 1;
    bool prograde = true;  ///< the rings turn as the companion passes
    std::size_t particles = 120;
    double softening = 0.05;
};
ParticleSet parabolicPassage(const ParabolicPassage& passage);
/// Time from the start of a passage to its mirror image [T].
double passageDuration(double companionMass);

}  // namespace gravlab::scenes
