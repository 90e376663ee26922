// Conserved quantities against values known to 20 digits.
#include "sim/measure/diagnostics.h"

#include "tests/bodies.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

using namespace testing_support;

TEST(DiagnosticsTest, goldenEnergies) {
    const Diagnostics plain = measure(goldenBodies(), {}, 1);
    EXPECT_NEAR(plain.kinetic, 0.71875, 1e-16);
    EXPECT_NEAR(plain.potential, -13.374638211819159167, 4e-15);
    EXPECT_NEAR(plain.energy(), -12.655888211819159167, 4e-15);
    const Diagnostics soft = measure(goldenBodies(), {.softening = 0.5}, 1);
    EXPECT_NEAR(soft.potential, -12.973308438478830109, 4e-15);
}

TEST(DiagnosticsTest, momentaAndCentre) {
    const Diagnostics d = measure(goldenBodies(), {}, 1);
    EXPECT_DOUBLE_EQ(d.momentum.x, 0.5 - 1);
    EXPECT_DOUBLE_EQ(d.momentum.y, 0.5 + 0.5);
    EXPECT_DOUBLE_EQ(d.momentum.z, -1.5);
    EXPECT_DOUBLE_EQ(d.angularMomentum.x, 3 * 2 * -0.5 - 4 * 3 * 0.125);
    EXPECT_DOUBLE_EQ(d.angularMomentum.y, 4 * 3 * -0.25);
    EXPECT_DOUBLE_EQ(d.angularMomentum.z, 2 * 1 * 0.25);
    EXPECT_DOUBLE_EQ(d.centreOfMass.w, 10);
    EXPECT_DOUBLE_EQ(d.centreOfMass.z, 1.2);
}

TEST(DiagnosticsTest, anyNumberOfThreadsGivesTheSameBits) {
    const ParticleSet bodies = unevenBodies(1501);
    const Diagnostics one = measure(bodies, {.softening = 0.01}, 1);
    for (const int threads : {0, 2, 3, 7}) {
        const Diagnostics other = measure(bodies, {.softening = 0.01}, threads);
        EXPECT_EQ(one.potential, other.potential) << threads;
        EXPECT_EQ(one.kinetic, other.kinetic) << threads;
    }
}

TEST(DiagnosticsTest, edgeCases) {
    EXPECT_EQ(measure({}, {}).energy(), 0);
    const ParticleSet lone = bodiesOf({{1, 2, 3, 1}}, {{1, -2, 3, 1}});
    EXPECT_EQ(measure(lone, {}).kinetic, 7);
    EXPECT_EQ(measure(lone, {}).potential, 0) << "a body has no energy with itself";
    const ParticleSet touching = bodiesOf({{1, 2, 3, 1}, {1, 2, 3, 1}}, {{}, {}});
    EXPECT_EQ(measure(touching, {}).potential, 0);
    EXPECT_EQ(measure(touching, {.softening = 0.5}).potential, -2);
}

}  // namespace
}  // namespace gravlab
