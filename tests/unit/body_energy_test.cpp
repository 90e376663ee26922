// The energy of a single body: the sum over all bodies is the energy of the run, under every law.
#include "sim/core/body_edit.h"
#include "sim/core/particles.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/measure/pair_sum.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

/// Charges of both signs, or masses; of several inertias.
ParticleSet bodiesFor(Law law) {
    ParticleSet bodies;
    bodies.resize(40);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const double a = 0.7 * static_cast<double>(i), sign = law == kLaw<Coulomb> && i % 3 == 0 ? -1 : 1;
        bodies.position[i] = {std::cos(a) * (1 + a), std::sin(a) * (1 + a), 0.3 * a, sign * (1 + 0.1 * a)};
        bodies.velocity[i] = {0.1 * a, -0.2, 0.05 * a, law == Law::gravity ? 1 : sign / (2 + 0.03 * a)};
        bodies.id[i] = static_cast<std::uint32_t>(i);
    }
    return bodies;
}

TEST(BodyEnergy, AddsUpToTheEnergyOfAll) {
    for (const LawRow& row : laws()) {
        const ForceSettings force{.law = row.law, .softening = 0.1, .exponent = 1.5, .strength = 2, .diameter = 3};
        const ParticleSet bodies = bodiesFor(row.law);
        double sum = 0;
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            const Double4& v = bodies.velocity[i];
            // Each body of a pair has half of its potential.
            const double kinetic = 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
            const double pairs = specificEnergy(bodies, i, termsOf(force), 0) - kinetic;
            EXPECT_NE(pairs, 0) << row.name;
            sum += inertialMass(bodies.position[i], v) * (kinetic + 0.5 * pairs);
        }
        const double whole = measure(bodies, force, 1).energy();
        EXPECT_NEAR(sum, whole, 1e-12 * std::abs(whole)) << row.name;
    }
}

TEST(BodyEnergy, OfAHeldBodyTakesTheResponseThatItHadBefore) {
    const ForceSettings force{.law = kLaw<Coulomb>, .softening = 0.1};
    ParticleSet bodies = bodiesFor(force.law);
    const double free = specificEnergy(bodies, 3, termsOf(force), 99);
    const double response = bodies.velocity[3].w;
    const BodyEdit coasting = holdBody(bodies, 3, true);
    applyEdits(bodies, {&coasting, 1});
    EXPECT_EQ(specificEnergy(bodies, 3, termsOf(force), response), free);
}

TEST(BodyEnergy, BindsWhereThePotentialEnds) {
    EXPECT_TRUE(isBound(-1, {}));
    EXPECT_FALSE(isBound(1, {}));
    EXPECT_FALSE(isBound(1, {.law = kLaw<PowerLaw>, .exponent = 2}));
    EXPECT_TRUE(isBound(1, {.law = kLaw<PowerLaw>, .exponent = -1})) << "nothing leaves springs";
    EXPECT_TRUE(isBound(1, {.law = kLaw<PowerLaw>, .exponent = 1})) << "a logarithm has no end";
}

}  // namespace
}  // namespace gravlab
