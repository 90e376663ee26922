// The figure-eight closes after one period; the error is known for every integrator and step.
#include "sim/scenes/scene.h"
#include "tests/physics/orbit.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

using namespace testing_support;

constexpr double kPeriod = 6.32591398292621167758900033396704;

struct KnownReturn {
    const char* integrator;
    int steps;
    double position;  ///< after one period
    double energy;    ///< largest error on the way; 0: not known for one period
};

constexpr KnownReturn kKnownReturns[] = {
    {"leapfrog", 200, 2.730583e-3, 6.0268e-4}, {"leapfrog", 800, 1.757690e-4, 3.6890e-5}, {"yoshida4", 200, 1.363819e-4, 0},
    {"yoshida4", 800, 5.362792e-7, 2.7365e-9}, {"yoshida4", 1600, 3.352975e-8, 0},
};

TEST(FigureEight, missesItsStartByTheKnownAmount) {
    const std::unique_ptr<Backend> backend = gravlab::backend("reference").make({});
    const ParticleSet start = sceneNamed("figure-eight").build({.bodies = 3});
    for (const KnownReturn& known : kKnownReturns) {
        const OrbitError error =
            followOrbit(*backend, start, integrator(known.integrator).program, kPeriod / known.steps, known.steps);
        EXPECT_NEAR(error.position / known.position, 1, 1e-5) << known.integrator << " " << known.steps;
        // The known energy errors are for 100 periods; the largest of one period is nearly as large.
        if (known.energy > 0) {
            EXPECT_LE(error.energy, known.energy * 1.001) << known.integrator;
            EXPECT_GE(error.energy, known.energy * 0.8) << known.integrator;
        }
        EXPECT_LE(error.momentum, 5e-14);
    }
}

TEST(FigureEight, startsOfEightDigitsAreNoticed) {
    const std::unique_ptr<Backend> backend = gravlab::backend("reference").make({});
    ParticleSet start = sceneNamed("figure-eight").build({.bodies = 3});
    start.position[0].x = 0.97000436;
    start.position[1].x = -0.97000436;
    const OrbitError error = followOrbit(*backend, start, integrator("yoshida4").program, kPeriod / 1600, 1600);
    EXPECT_GT(std::abs(error.position / 3.352975e-8 - 1), 1e-3);
}

TEST(FigureEight, bodiesSwapPlacesAfterAThirdOfThePeriod) {
    const std::unique_ptr<Backend> backend = gravlab::backend("reference").make({});
    const ParticleSet start = sceneNamed("figure-eight").build({.bodies = 3});
    backend->configure({}, {});
    backend->load(start);
    backend->advance(integrator("yoshida4").program, kPeriod / 2400, {.steps = 800}, nullptr);
    ParticleSet third = backend->bodies();
    for (const Double4& place : third.position) {
        double nearest = 1;
        for (const Double4& original : start.position) nearest = std::min(nearest, distance(place, original));
        EXPECT_LE(nearest, 1e-8);
    }
    EXPECT_GT(distance(third.position[0], start.position[0]), 0.5) << "every body takes the place of another";
}

TEST(FigureEight, floatBackendsKeepTheEight) {
    for (const BackendRow& row : backends()) {
        if (row.name == "reference" || row.name == "cuda" || !row.unavailable({}).empty()) continue;
        const std::unique_ptr<Backend> backend = row.make({});
        const ParticleSet start = sceneNamed("figure-eight").build({.bodies = 3});
        const OrbitError error = followOrbit(*backend, start, integrator("leapfrog").program, kPeriod / 200, 200);
        EXPECT_NEAR(error.position, 2.73e-3, 0.02 * 2.73e-3) << row.name;
        EXPECT_LE(error.momentum, 1e-5) << row.name;
    }
}

}  // namespace
}  // namespace gravlab
