// The one pass over all pairs against the two plain ones, and against itself on any number of threads.
#include "sim/measure/measurement.h"

#include "sim/core/particles.h"
#include "tests/bodies.h"
#include "tests/measured.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gravlab {
namespace {

using namespace testing_support;

Measurement measuredApart(const ParticleSet& bodies, const ForceSettings& force) {
    Measurement m;
    m.conserved = measure(bodies, force, 1);
    m.shape.lagrangianRadii = lagrangianRadii(bodies);
    double best = INFINITY;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        for (std::size_t j = 0; j < i; ++j) {
            const Double4& y = bodies.position[j];
            const double squared = (y.x - x.x) * (y.x - x.x) + (y.y - x.y) * (y.y - x.y) + (y.z - x.z) * (y.z - x.z);
            if (!(squared < best) || (x.w == 0 && y.w == 0)) continue;
            best = squared;
            m.shape.closest = std::sqrt(squared);
            m.shape.closestFirst = static_cast<std::uint32_t>(j);
            m.shape.closestSecond = static_cast<std::uint32_t>(i);
        }
        m.spinScale += std::abs(inertialMass(x, v)) * std::hypot(x.x, x.y, x.z) * std::hypot(v.x, v.y, v.z);
    }
    return m;
}

TEST(MeasurementTest, equalsEnergyAndShapeMeasuredApart) {
    for (const std::size_t count : {0, 1, 2, 3, 63, 64, 65, 500, 1501})
        for (const ForceSettings& force : measuredForces(Precision::fp64)) {
            SCOPED_TRACE("N = " + std::to_string(count) + ", law " + std::to_string(static_cast<int>(force.law)));
            const ParticleSet bodies = spacedBodies(count);
            const Measurement got = measureFully(bodies, force, 2);
            Measurement want = measuredApart(bodies, force);
            EXPECT_EQ(differences(got, want, {}), "");
            if (count < 2) continue;
            want.conserved.potential *= 1 + 1e-9;
            EXPECT_NE(differences(got, want, {}), "") << "a wrong energy must be seen";
        }
}

TEST(MeasurementTest, masslessAndCoincidentBodies) {
    const ParticleSet bodies = unevenBodies(700);
    for (const double softening : {0.0, 0.01}) {
        const Measurement got = measureFully(bodies, {.softening = softening}, 1);
        EXPECT_EQ(differences(got, measuredApart(bodies, {.softening = softening}), {}), "");
        EXPECT_EQ(got.shape.closest, 0);
        EXPECT_GT(got.spinScale, 0);
    }
}

TEST(MeasurementTest, anyNumberOfThreadsGivesTheSameBits) {
    const ParticleSet bodies = unevenBodies(1300);
    const Measurement one = measureFully(bodies, {.softening = 0.02}, 1);
    for (const int threads : {0, 2, 5}) {
        const Measurement other = measureFully(bodies, {.softening = 0.02}, threads);
        EXPECT_EQ(one.conserved.potential, other.conserved.potential);
        EXPECT_EQ(one.shape.closest, other.shape.closest);
        EXPECT_EQ(one.shape.lagrangianRadii, other.shape.lagrangianRadii);
    }
}

}  // namespace
}  // namespace gravlab
