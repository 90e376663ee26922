// The adaptive solver on problems with known solutions in closed form.
#include "sim/integrators/radau15.h"
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

}  // namespace
}  // namespace gravlab
