// Measurements compared field by field, and bodies to measure. Rule: a NaN is a difference.
#pragma once
#include "sim/core/text.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "tests/bodies.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace gravlab::testing_support {

/// The allowed relative difference of two measurements of one state.
struct MeasureTolerance {
    double potential = 1e-11, sums = 1e-11, radii = 1e-10, closest = 1e-12;
    bool samePair = true;  ///< the closest pair is the same, not only as close
};

/// The fields that differ, with both values; empty when none does.
inline std::string differences(const Diagnostics& a, const Diagnostics& b, const MeasureTolerance& tolerance) {
    std::string text;
    const auto compare = [&](const char* what, double got, double want, double scale, double allowed) {
        if (got == want || std::abs(got - want) <= allowed * scale) return;
        const std::string line = formatted("%s: %.17g, not %.17g; ", what, got, want);
        text += line;
    };
    const double mass = std::abs(b.mass), speed = std::sqrt(2 * std::abs(b.kinetic) * mass);
    compare("kinetic", a.kinetic, b.kinetic, std::abs(b.kinetic), tolerance.sums);
    compare("potential", a.potential, b.potential, std::abs(b.potential), tolerance.potential);
    const std::pair<const char*, double Vec3d::*> axes[] = {{" x", &Vec3d::x}, {" y", &Vec3d::y}, {" z", &Vec3d::z}};
    for (const auto& [name, axis] : axes) {
        compare((std::string("momentum") + name).c_str(), a.momentum.*axis, b.momentum.*axis, speed, tolerance.sums);
        compare((std::string("spin") + name).c_str(), a.angularMomentum.*axis, b.angularMomentum.*axis,
                b.angularMomentumScale, tolerance.sums);
        compare((std::string("centre") + name).c_str(), a.centreOfMass.*axis, b.centreOfMass.*axis,
                b.shape.lagrangianRadii[2] + std::abs(b.centreOfMass.*axis), tolerance.sums);
    }
    compare("mass", a.mass, b.mass, mass, tolerance.sums);
    compare("scale of spin", a.angularMomentumScale, b.angularMomentumScale, b.angularMomentumScale, tolerance.sums);
    for (std::size_t k = 0; k < 3; ++k)
        compare("radius", a.shape.lagrangianRadii[k], b.shape.lagrangianRadii[k], b.shape.lagrangianRadii[2],
                tolerance.radii);
    compare("closest", a.shape.closest, b.shape.closest, b.shape.closest, tolerance.closest);
    if (tolerance.samePair) {
        compare("first of the closest", a.shape.closestFirst, b.shape.closestFirst, 0, 0);
        compare("second of the closest", a.shape.closestSecond, b.shape.closestSecond, 0, 0);
    }
    return text;
}

/// Every law, with exponents of both kinds.
inline std::vector<ForceSettings> measuredForces(Precision precision) {
    return {{.law = Law::gravity, .precision = precision, .softening = 0.1},
            {.law = Law::gravity, .precision = precision},
            {.law = kLaw<Coulomb>, .precision = precision, .softening = 0.1},
            {.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = 2},
            {.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = 1},
            {.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = 2.5},
            {.law = kLaw<LennardJones>, .precision = precision},
            {.law = kLaw<Coulomb>, .precision = precision, .softening = 0.1, .strength = 3.7},
            {.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = 2, .strength = 0.3},
            {.law = kLaw<PowerLaw>, .precision = precision, .softening = 0.1, .exponent = 1.5, .strength = 0.3},
            {.law = kLaw<LennardJones>, .precision = precision, .strength = 2.3, .diameter = 0.9, .cutOff = 1.9}};
}

/// A disordered grid, so far apart that the Lennard-Jones repulsion stays moderate; positions and velocities are floats.
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
