// Potentials of other powers of the distance by the tree: for a cell, for an expansion, and for all pairs.
#include "app/services/conservation.h"
#include "sim/backends/cpu/backend_cpu.h"
#include "sim/core/body_edit.h"
#include "sim/core/particles.h"
#include "sim/forces/law.h"
#include "sim/measure/diagnostics.h"
#include "sim/measure/pair_sum.h"
#include "sim/measure/potential_error.h"
#include "sim/run/configuration.h"
#include "sim/scenes/scene.h"
#include "sim/tree/properties.h"
#include "tests/bodies.h"
#include "tests/cell_of_bodies.h"
#include "tests/measured.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

using namespace testing_support;

constexpr double kExponents[] = {-4, -2, -1, 0, 0.5, 1, 1.5, 3, 5, 9};

ForceSettings underPower(double exponent, double softening = 0.02, double strength = 1) {
    return {.law = kLaw<PowerLaw>, .softening = softening, .exponent = exponent, .strength = strength};
}

PowerField<double> powerFieldOf(double exponent, double softening, double lengths = 1) {
    const PowerField<float> as = powerField(exponent, 0, 1);
    const double inside = softening * softening * lengths * lengths;
    return {inside, exponent, 1e-300, 1 / (lengths * lengths), as.whole, exponent == 1 ? 1 : 1 / (exponent - 1), 0};
}

/// A cell of a few bodies beside the origin.
struct PowerCell {
    std::vector<Double4> bodies;
    CellMoments<double> cell;
    PowerCell() {
        for (int k = 0; k < 9; ++k)
            bodies.push_back({0.4 * std::cos(3.0 * k), 0.3 * std::sin(5.0 * k), 0.35 * std::cos(7.0 * k + 1), 1 + 0.2 * k});
        cell = cellOf(bodies);
    }
    /// The value from the law itself.
    double want(const Vec3d& at, const ForceSettings& force) const {
        double sum = 0;
        for (const Double4& b : bodies) {
            const Vec3d d = xyz(b) - at;
            sum -= b.w * lawRow(force.law).potential(force, dot(d, d));
        }
        return sum;
    }
};

TEST(TreePotential, ofACellIsThatOfItsBodiesAndItsSlopeIsThePull) {
    const PowerCell few;
    const CellPull<double> asGravity = cellPull(few.cell, 2.0);
    for (const double exponent : kExponents) {
        SCOPED_TRACE(exponent);
        const ForceSettings force = underPower(exponent, 0.3);
        const PowerField<double> field = powerFieldOf(exponent, 0.3);
        double errors[2];
        for (int k = 0; k < 2; ++k) {
            const double d = k == 0 ? 15 : 30;
            const Vec3d at{0.36 * d, 0.48 * d, 0.8 * d};
            const double got = cellField(asGravity, at.x, at.y, at.z, field), want = few.want(at, force);
            errors[k] = std::abs(got - want) / std::abs(want);
            EXPECT_LT(errors[k], 5e-3);
            EXPECT_NEAR(got,
                        fieldAtCentre(at.x - few.cell.x, at.y - few.cell.y, at.z - few.cell.z, few.cell.source,
                                      few.cell.moments, field),
                        1e-13 * std::abs(got));
            double a[3] = {};
            addCellPull(a, cellPull(few.cell, exponent), at.x, at.y, at.z, field);
            const double h = 1e-3, slope = (cellField(asGravity, at.x, at.y + h, at.z, field) -
                                            cellField(asGravity, at.x, at.y - h, at.z, field)) /
                                           (2 * h);
            EXPECT_NEAR(slope, a[1], 1e-6 * std::abs(a[1]));
        }
        // Springs have no error; for the logarithm the potential itself grows a little.
        if (exponent == -1) {
            EXPECT_LT(errors[0], 1e-13);
        } else {
            EXPECT_NEAR(std::log2(errors[0] / errors[1]), 3, 0.5);
        }
    }
}

TEST(TreePotential, ofAnExpansionIsThatOfItsCellsInAnyUnit) {
    const PowerCell few;
    const CellPull<double> asGravity = cellPull(few.cell, 2.0);
    for (const double exponent : kExponents)
        for (const double unit : {1.0, 8.0}) {
            SCOPED_TRACE(exponent);
            const auto ofCell = [&](const Vec3d& at) {
                return cellField(asGravity, at.x, at.y, at.z, powerFieldOf(exponent, 0.3));
            };
            const PowerField<double> field = powerFieldOf(exponent, 0.3, unit);
            const Vec3d centre{4, -2.5, 3};
            const double x = unit * (centre.x - few.cell.x), y = unit * (centre.y - few.cell.y),
                         z = unit * (centre.z - few.cell.z);
            double q[kMoments];
            for (int k = 0; k < kMoments; ++k) q[k] = unit * unit * few.cell.moments[k];
            FieldExpansion<double> expansion;
            addToExpansion<true>(expansion, x, y, z, few.cell.source, q, field);
            const double first = fieldAtCentre(x, y, z, few.cell.source, q, field);
            for (const Vec3d& off : {Vec3d{0.02, 0.03, -0.01}, Vec3d{-0.2, 0.1, 0.15}}) {
                const double got = first + expandedField(expansion, unit * off.x, unit * off.y, unit * off.z);
                const double want = ofCell(centre + off), at = ofCell(centre);
                EXPECT_NEAR(first, at, 1e-12 * std::abs(at));
                EXPECT_NEAR(got - first, want - at, 5e-3 * std::abs(want - at));
            }
        }
}

ParticleSet clusterIn(double unit, std::size_t count = 4000) {
    ParticleSet bodies = sceneNamed("plummer").build({.bodies = count, .seed = 3});
    for (Double4& at : bodies.position) at = {unit * at.x, unit * at.y, unit * at.z, at.w};
    return bodies;
}

void hasTheEnergyOfAllPairs(const ParticleSet& bodies, const ForceSettings& force) {
    SCOPED_TRACE("a = " + std::to_string(force.exponent) + ", softening " + std::to_string(force.softening));
    const ForceTerms terms = termsOf(force, {});
    const Diagnostics want = measureSystem(bodies, terms, 2), got = measureSystem(bodies, terms, 2, pairsByTree(1e-4));
    EXPECT_NEAR(got.potential, want.potential, 2e-4 * std::abs(want.potential));
    EXPECT_LE(std::abs(got.potential - want.potential), (4 * got.potentialError + 1e-6) * std::abs(want.potential))
        << "it says how exact it is";
    EXPECT_GT(got.potentialError, 0) << "it was not by the tree";
    EXPECT_LT(got.potentialError, 1e-2);
    EXPECT_NEAR(got.shape.closest, want.shape.closest, 1e-5 * want.shape.closest);
    std::printf("a = %4.1f: off by %.1e, said to be within %.1e\n", force.exponent, got.potential / want.potential - 1,
                got.potentialError);
}

TEST(TreePotential, ofAllBodiesGivesTheEnergyOfAllPairs) {
    for (const double exponent : kExponents) hasTheEnergyOfAllPairs(clusterIn(1), underPower(exponent, 0.03, 0.5));
    // Without softening, and in lengths that the tree scales strongly: a logarithm does not scale, it shifts.
    for (const double exponent : {0.0, 1.0, 1.5}) {
        hasTheEnergyOfAllPairs(clusterIn(1), underPower(exponent, 0));
        hasTheEnergyOfAllPairs(clusterIn(0x1p20), underPower(exponent, 0x1p14));
        hasTheEnergyOfAllPairs(clusterIn(0x1p-20), underPower(exponent, 0x1p-26, 1000));
    }
}

TEST(TreePotential, ofALogarithmLeavesOutPairsInOnePlaceAsAllPairsDo) {
    ParticleSet bodies = clusterIn(64, 500);
    for (std::size_t i = 100; i < 160; ++i) bodies.position[i] = bodies.position[99];
    for (const double softening : {0.0, 0.05}) {
        const ForceTerms terms = termsOf(underPower(1, softening), {});
        const Diagnostics want = measureSystem(bodies, terms, 1), got = measureSystem(bodies, terms, 1, pairsByTree(1e-4));
        EXPECT_NEAR(got.potential, want.potential, 1e-5 * std::abs(want.potential)) << softening;
        EXPECT_EQ(got.shape.closest, 0);
    }
}

TEST(TreePotential, ofANucleusAndItsCloudSaysHowExactItIs) {
    const Scene& scene = sceneNamed("charges");
    const ForceSettings force{.law = kLaw<Coulomb>, .softening = scene.softening, .strength = scene.strength};
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        for (const double accuracy : {1e-3, 1e-4}) {
            const ParticleSet bodies = scene.build({.bodies = 2000, .seed = seed});
            const double want = measureSystem(bodies, termsOf(force, {}), 1).potential;
            const PairSum got = pairsByTree(accuracyOfEnergy(accuracy))(bodies, force, 1);
            EXPECT_LE(std::abs(got.potential - want), 4 * got.error * std::abs(want)) << "seed " << seed << ", " << accuracy;
        }
}

TEST(TreePotential, isWhatARunUnderAPowerLawIsMeasuredBy) {
    RunConfiguration configuration;
    configuration.backend = "cpu";
    configuration.force = underPower(1.5);
    configuration.pairs().kernel.kernel = "tree";
    configuration.pairs().accuracy = 1e-3;
    const PairSummation sum = pairSummation(configuration);
    ASSERT_TRUE(sum);
    const PairSum one = sum(clusterIn(1), configuration.force, 1), three = sum(clusterIn(1), configuration.force, 3);
    EXPECT_GT(one.error, 0);
    EXPECT_EQ(one.potential, three.potential) << "the same bits on any number of threads";
    configuration.force = {.law = kLaw<LennardJones>};
    EXPECT_FALSE(pairSummation(configuration)) << "no cells know where a law ends";
}

// The energy of a single body: the sum over all bodies is the energy of the run, under every law.

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

// Energies of many bodies by pairs in single precision: within their declared error, which they report.

TEST(SingleEnergy, isWithinWhatItSaysUnderEveryLawThatAllowsIt) {
    int tried = 0;
    for (const ForceSettings& force : measuredForces(Precision::fp32)) {
        if (!singleEnergy(force)) continue;
        for (const ParticleSet& bodies : {spacedBodies(3001), unevenBodies(2000)}) {
            SCOPED_TRACE("law " + std::to_string(static_cast<int>(force.law)) + ", exponent " +
                         std::to_string(force.exponent) + ", N " + std::to_string(bodies.size()));
            const Diagnostics exact = measure(bodies, force);
            const PairSum single = pairsInSingle(bodies, force, 2);
            EXPECT_LE(std::abs(single.potential - exact.potential), 4 * single.error * std::abs(exact.potential) + 1e-300);
            EXPECT_GT(single.error, 0) << "rounding is said";
            EXPECT_LT(single.error, 1e-5);
            EXPECT_EQ(single.closest, exact.shape.closest);
            ++tried;
        }
    }
    EXPECT_GE(tried, 10);
    EXPECT_FALSE(singleEnergy({.law = kLaw<LennardJones>}));
    EXPECT_THROW(pairsInSingle(spacedBodies(10), {.law = kLaw<LennardJones>}, 1), std::logic_error);
}

TEST(SingleEnergy, isTheSameForAnyNumberOfThreadsAndFarFromTheOrigin) {
    ParticleSet bodies = sceneNamed("plummer").build({.bodies = 5000, .seed = 3});
    const ForceSettings force{.softening = 0.01};
    const PairSum one = pairsInSingle(bodies, force, 1);
    for (const int threads : {2, 7}) EXPECT_EQ(pairsInSingle(bodies, force, threads).potential, one.potential) << threads;
    for (Double4& at : bodies.position) at.x += 1e7;
    EXPECT_NEAR(pairsInSingle(bodies, force, 0).potential, one.potential, 1e-6 * std::abs(one.potential));
}

TEST(SingleEnergy, hasPairsThatRoundingWouldBringTogether) {
    // Two heavy bodies so close to each other, far from the centre, that their positions are equal in single precision.
    ParticleSet bodies = spacedBodies(200);
    bodies.position[3] = {1000, 0, 0, 50};
    bodies.position[150] = {1000 + 1e-6, 0, 0, 50};
    const Diagnostics exact = measure(bodies, {});
    const PairSum single = pairsInSingle(bodies, {}, 1);
    EXPECT_NEAR(single.potential, exact.potential, 1e-6 * std::abs(exact.potential));
    EXPECT_EQ(single.closest, exact.shape.closest);
    EXPECT_EQ(pairsInSingle({}, {}, 1).potential, 0);
    EXPECT_EQ(pairsInSingle(spacedBodies(1), {}, 1).potential, 0) << "a body has no energy with itself";
}

TEST(SingleEnergy, isTakenByAWindowForManyBodiesInSinglePrecision) {
    const auto watched = [](std::size_t bodies, const ForceSettings& force, const char* backend, const char* kernel) {
        RunConfiguration configuration;
        configuration.bodies = bodies;
        configuration.backend = backend;
        configuration.force = force;
        configuration.pairs().kernel.kernel = kernel;
        return static_cast<bool>(watchedPairs(configuration));
    };
    constexpr std::size_t kMany = ConservationMonitor::kMostInDouble + 1;
    EXPECT_TRUE(watched(kMany, {}, "cpu", "simd-threads"));
    EXPECT_FALSE(watched(kMany - 1, {}, "cpu", "simd-threads")) << "few are in double";
    EXPECT_FALSE(watched(kMany, {.precision = Precision::fp64}, "cpu", "simd-threads"));
    EXPECT_FALSE(watched(kMany, {}, "reference", "plain"));
    EXPECT_FALSE(watched(kMany, {.law = kLaw<LennardJones>}, "cpu", "simd-threads"));
    EXPECT_TRUE(watched(100, {.law = kLaw<LennardJones>}, "cpu", "cells")) << "as the forces are";
}

}  // namespace
}  // namespace gravlab
