// Conserved quantities against values known to 20 digits, and the one pass over all pairs against plain loops and against
// itself on any number of threads.
#include "sim/measure/diagnostics.h"

#include "sim/core/particles.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law.h"
#include "sim/measure/pair_sum.h"
#include "tests/bodies.h"
#include "tests/measured.h"

#include <gtest/gtest.h>

#include <cmath>

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
    EXPECT_DOUBLE_EQ(d.mass, 10);
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
    const ParticleSet massless = bodiesOf({{1, 2, 3, 0}, {1, 2, 4, 0}}, {{}, {}});
    for (const Law law : {Law::gravity, kLaw<Coulomb>})
        EXPECT_FALSE(std::signbit(measure(massless, {.law = law}).potential)) << "a table would show -0";
}

/// The sums in the form of textbooks: one quantity at a time, plain loops over pairs.
Diagnostics measuredApart(const ParticleSet& bodies, const ForceSettings& force) {
    const auto* row = &laws()[0];
    for (const LawRow& other : laws())
        if (other.law == force.law) row = &other;
    Diagnostics m;
    m.shape.lagrangianRadii = lagrangianRadii(bodies);
    double best = INFINITY;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        for (std::size_t j = 0; j < i; ++j) {
            const Double4& y = bodies.position[j];
            const double squared = (y.x - x.x) * (y.x - x.x) + (y.y - x.y) * (y.y - x.y) + (y.z - x.z) * (y.z - x.z);
            if (squared > 0 || finiteAtZero(force)) m.potential += x.w * y.w * row->potential(force, squared);
            if (!(squared < best) || (x.w == 0 && y.w == 0)) continue;
            best = squared;
            m.shape.closest = std::sqrt(squared);
            m.shape.closestFirst = static_cast<std::uint32_t>(j);
            m.shape.closestSecond = static_cast<std::uint32_t>(i);
        }
        const double mass = inertialMass(x, v);
        m.kinetic += 0.5 * mass * (v.x * v.x + v.y * v.y + v.z * v.z);
        m.momentum += {mass * v.x, mass * v.y, mass * v.z};
        m.angularMomentum +=
            {mass * (x.y * v.z - x.z * v.y), mass * (x.z * v.x - x.x * v.z), mass * (x.x * v.y - x.y * v.x)};
        m.centreOfMass += {mass * x.x, mass * x.y, mass * x.z};
        m.mass += mass;
        m.angularMomentumScale += std::abs(mass) * std::hypot(x.x, x.y, x.z) * std::hypot(v.x, v.y, v.z);
    }
    if (m.mass != 0) m.centreOfMass /= m.mass;
    return m;
}

TEST(DiagnosticsTest, onePassEqualsPlainLoops) {
    for (const std::size_t count : {0, 1, 2, 3, 63, 64, 65, 500, 1501})
        for (const ForceSettings& force : measuredForces(Precision::fp64)) {
            SCOPED_TRACE("N = " + std::to_string(count) + ", law " + std::to_string(static_cast<int>(force.law)));
            const ParticleSet bodies = spacedBodies(count);
            const Diagnostics got = measure(bodies, force, 2);
            Diagnostics want = measuredApart(bodies, force);
            EXPECT_EQ(differences(got, want, {}), "");
            if (count < 2) continue;
            want.potential *= 1 + 1e-9;
            EXPECT_NE(differences(got, want, {}), "") << "a wrong energy must be seen";
        }
}

TEST(DiagnosticsTest, masslessAndCoincidentBodies) {
    const ParticleSet bodies = unevenBodies(700);
    for (const double softening : {0.0, 0.01}) {
        const Diagnostics got = measure(bodies, {.softening = softening}, 1);
        EXPECT_EQ(differences(got, measuredApart(bodies, {.softening = softening}), {}), "");
        EXPECT_EQ(got.shape.closest, 0);
        EXPECT_GT(got.angularMomentumScale, 0);
    }
}

TEST(DiagnosticsTest, whereFewBodiesHaveMassOnlyTheirPairsCount) {
    for (const bool first : {true, false})
        for (const double softening : {0.0, 0.05}) {
            ParticleSet bodies = unevenBodies(901);
            for (std::size_t i = 0; i < bodies.size(); ++i)
                if (first ? i >= 40 : i % 9 != 4) bodies.position[i].w = 0;
            const ForceSettings force{.softening = softening};
            const Diagnostics got = measure(bodies, force, 2);
            EXPECT_EQ(differences(got, measuredApart(bodies, force), {}), "") << first << softening;
            EXPECT_EQ(pairsInSingle(bodies, force, 1).potential, got.potential) << "few pairs are summed in double";
            EXPECT_EQ(measure(bodies, force, 1).potential, got.potential);
            bodies.position[first ? 39 : 4].w *= 2;
            EXPECT_NE(differences(measure(bodies, force, 2), got, {}), "");
        }
}

/// A closed window does not wait for its sums.
TEST(DiagnosticsTest, sumsThatNobodyWantsEnd) {
    const ParticleSet bodies = unevenBodies(4000);
    const double exact = measure(bodies, {}, 1).potential, single = pairsInSingle(bodies, {}, 1).potential;
    int asked = 0;
    const WorkWatch watch({}, {}, [&] { return ++asked > 2; });
    EXPECT_NE(measure(bodies, {}, 1).potential, exact);
    EXPECT_LT(asked, 200) << "of 2,000 pairs of rows";
    asked = 0;
    EXPECT_NE(pairsInSingle(bodies, {}, 1).potential, single);
    EXPECT_LT(asked, 200);
}

TEST(DiagnosticsTest, anyNumberOfThreadsGivesTheSameShape) {
    const ParticleSet bodies = unevenBodies(1300);
    const Diagnostics one = measure(bodies, {.softening = 0.02}, 1);
    for (const int threads : {0, 2, 5}) {
        const Diagnostics other = measure(bodies, {.softening = 0.02}, threads);
        EXPECT_EQ(one.potential, other.potential);
        EXPECT_EQ(one.shape.closest, other.shape.closest);
        EXPECT_EQ(one.shape.lagrangianRadii, other.shape.lagrangianRadii);
    }
}

}  // namespace
}  // namespace gravlab
