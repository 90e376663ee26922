// Two bodies on an ellipse: every integrator against its known error, its order and its symmetry.
#include "tests/physics/famous_helpers.h"

#include <gtest/gtest.h>

#include <numbers>
#include <string>

namespace gravlab::famous {
namespace {

constexpr double kPeriod = 2 * std::numbers::pi;
constexpr double kRounding = 2e-14;  ///< of a period of fp64 steps
constexpr StepOp kHermitePec[] = {{Op::predict}, {Op::force}, {Op::correct}};

StepProgram programOf(std::string_view name) {
    return name == "hermite4 PEC" ? StepProgram(kHermitePec) : integrator(name).program;
}

struct Errors {
    double energy;    ///< largest |dE/E| within a period
    double position;  ///< of the relative vector after it
};

Errors afterOnePeriod(StepProgram program, double eccentricity, int steps) {
    const ParticleSet start = scenes::keplerPair(eccentricity);
    Motion run(start, program, kPeriod / steps);
    run.advanceWatching(steps);
    const Double4 before = minus(start.position[0], start.position[1]);
    const Double4 after = minus(run.bodies().position[0], run.bodies().position[1]);
    return {run.maxEnergyError(), norm(minus(after, before))};
}

struct KnownError {
    const char* name;
    double eccentricity;
    double energy200, position200, energy800, position800;  ///< computed in 80-bit arithmetic
    double energyOrder, positionOrder;                      ///< between 400 and 800 steps
};

// Zero: too close to rounding to be compared.
constexpr KnownError kKnownErrors[] = {
    {"leapfrog", 0, 2.43162770e-7, 2.06630857e-3, 9.51172646e-10, 1.29189782e-4, 4.000, 2.000},
    {"yoshida4", 0, 0, 5.66884411e-6, 0, 2.21390136e-8, 0, 4.000},
    {"hermite4", 0, 1.33284819e-9, 1.55274158e-7, 0, 6.24766720e-10, 5.000, 3.986},
    {"leapfrog", 0.3, 5.35075736e-4, 2.59229416e-3, 3.35294381e-5, 1.62229590e-4, 1.999, 2.000},
    {"yoshida4", 0.3, 1.82729848e-6, 2.82863169e-5, 7.14812648e-9, 1.10695405e-7, 4.000, 3.999},
    {"leapfrog", 0.5, 2.61888144e-3, 5.61053868e-3, 1.64442347e-4, 3.51626760e-4, 1.999, 1.999},
    {"yoshida4", 0.5, 2.01715287e-5, 1.92948012e-4, 7.94745986e-8, 7.60228350e-7, 3.998, 3.998},
    {"hermite4", 0.5, 6.54685879e-6, 1.50686812e-5, 2.51592080e-8, 5.66087742e-8, 4.008, 4.018},
    {"hermite4 PEC", 0.5, 1.51119348e-5, 7.89484214e-5, 5.27212752e-8, 2.68588343e-7, 4.059, 4.069},
    {"leapfrog", 0.7, 2.39614318e-2, 2.17571290e-2, 1.52169619e-3, 1.37335803e-3, 1.995, 1.997},
};

TEST(FamousKepler, errorsAndOrdersAreTheKnownOnes) {
    for (const KnownError& known : kKnownErrors) {
        SCOPED_TRACE(std::string(known.name) + " e=" + std::to_string(known.eccentricity));
        const StepProgram program = programOf(known.name);
        const Errors coarse = afterOnePeriod(program, known.eccentricity, 200);
        const Errors middle = afterOnePeriod(program, known.eccentricity, 400);
        const Errors fine = afterOnePeriod(program, known.eccentricity, 800);
        EXPECT_NEAR(coarse.position, known.position200, kRounding + 1e-6 * known.position200);
        EXPECT_NEAR(fine.position, known.position800, kRounding + 1e-6 * known.position800);
        if (known.energy200 > 0) {
            EXPECT_NEAR(coarse.energy, known.energy200, kRounding + 1e-6 * known.energy200);
        }
        if (known.energy800 > 0) {
            EXPECT_NEAR(fine.energy, known.energy800, kRounding + 1e-6 * known.energy800);
        }
        if (known.energyOrder > 0) {
            EXPECT_NEAR(std::log2(middle.energy / fine.energy), known.energyOrder, 0.02);
        }
        EXPECT_NEAR(std::log2(middle.position / fine.position), known.positionOrder, 0.02);
    }
}

TEST(FamousKepler, eccentricOrbitHasTheKnownErrors) {
    const Errors leapfrog = afterOnePeriod(programOf("leapfrog"), 0.9, 800);
    EXPECT_RELATIVE(leapfrog.energy, 1.40727659e-1, 1e-6);
    EXPECT_RELATIVE(leapfrog.position, 3.17769189e-2, 1e-6);
    const Errors yoshida = afterOnePeriod(programOf("yoshida4"), 0.9, 800);
    EXPECT_RELATIVE(yoshida.energy, 6.55458760e-3, 1e-6);
    EXPECT_RELATIVE(yoshida.position, 9.49885934e-3, 1e-6);
}

TEST(FamousKepler, leapfrogPhaseErrorOnTheCircleHasItsClosedForm) {
    const int steps = 3000;
    const double cube = kPeriod * kPeriod * kPeriod;
    EXPECT_RELATIVE(afterOnePeriod(programOf("leapfrog"), 0, steps).position, cube / (3.0 * steps * steps), 1e-4);
}

/// Distance from the true place after 0.7 periods: at whole periods symmetry hides part of the error.
double errorOnTheWay(StepProgram program, int steps) {
    const ParticleSet start = scenes::keplerPair(0.4);
    Motion truth(start, "radau15", 0.7 * kPeriod), motion(start, program, 0.7 * kPeriod / steps);
    truth.advance(1);
    motion.advance(steps);
    return distance(motion.bodies(), truth.bodies());
}

TEST(FamousKepler, everyTableRowHasItsStatedOrder) {
    struct Ladder {
        const char* name;
        int steps;  ///< and twice as many: both far above rounding
        double tolerance;
    };
    constexpr Ladder kLadders[] = {{"euler", 20000, 0.1},   {"symplectic-euler", 4000, 0.05}, {"leapfrog", 800, 0.02},
                                   {"verlet", 800, 0.02},   {"yoshida4", 400, 0.05},          {"rk4", 800, 0.1},
                                   {"yoshida6", 300, 0.15}, {"hermite4", 400, 0.05}};
    for (const Ladder& ladder : kLadders) {
        const Integrator& row = integrator(ladder.name);
        const double coarse = errorOnTheWay(row.program, ladder.steps);
        const double fine = errorOnTheWay(row.program, 2 * ladder.steps);
        EXPECT_NEAR(std::log2(coarse / fine), row.order, ladder.tolerance) << ladder.name << ' ' << coarse << ' ' << fine;
    }
}

TEST(FamousKepler, theComparisonCatchesAWrongProgram) {
    StepOp broken[10];
    std::copy_n(integrator("yoshida4").program.begin(), 10, broken);
    broken[4].weight = -broken[4].weight;
    EXPECT_FALSE(within(afterOnePeriod(broken, 0.5, 200).position, 1.92948012e-4, 0.5));
    const StepProgram leapfrog = integrator("leapfrog").program;
    EXPECT_FALSE(within(afterOnePeriod(leapfrog.first(3), 0.5, 200).position, 5.61053868e-3, 0.5));
}

TEST(FamousKepler, symplecticStepsDoNotDriftInAThousandOrbits) {
    struct Long {
        const char* name;
        double bound;
    };
    constexpr Long kLong[] = {{"leapfrog", 2.6189e-3}, {"yoshida4", 2.0172e-5}};
    for (const Long& wanted : kLong) {
        Motion run(scenes::keplerPair(0.5), wanted.name, kPeriod / 200);
        run.advanceWatching(200 * 1000);
        EXPECT_RELATIVE(run.maxEnergyError(), wanted.bound, 1e-3) << wanted.name;
        EXPECT_LE(std::fabs(run.energyError()), 0.05 * wanted.bound) << wanted.name;
        // The two halves stay mirror images to the last bit, so momentum is not merely small.
        const ParticleSet& end = run.bodies();
        EXPECT_EQ(end.velocity[0].x + end.velocity[1].x, 0);
        EXPECT_EQ(end.velocity[0].y + end.velocity[1].y, 0);
        EXPECT_NEAR(measured(end).angularMomentum, measured(scenes::keplerPair(0.5)).angularMomentum, 1e-13);
    }
}

TEST(FamousKepler, hermiteDriftsAsItIsKnownTo) {
    Motion run(scenes::keplerPair(0.5), "hermite4", kPeriod / 200);
    run.advance(200 * 1000);
    EXPECT_RELATIVE(std::fabs(run.energyError()), 2.8e-4, 0.05);
}

TEST(FamousKepler, reversibleIntegratorsReturnAndTheOthersDoNot) {
    auto returned = [](const Integrator& row) {
        const ParticleSet start = scenes::keplerPair(0.5);
        Motion run(start, row.program, kPeriod / 200);
        run.advance(200);
        run.flipVelocities();
        run.advance(200);
        return distance(run.bodies(), start);
    };
    for (const Integrator& row : integrators()) {
        if (row.reversible) {
            EXPECT_LE(returned(row), 1e-13) << row.name;
        }
        if (!row.reversible && !isAdaptive(row.program) && !inBlocks(row.program)) {
            EXPECT_GE(returned(row), 1e-7) << row.name;
        }
    }
}

TEST(FamousKepler, softenedCircleHasItsPeriod) {
    struct Softened {
        double softening, period;
    };
    constexpr Softened kSoftened[] = {
        {0.05, 6.2949626019062250938}, {0.1, 6.330250536186432621}, {0.5, 7.4278372275964194876}};
    for (const Softened& wanted : kSoftened) {
        ParticleSet start = scenes::keplerPair(0);
        const double omega = kPeriod / wanted.period;
        start.velocity[0].y = 0.5 * omega;
        start.velocity[1].y = -0.5 * omega;
        Motion run(start, "yoshida4", wanted.period / 4000, wanted.softening);
        run.advance(4000);
        EXPECT_LE(distance(run.bodies(), start), 1e-10) << wanted.softening;
    }
}

TEST(FamousKepler, adaptiveStepsCloseAVeryEccentricOrbit) {
    for (double eccentricity : {0.0, 0.5, 0.9, 0.99}) {
        const ParticleSet start = scenes::keplerPair(eccentricity);
        Motion run(start, "radau15", kPeriod);
        run.advance(10);
        EXPECT_LE(distance(run.bodies(), start), eccentricity > 0.95 ? 1e-9 : 1e-11) << eccentricity;
        EXPECT_LE(std::fabs(run.energyError()), 3e-14) << eccentricity;
        EXPECT_LE(run.system().adaptive().steps(), 10 * 420) << eccentricity;
    }
}

}  // namespace
}  // namespace gravlab::famous
