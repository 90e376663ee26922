// The adaptive solver on problems with known solutions in closed form.
#include "sim/integrators/radau15.h"
#include "sim/backends/few_body.h"
#include "sim/integrators/radau15_dense.h"
#include "sim/scenes/scene.h"
#include "tests/unit/radau15_problems.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace gravlab {
namespace {

void fall(void*, const double*, double* a) { a[0] = -2; }
void fail(void*, const double*, double* a) { a[0] = std::numeric_limits<double>::quiet_NaN(); }

/// Runs to `time` and returns the number of steps.
int integrate(Radau15& radau, double& x, double& v, double time, Radau15::Acceleration acceleration) {
    int steps = 0;
    for (double left = time; left != 0; ++steps) left -= radau.step(&x, &v, left, acceleration, nullptr);
    return steps;
}

TEST(Radau15, followsAnOscillatorToRounding) {
    Radau15 radau(1);
    double x = 1, v = 0;
    const int steps = integrate(radau, x, v, 100, oscillate);
    EXPECT_NEAR(x, std::cos(100.0), 1e-13);
    EXPECT_NEAR(v, -std::sin(100.0), 1e-13);
    // The seventh coefficient is about h^7 / 7!, so h is about (5040e-9)^(1/7) = 0.175.
    EXPECT_NEAR(steps, 100 / 0.175, 60);
}

TEST(Radau15, aLooserToleranceTakesLongerStepsAndIsLessExact) {
    Radau15 loose(1, 1), tight(1);
    double x = 1, v = 0, y = 1, w = 0;
    const int few = integrate(loose, x, v, 50, oscillate), many = integrate(tight, y, w, 50, oscillate);
    EXPECT_LT(few, many / 4);
    EXPECT_GT(std::fabs(x - std::cos(50.0)), 10 * std::fabs(y - std::cos(50.0)));
    EXPECT_NEAR(x, std::cos(50.0), 1e-4);
}

TEST(Radau15, landsOnOutputTimesWithoutLosingAccuracy) {
    Radau15 radau(1);
    double x = 0, v = 1;
    for (int k = 1; k <= 997; ++k) {
        integrate(radau, x, v, 0.1, oscillate);
        ASSERT_NEAR(x, std::sin(0.1 * k), 1e-13) << k;
    }
    // Stopping at output times must not make the step collapse: one or two steps fit each interval.
    EXPECT_LE(radau.steps(), 2 * 997 + 30);
}

TEST(Radau15, runsBackwards) {
    Radau15 radau(1);
    double x = 1, v = 0;
    integrate(radau, x, v, 30, oscillate);
    integrate(radau, x, v, -30, oscillate);
    EXPECT_NEAR(x, 1, 1e-13);
    EXPECT_NEAR(v, 0, 1e-13);
}

TEST(Radau15, constantForcesAreExact) {
    Radau15 radau(1);
    double x = 5, v = 3;
    integrate(radau, x, v, 8, fall);
    EXPECT_NEAR(x, 5 + 3 * 8 - 64, 1e-14);
    EXPECT_NEAR(v, 3 - 16, 1e-14);
    Radau15 free(1);
    double y = 5, w = 0.25;
    integrate(free, y, w, 1024, drift);
    EXPECT_EQ(y, 5 + 256);
    EXPECT_EQ(w, 0.25);
}

TEST(Radau15, restartForgetsEverything) {
    Radau15 used(1), fresh(1);
    double x = 1, v = 0, y = 0.3, w = 0.2;
    integrate(used, x, v, 10, oscillate);
    used.restart();
    x = y;
    v = w;
    integrate(used, x, v, 10, oscillate);
    integrate(fresh, y, w, 10, oscillate);
    EXPECT_EQ(x, y);
    EXPECT_EQ(v, w);
}

TEST(Radau15, aForceThatIsNotANumberEndsAndShows) {
    Radau15 radau(1);
    double x = 1, v = 0;
    radau.step(&x, &v, 1, fail, nullptr);
    EXPECT_TRUE(std::isnan(x));
}

// Values between steps: the same numbers as from a solver that stops at every output time, and no effect on later steps.

void next(Radau15Dense& dense, double& x, double& v, double interval, Radau15::Acceleration acceleration) {
    dense.begin(&x, &v, interval);
    while (!dense.reached()) dense.step(acceleration, nullptr);
    dense.read(&x, &v);
}

TEST(Radau15Dense, isExactAtEveryOutputTime) {
    Radau15Dense dense(1);
    double x = 0, v = 1, worst = 0;
    constexpr double kInterval = 1.0 / 512;
    for (int k = 1; k <= 50000; ++k) {
        next(dense, x, v, kInterval, oscillate);
        worst = std::max({worst, std::fabs(x - std::sin(kInterval * k)), std::fabs(v - std::cos(kInterval * k))});
    }
    EXPECT_LE(worst, 1e-13);
    // About 0.175 a step whatever the output interval is.
    EXPECT_LE(dense.radau().steps(), 900);
}

TEST(Radau15Dense, theComparisonNoticesAPolynomialReadAtTheWrongPlace) {
    Radau15 radau(1);
    double fromX = 0, fromV = 1, x = fromX, v = fromV;
    const double h = radau.step(&x, &v, 1, oscillate, nullptr, 0.2);
    double readX = 0, readV = 0;
    radau.interpolate(&fromX, &fromV, 0.5, &readX, &readV);
    EXPECT_NEAR(readX, std::sin(h / 2), 1e-15);
    EXPECT_NEAR(readV, std::cos(h / 2), 1e-15);
    radau.interpolate(&fromX, &fromV, 0.5 + 1e-9, &readX, &readV);
    EXPECT_GT(std::fabs(readX - std::sin(h / 2)), 1e-11);
    radau.interpolate(&fromX, &fromV, 1, &readX, &readV);
    EXPECT_NEAR(readX, x, 4e-16);
    EXPECT_NEAR(readV, v, 4e-16);
}

TEST(Radau15Dense, readingMoreOftenChangesNothing) {
    // The first step is found from the output interval, so both begin with the same one.
    Radau15Dense rare(1), often(1);
    double x = 1, v = 0, y = 1, w = 0;
    next(rare, x, v, 0.0625, oscillate);
    next(often, y, w, 0.0625, oscillate);
    for (int k = 0; k < 200; ++k) {
        next(rare, x, v, 0.0625, oscillate);
        for (int part = 0; part < 4; ++part) next(often, y, w, 0.015625, oscillate);
        ASSERT_NEAR(x, y, 1e-15) << k;
        ASSERT_NEAR(v, w, 1e-15) << k;
    }
    const auto solver = [](const Radau15Dense& dense) {
        std::vector<double> values;
        for (const StateArray& array : dense.state())
            if (array.name != "radau15.ahead") values.insert(values.end(), array.values.begin(), array.values.end());
        return values;
    };
    EXPECT_EQ(solver(rare), solver(often)) << "the solver itself goes the same way to the last bit";
    EXPECT_FALSE(solver(rare).empty());
}

TEST(Radau15Dense, turnsRound) {
    Radau15Dense dense(1);
    double x = 1, v = 0;
    for (int k = 0; k < 300; ++k) next(dense, x, v, 0.1, oscillate);
    for (int k = 0; k < 300; ++k) next(dense, x, v, -0.1, oscillate);
    EXPECT_NEAR(x, 1, 1e-13);
    EXPECT_NEAR(v, 0, 1e-13);
}

TEST(Radau15Dense, withoutForcesTheStepStaysFinite) {
    Radau15Dense dense(1);
    double x = 5, v = 0.25;
    for (int k = 0; k < 100000; ++k) next(dense, x, v, 1, drift);
    EXPECT_EQ(x, 5 + 25000.0);
    EXPECT_LE(dense.radau().proposedStep(), 4 * Radau15Dense::kMostIntervals);
}

TEST(Radau15Dense, goesOnFromWhatItKept) {
    Radau15Dense whole(1), first(1), second(1);
    double x = 1, v = 0.5, y = x, w = v;
    for (int k = 0; k < 37; ++k) {
        next(whole, x, v, 0.03, oscillate);
        next(first, y, w, 0.03, oscillate);
    }
    ASSERT_TRUE(second.restore(first.state()));
    EXPECT_EQ(second.state(), first.state());
    for (int k = 0; k < 100; ++k) {
        next(whole, x, v, 0.03, oscillate);
        next(second, y, w, 0.03, oscillate);
    }
    EXPECT_EQ(x, y);
    EXPECT_EQ(v, w);
    std::vector<StateArray> beyond = first.state();
    for (StateArray& array : beyond)
        if (array.name == "radau15.ahead") array.values[1] = 100;
    EXPECT_FALSE(second.restore(beyond)) << "an output time outside of the last step";
    EXPECT_TRUE(second.state().empty());
}

TEST(Radau15Dense, thePythagoreanSceneCostsFewForcesAtItsOwnStep) {
    const Scene& scene = sceneNamed("pythagorean");
    FewBody engine, landing;
    for (FewBody* each : {&engine, &landing}) {
        each->load(scene.build({.bodies = 3, .seed = 1}));
        each->configure({.precision = Precision::fp64, .softening = 0});
    }
    const StepProgram radau = integrator("radau15").program;
    const auto steps = static_cast<std::int64_t>(std::llround(70 / scene.timeStep));
    ASSERT_EQ(engine.advance(radau, scene.timeStep, {.seconds = 1e300, .steps = steps}), steps);
    // A solver that stops at every output time needs two solutions of about 20 forces for each.
    EXPECT_LE(engine.forceEvaluations(), 1500000);
    EXPECT_LE(engine.adaptive().steps(), 50000);
    // At a time where rounding has not grown yet, the values equal those of steps that stop there.
    FewBody near;
    near.load(scene.build({.bodies = 3, .seed = 1}));
    near.configure({.precision = Precision::fp64, .softening = 0});
    const auto early = static_cast<std::int64_t>(std::llround(5 / scene.timeStep));
    near.advance(radau, scene.timeStep, {.seconds = 1e300, .steps = early});
    landing.advance(radau, 5, {.seconds = 1e300, .steps = 1});
    ParticleSet a, b;
    near.store(a);
    landing.store(b);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(a.position[i].x, b.position[i].x, 1e-11);
        EXPECT_NEAR(a.position[i].y, b.position[i].y, 1e-11);
    }
}

}  // namespace
}  // namespace gravlab
