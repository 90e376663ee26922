// Exact and famous motions of few bodies, for tests and scenes with their own parameters. Rule: numbers as published or
// refined to at least 15 digits, with their source; bodies in the order of the source.
#pragma once
#include "sim/scenes/scene_builder.h"

#include <span>
#include <string_view>

namespace gravlab::scenes {

/// Two bodies of mass 1/2 on an ellipse of semi-major axis 1, at apocentre on the x axis, moving anticlockwise; period 2 pi,
/// energy -1/8.
ParticleSet keplerPair(double eccentricity);

/// Three masses on an equilateral triangle of side 1 that rotates rigidly with omega^2 = total mass. Lagrange 1772.
ParticleSet lagrangeTriangle(double m1, double m2, double m3);

/// Three unit masses at (-1,0), (1,0), (0,0) with velocities (p,q), (p,q), -2(p,q). Most known periodic orbits start so.
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

/// Equal masses 1/N on the unit circle that rotate rigidly.
ParticleSet rotatingPolygon(std::size_t bodies, double softening);
/// Angular velocity of the polygon [1/T].
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

/// Position and velocity relative to the body at the focus; the mass of the result is 0. `totalMass`: both bodies, G = 1.
Body orbitState(const OrbitalElements& elements, double totalMass);

/// Two point masses, 1 and `companionMass`, on a parabola of pericentre distance 1. Rings of massless particles of radius
/// 0.2 to 0.6 surround the first. Positions are in the frame of the centre of mass. Toomre & Toomre 1972.
struct ParabolicPassage {
    double companionMass = 1;
    bool prograde = true;  ///< the rings rotate in the direction of the companion's passage
    std::size_t particles = 120;
    double softening = 0.05;
};
ParticleSet parabolicPassage(const ParabolicPassage& passage);
/// Time from the start of a passage to its mirror image [T].
double passageDuration(double companionMass);

}  // namespace gravlab::scenes
