// Energies of many bodies by pairs in single precision: within their declared error, which they report.
#include "app/services/conservation.h"
#include "sim/measure/pair_sum.h"
#include "sim/scenes/scene.h"
#include "tests/measured.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

using namespace testing_support;

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
