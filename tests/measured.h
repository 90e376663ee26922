// Measurements compared field by field, and bodies to measure. Rule: a NaN is a difference.
#pragma once
#include "sim/measure/measurement.h"
#include "tests/bodies.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::testing_support {

/// What two measurements of one state may differ by, relative.
struct MeasureTolerance {
    double potential = 1e-11, sums = 1e-11, radii = 1e-10, closest = 1e-12;
    bool samePair = true;  ///< the closest pair is the same, not only as close
};

/// The fields that differ, with both values; empty when none does.
inline std::string differences(const Measurement& got, const Measurement& want, const MeasureTolerance& tolerance) {
    std::string text;
    const auto compare = [&](const char* what, double a, double b, double scale, double allowed) {
        if (a == b || std::abs(a - b) <= allowed * scale) return;
        char line[160];
        std::snprintf(line, sizeof line, "%s: %.17g, not %.17g; ", what, a, b);
        text += line;
    };
    const Diagnostics &a = got.conserved, &b = want.conserved;
    const double mass = std::abs(b.centreOfMass.w), speed = std::sqrt(2 * std::abs(b.kinetic) * mass);
    compare("kinetic", a.kinetic, b.kinetic, std::abs(b.kinetic), tolerance.sums);
    compare("potential", a.potential, b.potential, std::abs(b.potential), tolerance.potential);
    const std::pair<const char*, double Double4::*> axes[] = {{" x", &Double4::x}, {" y", &Double4::y}, {" z", &Double4::z}};
    for (const auto& [name, axis] : axes) {
        compare((std::string("momentum") + name).c_str(), a.momentum.*axis, b.momentum.*axis, speed, tolerance.sums);
        compare((std::string("spin") + name).c_str(), a.angularMomentum.*axis, b.angularMomentum.*axis, want.spinScale,
                tolerance.sums);
        compare((std::string("centre") + name).c_str(), a.centreOfMass.*axis, b.centreOfMass.*axis,
                want.shape.lagrangianRadii[2] + std::abs(b.centreOfMass.*axis), tolerance.sums);
    }
    compare("mass", a.centreOfMass.w, b.centreOfMass.w, mass, tolerance.sums);
    compare("scale of spin", got.spinScale, want.spinScale, want.spinScale, tolerance.sums);
    for (std::size_t k = 0; k < 3; ++k)
        compare("radius", got.shape.lagrangianRadii[k], want.shape.lagrangianRadii[k], want.shape.lagrangianRadii[2],
                tolerance.radii);
    compare("closest", got.shape.closest, want.shape.closest, want.shape.closest, tolerance.closest);
    if (tolerance.samePair) {
        compare("first of the closest", got.shape.closestFirst, want.shape.closestFirst, 0, 0);
        compare("second of the closest", got.shape.closestSecond, want.shape.closestSecond, 0, 0);
    }
    return text;
}

/// Every law, with exponents of both kinds.
inline std::vector<ForceSettings> measuredForces(Precision precision) {
    return {{.law = Law::gravity, .precision = precision, .softening = 0.1},
            {.law = Law::gravity, .precision = precision},
            {.law = Law::coulomb, .precision = precision, .softening = 0.1},
            {.law = Law::powerLaw, .precision = precision, .softening = 0.1, .exponent = 2},
            {.law = Law::powerLaw, .precision = precision, .softening = 0.1, .exponent = 1},
            {.law = Law::powerLaw, .precision = precision, .softening = 0.1, .exponent = 2.5},
            {.law = Law::lennardJones, .precision = precision},
            {.law = Law::coulomb, .precision = precision, .softening = 0.1, .strength = 3.7},
            {.law = Law::powerLaw, .precision = precision, .softening = 0.1, .exponent = 2, .strength = 0.3},
            {.law = Law::powerLaw, .precision = precision, .softening = 0.1, .exponent = 1.5, .strength = 0.3},
            {.law = Law::lennardJones, .precision = precision, .strength = 2.3, .diameter = 0.9, .cutOff = 1.9}};
}

/// A disordered grid, so that the wall of Lennard-Jones is not entered deeply; positions and velocities are floats.
inline ParticleSet spacedBodies(std::size_t count, std::uint64_t seed = 1) {
    const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(count))));
    std::vector<Double4> positions(count), velocities(count);
    for (std::size_t i = 0; i < count; ++i) {
        Random random(seed, i);
        const auto place = [&](std::size_t cell) {
            return std::nearbyint((1.1 * static_cast<double>(cell) + random.uniform(-0.05, 0.05)) * 0x1p16) * 0x1p-16;
        };
        positions[i] = {place(i % side), place(i / side % side), place(i / side / side),
                        0.5 + 0.25 * static_cast<double>(i % 3)};
        velocities[i] = {std::nearbyint(random.uniform(-1, 1) * 0x1p20) * 0x1p-20, 0.25, -0.125, 1};
    }
    return bodiesOf(positions, velocities);
}

}  // namespace gravlab::testing_support
