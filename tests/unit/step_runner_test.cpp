// The loop that runs steps in slices: when it stops, when it publishes, and that it never mixes two steps.
#include "sim/backends/step_runner.h"

#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <string>

namespace gravlab {
namespace {

using testing_support::RecordingSink;

double fakeTime = 0;
double fakeClock() { return fakeTime; }

/// Writes down what it is told; each force slice of 10 bodies takes one second.
class ScriptedMachine {
public:
    std::size_t size() const { return 40; }
    void beginStep(StepProgram) { script += '['; }
    bool forceKnown() const { return known; }
    std::size_t forceSlice(std::size_t first) {
        script += 'f';
        fakeTime += secondsPerSlice;
        return first + 10;
    }
    void endForce() {
        script += 'F';
        known = true;
    }
    void apply(const StepOp& step, double timeStep) {
        script += step.op == Op::kick ? 'k' : 'd';
        lastTimeStep = timeStep;
    }
    void endStep() { script += ']'; }
    void publish(VertexSink& sink) {
        sink.open(1, nullptr);
        sink.close(nullptr);
        script += 'P';
    }

    std::string script;
    bool known = true;
    double secondsPerSlice = 1, lastTimeStep = 0;
};

class StepRunnerTest : public testing::Test {
protected:
    AdvanceStatus advance(double seconds, std::int64_t steps, double timeStep = 0.5) {
        return runner.advance(machine, integrator("leapfrog").program, timeStep, {.seconds = seconds, .steps = steps}, &sink,
                              fakeClock);
    }
    ScriptedMachine machine;
    StepRunner<ScriptedMachine> runner;
    RecordingSink sink;
};

TEST_F(StepRunnerTest, runsTheProgramInOrder) {
    const AdvanceStatus status = advance(1e300, 2);
    EXPECT_EQ(machine.script, "[kdffffFk][kdffffFk]P");
    EXPECT_EQ(status.stepsCompleted, 2);
    EXPECT_TRUE(status.published);
    EXPECT_EQ(status.stepProgress, 0);
}

TEST_F(StepRunnerTest, makesTheForceFirstWhenItIsNotKnown) {
    machine.known = false;
    advance(1e300, 1);
    EXPECT_EQ(machine.script, "[ffffFkdffffFk]P");
}

TEST_F(StepRunnerTest, stopsWhenTheTimeIsUsedAndGoesOnWhereItStopped) {
    EXPECT_EQ(advance(2, 1).stepsCompleted, 0);
    EXPECT_EQ(machine.script, "[kdff");
    const AdvanceStatus second = advance(2, 1);
    EXPECT_EQ(machine.script, "[kdffffF");
    EXPECT_EQ(second.stepsCompleted, 0);
    EXPECT_GT(second.stepProgress, 0.9);
    EXPECT_LT(second.stepProgress, 1);
}

TEST_F(StepRunnerTest, progressGrowsWithTheForces) {
    machine.known = false;
    double last = 0;
    for (int call = 0; call < 7; ++call) {
        const double progress = advance(1, 1).stepProgress;
        EXPECT_GT(progress, last);
        last = progress;
    }
}

TEST_F(StepRunnerTest, zeroSecondsDoOnePieceOfWork) {
    for (const char* script : {"[k", "[kd", "[kdf", "[kdff"}) {
        advance(0, 1);
        EXPECT_EQ(machine.script, script);
    }
}

TEST_F(StepRunnerTest, zeroStepsDoNothing) {
    const AdvanceStatus status = advance(1e300, 0);
    EXPECT_EQ(machine.script, "");
    EXPECT_EQ(status.stepsCompleted, 0);
}

TEST_F(StepRunnerTest, manyFastStepsPublishOnce) {
    machine.secondsPerSlice = 0;
    advance(10, 50);
    EXPECT_EQ(sink.opened, 1);
    EXPECT_EQ(machine.script.substr(machine.script.size() - 2), "]P");
}

TEST_F(StepRunnerTest, publishesTheLastStepThatSurelyFits) {
    // A step takes 4 s. With 14 s, the second ends at 8 s and leaves less than two more: shown. The third too.
    const AdvanceStatus status = advance(14, 100);
    EXPECT_EQ(status.stepsCompleted, 3);
    EXPECT_TRUE(status.published);
    EXPECT_EQ(machine.script, "[kdffffFk][kdffffFk]P[kdffffFk]P[kdff");
}

TEST_F(StepRunnerTest, aCutStepGivesTheRestOfTheBudgetToTheNext) {
    // Steps of 4 s in budgets of 3 s: one step a call would waste half of every second call.
    EXPECT_EQ(advance(3, 1).stepsCompleted, 0);
    const AdvanceStatus status = advance(3, 1);
    EXPECT_EQ(status.stepsCompleted, 1);
    EXPECT_TRUE(status.published);
    EXPECT_GT(status.stepProgress, 0);
    EXPECT_EQ(machine.script, "[kdffffFk]P[kdff");
}

TEST_F(StepRunnerTest, goingAheadNeverCompletesAStepTooMany) {
    advance(3, 1);
    const AdvanceStatus status = advance(1000, 1);
    EXPECT_EQ(status.stepsCompleted, 1);
    EXPECT_EQ(machine.script, "[kdffffFk]P[kdffffF");
    EXPECT_EQ(advance(0, 1).stepsCompleted, 1);
}

TEST_F(StepRunnerTest, aStepKeepsTheTimeStepItBeganWith) {
    advance(2, 1, 0.5);
    advance(2, 1, 0.125);
    EXPECT_EQ(advance(0, 1, 0.125).stepsCompleted, 1);
    EXPECT_EQ(machine.lastTimeStep, 0.5);
    advance(1e300, 1, 0.125);
    EXPECT_EQ(machine.lastTimeStep, 0.125);
}

TEST_F(StepRunnerTest, aFinishedStepIsReportedOnce) {
    advance(2, 1);
    runner.finishStep(machine);
    EXPECT_EQ(machine.script, "[kdffffFk]");
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 1);
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 0);
    runner.finishStep(machine);
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 0);
}

TEST_F(StepRunnerTest, anAbandonedStepStartsAgain) {
    advance(2, 1);
    runner.abandon();
    const AdvanceStatus status = advance(1e300, 1);
    EXPECT_EQ(status.stepsCompleted, 1);
    EXPECT_EQ(machine.script, "[kdff[kdffffFk]P");
}

TEST(StepOps, unknownOperationsAreRefused) {
    Double4 x{}, v{}, a{};
    EXPECT_THROW(applyOp(StepOp{Op::predict}, 0.1, StepRegisters<Double4>{.x = &x, .v = &v, .a = &a}, 0, 1), UsageError);
}

TEST(StepOps, wComponentsAreNeverTouched) {
    Double4 x{1, 1, 1, 7}, v{1, 1, 1, 8}, a{1, 1, 1, 9}, x0{}, v0{}, dx{}, dv{};
    const StepRegisters<Double4> r{&x, &v, &a, &x0, &v0, &dx, &dv};
    for (const Op op : {Op::save, Op::kick, Op::drift, Op::combine, Op::stage, Op::finish}) applyOp({op, 0.5}, 0.1, r, 0, 1);
    EXPECT_EQ(x.w, 7);
    EXPECT_EQ(v.w, 8);
    EXPECT_NE(x.x, 1);
}

}  // namespace
}  // namespace gravlab
