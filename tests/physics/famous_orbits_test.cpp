// Choreographies, central configurations and other periodic orbits of three and more bodies.
#include "tests/physics/famous_helpers.h"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

namespace gravlab::famous {
namespace {

constexpr double kPi = std::numbers::pi;

// Figure-eight, in the frame in which it starts on a line.
constexpr double kEightPeriod = 6.32591398292621167758900033396704;
ParticleSet figureEight() {
    return scenes::threeInLine(0.347116888118926938242776920320302, 0.532724945388030229262027987691925);
}

/// Distance of the end from the start when body i has moved on to where body (i + shift) began.
double cyclicDistance(const ParticleSet& end, const ParticleSet& start, std::size_t shift) {
    long double sum = 0;
    for (std::size_t i = 0; i < start.size(); ++i)
        sum += square(minus(end.position[i], start.position[(i + shift) % start.size()]));
    return static_cast<double>(std::sqrt(sum));
}

TEST(FamousFigureEight, energyAndPeriod) {
    EXPECT_RELATIVE(measured(figureEight()).energy, -1.28714199563185770504095379326848, 1e-15);
    EXPECT_LE(measured(figureEight()).angularMomentum, 1e-15);
    Motion motion(figureEight(), "radau15", kEightPeriod);
    motion.advance(1);
    EXPECT_LE(distance(motion.bodies(), figureEight()), 1e-13);
    motion.advance(99);
    EXPECT_LE(distance(motion.bodies(), figureEight()), 1e-10);
}

TEST(FamousFigureEight, returnsWithTheKnownErrors) {
    struct Known {
        const char* name;
        int steps;
        double once, tenTimes;
        double energy;  ///< largest |dE/E| within ten periods; 0: not compared
    };
    constexpr Known kKnown[] = {
        {"leapfrog", 200, 2.730583e-3, 4.370010e-2, 6.0268e-4},  {"leapfrog", 800, 1.757690e-4, 2.803092e-3, 3.6890e-5},
        {"yoshida4", 200, 1.363819e-4, 1.949989e-3, 6.83e-7},    {"yoshida4", 800, 5.362792e-7, 7.671136e-6, 2.7365e-9},
        {"yoshida4", 1600, 3.352975e-8, 4.796318e-7, 1.713e-10}, {"hermite4", 800, 3.638071e-8, 7.608896e-7, 0}};
    for (const Known& known : kKnown) {
        SCOPED_TRACE(std::string(known.name) + " " + std::to_string(known.steps));
        Motion motion(figureEight(), known.name, kEightPeriod / known.steps);
        motion.advanceWatching(known.steps);
        EXPECT_RELATIVE(distance(motion.bodies(), figureEight()), known.once, 1e-5);
        motion.advanceWatching(9 * known.steps);
        EXPECT_RELATIVE(distance(motion.bodies(), figureEight()), known.tenTimes, 1e-3);
        if (known.energy > 0) {
            EXPECT_RELATIVE(motion.maxEnergyError(), known.energy, 2e-2);
        }
    }
}

TEST(FamousFigureEight, bodiesSwapPlacesAfterAThirdOfThePeriod) {
    Motion motion(figureEight(), "radau15", kEightPeriod / 3);
    motion.advance(1);
    const double shifted =
        std::min(cyclicDistance(motion.bodies(), figureEight(), 1), cyclicDistance(motion.bodies(), figureEight(), 2));
    EXPECT_LE(shifted, 1e-13);
    EXPECT_GE(distance(motion.bodies(), figureEight()), 1.0);
}

TEST(FamousFigureEight, isStableForAHundredPeriods) {
    Motion motion(figureEight(), "yoshida4", kEightPeriod / 800);
    motion.advanceWatching(100 * 800, 80);
    EXPECT_LE(distance(motion.bodies(), figureEight()), 1.2 * 7.54e-5);
    const Conserved end = measured(motion.bodies());
    EXPECT_LE(end.momentum, 5e-13);
    EXPECT_LE(end.angularMomentum, 5e-13);
}

/// Largest difference of two sides of the triangle.
double asymmetry(const ParticleSet& bodies) {
    const double side[] = {norm(minus(bodies.position[0], bodies.position[1])),
                           norm(minus(bodies.position[1], bodies.position[2])),
                           norm(minus(bodies.position[2], bodies.position[0]))};
    return *std::max_element(side, side + 3) - *std::min_element(side, side + 3);
}

TEST(FamousLagrange, equalMassesFallApartAtTheKnownRate) {
    const double period = 2 * kPi / std::numbers::sqrt3;
    Motion motion(scenes::lagrangeTriangle(1, 1, 1), "leapfrog", period / 1000);
    double after[6];
    for (int turn = 1; turn <= 5; ++turn) {
        motion.advance(1000);
        after[turn] = asymmetry(motion.bodies());
    }
    EXPECT_LE(after[1], 1e-12);
    // exp(2 pi / sqrt 2) = 85.02 per revolution: the derivative of the force must be right, too.
    EXPECT_NEAR(after[4] / after[3], 85.02, 10);
    EXPECT_NEAR(after[5] / after[4], 85.02, 10);
}

TEST(FamousLagrange, aDominantMassKeepsTheTriangle) {
    const double period = 2 * kPi / std::sqrt(1.011);
    Motion motion(scenes::lagrangeTriangle(1, 0.01, 0.001), "leapfrog", period / 1000);
    motion.advance(100 * 1000);
    EXPECT_LE(asymmetry(motion.bodies()), 5e-12);
}

TEST(FamousNgon, turnsAtTheKnownSpeed) {
    struct Known {
        std::size_t bodies;
        double softening, speed, tolerance;
    };
    constexpr Known kKnown[] = {{2, 0, 0.3535533905932737622, 1e-15},      {3, 0, 0.43869133765083082027, 1e-15},
                                {5, 0, 0.52466787980038830241, 1e-15},     {8, 0, 0.59212180400331495442, 1e-15},
                                {64, 0, 0.82577029543512580907, 5e-15},    {100, 0, 0.86771454049157721129, 1e-14},
                                {1000, 0, 1.0580162962072253129, 1e-13},   {8, 0.05, 0.5910154670708012567, 1e-15},
                                {64, 0.05, 0.78947067166798280386, 5e-15}, {1000, 0.05, 0.80517393328956353583, 5e-14}};
    for (const Known& known : kKnown)
        EXPECT_RELATIVE(scenes::polygonSpeed(known.bodies, known.softening), known.speed, known.tolerance) << known.bodies;
}

TEST(FamousNgon, forceIsCentripetal) {
    struct Known {
        std::size_t bodies;
        double softening, tolerance;
    };
    constexpr Known kKnown[] = {{2, 0, 1e-15},  {5, 0, 1e-15},    {8, 0, 2e-15},
                                {64, 0, 7e-14}, {1000, 0, 2e-11}, {1000, 0.05, 5e-14}};
    for (const Known& known : kKnown) {
        ForceSettings settings{.softening = known.softening};
        const ParticleSet bodies = scenes::rotatingPolygon(known.bodies, known.softening);
        FewBody system;
        system.load(bodies);
        system.configure(settings);
        std::vector<Double4> a;
        system.accelerations(a);
        const double speed = scenes::polygonSpeed(known.bodies, known.softening), want = speed * speed;
        double worst = 0;
        for (std::size_t i = 0; i < known.bodies; ++i) {
            const Double4& x = bodies.position[i];
            const double error = norm({a[i].x + want * x.x, a[i].y + want * x.y, a[i].z, 0}) / want;
            if (!(error <= worst)) worst = error;
        }
        EXPECT_LE(worst, known.tolerance) << known.bodies << ' ' << known.softening;
    }
}

TEST(FamousNgon, staysACircleForATenthOfATurn) {
    for (std::size_t bodies : {8u, 64u}) {
        const double period = 2 * kPi / scenes::polygonSpeed(bodies, 0.05);
        Motion motion(scenes::rotatingPolygon(bodies, 0.05), "leapfrog", period / 1000, 0.05);
        motion.advance(100);
        for (const Double4& x : motion.bodies().position) EXPECT_NEAR(norm(x), 1, 5e-6);
    }
}

TEST(FamousSuperEight, returnsWithTheKnownErrors) {
    const ParticleSet start = sceneNamed("super-eight").build({4, 1});
    EXPECT_RELATIVE(measured(start).energy, -2.57355101515143189380011428890313, 1e-15);
    struct Known {
        const char* name;
        int steps;
        double error;
    };
    constexpr Known kKnown[] = {
        {"leapfrog", 4000, 2.67e-2}, {"yoshida4", 4000, 2.14e-5}, {"yoshida4", 8000, 1.34e-6}, {"hermite4", 4000, 6.22e-8}};
    for (const Known& known : kKnown) {
        Motion motion(start, known.name, 2 * kPi / known.steps);
        motion.advance(known.steps);
        EXPECT_RELATIVE(distance(motion.bodies(), start), known.error, 1e-2) << known.name << ' ' << known.steps;
    }
    Motion adaptive(start, "radau15", kPi / 2);
    adaptive.advance(1);
    EXPECT_LE(std::min(cyclicDistance(adaptive.bodies(), start, 1), cyclicDistance(adaptive.bodies(), start, 3)), 1e-12);
    adaptive.advance(3);
    EXPECT_LE(distance(adaptive.bodies(), start), 1e-11);
}

TEST(FamousSuvakov, everyOrbitCloses) {
    ASSERT_GE(scenes::suvakovOrbits().size(), 6u);
    for (const scenes::PeriodicOrbit& orbit : scenes::suvakovOrbits()) {
        const ParticleSet start = scenes::threeInLine(orbit.p, orbit.q);
        EXPECT_RELATIVE(measured(start).energy, orbit.energy, 5e-12) << orbit.name;
        EXPECT_LE(measured(start).angularMomentum, 1e-15) << orbit.name;
        Motion motion(start, "radau15", orbit.period / 2);
        motion.advance(1);
        EXPECT_GE(distance(motion.bodies(), start), 0.05) << orbit.name << " closes too early";
        motion.advance(1);
        EXPECT_LE(distance(motion.bodies(), start), 1e-10) << orbit.name;
    }
}

TEST(FamousSuvakov, mothClosesWithFixedSteps) {
    const scenes::PeriodicOrbit& moth = scenes::suvakovOrbits()[2];
    ASSERT_EQ(moth.name, "moth-1");
    const ParticleSet start = scenes::threeInLine(moth.p, moth.q);
    auto error = [&](int steps) {
        Motion motion(start, "yoshida4", moth.period / steps);
        motion.advance(steps);
        return distance(motion.bodies(), start);
    };
    const double coarse = error(40000), fine = error(80000);
    EXPECT_LE(fine, 1e-5);
    EXPECT_NEAR(std::log2(coarse / fine), 4, 0.1);
}

TEST(FamousSuvakov, theTestCatchesAnOrbitOfFiveDigits) {
    // The values as first published: the orbit nearly closes.
    const ParticleSet start = scenes::threeInLine(0.30689, 0.12551);
    Motion motion(start, "radau15", 6.2346748387278087754);
    motion.advance(1);
    EXPECT_GE(distance(motion.bodies(), start), 1e-6);
}

}  // namespace
}  // namespace gravlab::famous
