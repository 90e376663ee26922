// The integrator table: the properties of a program must follow from its operations.
#include "sim/integrators/integrator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gravlab {
namespace {

double sumOf(StepProgram program, Op op) {
    double sum = 0;
    for (const StepOp& step : program)
        if (step.op == op) sum += step.weight;
    return sum;
}

TEST(Integrators, leapfrogIsTheDefaultAndKickDriftKick) {
    const Integrator& row = integrators().front();
    EXPECT_EQ(row.name, "leapfrog");
    const std::vector<Op> expected = {Op::kick, Op::drift, Op::force, Op::kick};
    ASSERT_EQ(row.program.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(row.program[i].op, expected[i]);
}

TEST(Integrators, everyStepCoversExactlyOneTimeStep) {
    for (const Integrator& row : integrators()) {
        SCOPED_TRACE(row.name);
        if (sumOf(row.program, Op::kick) != 0) {
            EXPECT_NEAR(sumOf(row.program, Op::kick), 1, 1e-15);
            EXPECT_NEAR(sumOf(row.program, Op::drift), 1, 1e-15);
        }
        if (sumOf(row.program, Op::combine) != 0) {
            EXPECT_NEAR(sumOf(row.program, Op::combine), 1, 1e-15);
        }
    }
}

TEST(Integrators, reversibleKickDriftProgramsReadTheSameBackwards) {
    for (const Integrator& row : integrators()) {
        std::vector<StepOp> moves;
        bool plain = true;
        for (const StepOp& step : row.program) {
            if (step.op == Op::kick || step.op == Op::drift) moves.push_back(step);
            plain = plain && (step.op == Op::kick || step.op == Op::drift || step.op == Op::force);
        }
        if (!plain) continue;
        bool palindrome = true;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const StepOp& mirror = moves[moves.size() - 1 - i];
            palindrome = palindrome && moves[i].op == mirror.op && moves[i].weight == mirror.weight;
        }
        EXPECT_EQ(palindrome, row.reversible) << row.name;
    }
}

TEST(Integrators, knowsWhichProgramsNeedAForceBeforehand) {
    EXPECT_TRUE(needsInitialForce(integrator("leapfrog").program));
    EXPECT_TRUE(needsInitialForce(integrator("yoshida4").program));
    EXPECT_FALSE(needsInitialForce(integrator("symplectic-euler").program));
    EXPECT_FALSE(needsInitialForce(integrator("verlet").program));
    EXPECT_FALSE(needsInitialForce(integrator("rk4").program));
    EXPECT_FALSE(needsInitialForce({}));
}

TEST(Integrators, countsForces) {
    EXPECT_EQ(forcesPerStep(integrator("leapfrog").program), 1);
    EXPECT_EQ(forcesPerStep(integrator("symplectic-euler").program), 1);
    EXPECT_EQ(forcesPerStep(integrator("verlet").program), 1);
    EXPECT_EQ(forcesPerStep(integrator("yoshida4").program), 3);
    EXPECT_EQ(forcesPerStep(integrator("rk4").program), 4);
    EXPECT_EQ(forcesPerStep({}), 0);
}

}  // namespace
}  // namespace gravlab
