// The loop that runs steps in slices: when it stops, when it publishes, and that it never mixes two steps.
#include "sim/engine/step_engine.h"
#include "sim/forces/second_pair_law.h"

#include "tests/bodies.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing_support::RecordingSink;

double fakeTime = 0;
double fakeClock() { return fakeTime; }

class ScriptedMachine;

/// Records its calls; each force slice of 10 bodies takes one second.
class ScriptedMethod final : public ForceMethod<ScriptedMachine*, int> {
public:
    void prepare(ScriptedMachine* const&, const ForceRequest&) override { left_ = 4; }
    ForceProgress enqueue(double) override { return {.complete = --left_ == 0}; }
    bool underWay() const override { return left_ > 0; }
    double progress() const override { return underWay() ? 1 - left_ / 4.0 : 0; }
    void abandon() override { left_ = 0; }
    int sums() const override { return 0; }
    Accuracy accuracy() const override { return {}; }

private:
    int left_ = 0;
};

/// Records its calls.
class ScriptedMachine final : public HostEngine<ScriptedMachine, ScriptedMethod> {
public:
    static constexpr std::string_view kName = "scripted";
    explicit ScriptedMachine(const EngineTerms& terms = {}) : HostEngine(terms) {
        methods_ = newMethods();
        want({}, {});
        known = true;
    }

    std::size_t size() const { return 40; }
    std::unique_ptr<ScriptedMethod> makeMethod(std::size_t) const { return std::make_unique<ScriptedMethod>(); }
    bool takeNext(std::unique_ptr<ScriptedMethod>) { return true; }
    std::string_view kernelName() const { return "scripted"; }
    double smallestR2(const ForceSettings& force) const { return force.softening; }
    MassiveBodies sources() const { return {}; }
    bool completeForceKnown() const { return known; }
    void forgetForce() { known = false; }
    std::vector<Double4> knownAccelerations() const { return {}; }
    void takeAccelerations(const std::vector<Double4>&) {}
    bool checkWanted() const { return false; }

    Pacing pace(const Budget& budget) { return {budget, worked_, fakeClock}; }
    void prepareStep(StepProgram) {}
    void enterStep() {
        script += '[';
        worked_ = 0;
    }
    bool runSlice(std::size_t k, ScriptedMethod& method) {
        if (failsAfter-- == 0) throw std::runtime_error("no more slices");
        script += 'f';
        fakeTime += secondsPerSlice;
        lastFloor = requestOf(k).smallestR2;
        if (!method.underWay()) method.prepare(this, requestOf(k, active_));
        return method.enqueue(0).complete;
    }
    void takeTerm(std::size_t, ScriptedMethod&) {}
    void endForce() {
        script += 'F';
        known = true;
    }
    const std::uint8_t* levels() const { return nullptr; }
    std::optional<BlockClock> levelClock(bool) { return BlockClock(); }
    void add(const PlannedOp& planned) {
        script += planned.op.op == Op::kick ? 'k' : 'd';
        lastTimeStep = planned.timeStep;
    }
    void endStep(VertexSink*) { script += ']'; }
    ScriptedMachine* completeBodies() { return this; }
    void publish(VertexSink& sink) {
        sink.open(1, nullptr);
        sink.close(nullptr);
        script += 'P';
    }
    bool takesWholeSteps(StepProgram) const { return wholeStepsOnly; }
    WholeSteps wholeSteps(const Pacing& pacing, std::int64_t most, VertexSink* sink) {
        beginStep(nextProgram_, nextTimeStep_);
        cursor_.abandon();
        const std::int64_t steps = runWholeSteps(*this, nextProgram_, nextTimeStep_, most, pacing);
        endStep(sink);
        return {.steps = steps, .shows = sink != nullptr, .over = true};
    }
    // For runWholeSteps().
    bool forceKnown() const { return known; }
    void apply(const StepOp& op, double timeStep) { add(planned(op, timeStep)); }
    void wholeStepForce() {
        script += 'w';
        known = true;
    }
    void wholeStepsTaken(double, double) { script += 'b'; }

    std::string script;
    bool known = true, wholeStepsOnly = false;
    double secondsPerSlice = 1, lastTimeStep = 0, lastFloor = 0;
    int failsAfter = -1;  ///< slices
};

class StepEngineTest : public testing::Test {
protected:
    AdvanceStatus advance(double seconds, std::int64_t steps, double timeStep = 0.5) {
        return machine.advance(integrator("leapfrog").program, timeStep, {.seconds = seconds, .steps = steps}, &sink);
    }
    ScriptedMachine machine;
    RecordingSink sink;
};

TEST_F(StepEngineTest, runsTheProgramInOrder) {
    const AdvanceStatus status = advance(1e300, 2);
    EXPECT_EQ(machine.script, "[kdffffFk][kdffffFk]P");
    EXPECT_EQ(status.stepsCompleted, 2);
    EXPECT_TRUE(status.published);
    EXPECT_EQ(status.stepProgress, 0);
}

TEST_F(StepEngineTest, theFloorOfASecondPairLawIsItsOwn) {
    const EngineTerms two{.terms = {std::make_shared<PairLaw>(ForceSettings{}),
                                    std::make_shared<SecondPairLaw>(ForceSettings{.softening = 7}, PairSources::own)}};
    ScriptedMachine pairs(two);
    pairs.advance(integrator("leapfrog").program, 0.5, {.steps = 1}, nullptr);
    EXPECT_EQ(pairs.lastFloor, 7);
}

TEST_F(StepEngineTest, makesTheForceFirstWhenItIsNotKnown) {
    machine.known = false;
    advance(1e300, 1);
    EXPECT_EQ(machine.script, "[ffffFkdffffFk]P");
}

TEST_F(StepEngineTest, stopsWhenTheTimeIsUsedAndGoesOnWhereItStopped) {
    EXPECT_EQ(advance(2, 1).stepsCompleted, 0);
    EXPECT_EQ(machine.script, "[kdff");
    const AdvanceStatus second = advance(2, 1);
    EXPECT_EQ(machine.script, "[kdffffF");
    EXPECT_EQ(second.stepsCompleted, 0);
    EXPECT_GT(second.stepProgress, 0.9);
    EXPECT_LT(second.stepProgress, 1);
}

TEST_F(StepEngineTest, progressGrowsWithTheForces) {
    machine.known = false;
    double last = 0;
    for (int call = 0; call < 7; ++call) {
        const double progress = advance(1, 1).stepProgress;
        EXPECT_GT(progress, last);
        last = progress;
    }
}

TEST_F(StepEngineTest, zeroSecondsDoOnePieceOfWork) {
    for (const char* script : {"[k", "[kd", "[kdf", "[kdff"}) {
        advance(0, 1);
        EXPECT_EQ(machine.script, script);
    }
}

TEST_F(StepEngineTest, zeroStepsDoNothing) {
    const AdvanceStatus status = advance(1e300, 0);
    EXPECT_EQ(machine.script, "");
    EXPECT_EQ(status.stepsCompleted, 0);
}

TEST_F(StepEngineTest, manyFastStepsPublishOnce) {
    machine.secondsPerSlice = 0;
    advance(10, 50);
    EXPECT_EQ(sink.opened, 1);
    EXPECT_EQ(machine.script.substr(machine.script.size() - 2), "]P");
}

TEST_F(StepEngineTest, publishesTheLastStepThatSurelyFits) {
    // A step takes 4 s. With 14 s, the second ends at 8 s and leaves time for fewer than two more: it is shown. The third,
    // too.
    const AdvanceStatus status = advance(14, 100);
    EXPECT_EQ(status.stepsCompleted, 3);
    EXPECT_TRUE(status.published);
    EXPECT_EQ(machine.script, "[kdffffFk][kdffffFk]P[kdffffFk]P[kdff");
}

TEST_F(StepEngineTest, aCutStepGivesTheRestOfTheBudgetToTheNext) {
    // Steps of 4 s in budgets of 3 s: one step per call would waste half of every second call.
    EXPECT_EQ(advance(3, 1).stepsCompleted, 0);
    const AdvanceStatus status = advance(3, 1);
    EXPECT_EQ(status.stepsCompleted, 1);
    EXPECT_TRUE(status.published);
    EXPECT_GT(status.stepProgress, 0);
    EXPECT_EQ(machine.script, "[kdffffFk]P[kdff");
}

TEST_F(StepEngineTest, goingAheadNeverCompletesAStepTooMany) {
    advance(3, 1);
    const AdvanceStatus status = advance(1000, 1);
    EXPECT_EQ(status.stepsCompleted, 1);
    EXPECT_EQ(machine.script, "[kdffffFk]P[kdffffF");
    EXPECT_EQ(advance(0, 1).stepsCompleted, 1);
}

TEST_F(StepEngineTest, aStepKeepsTheTimeStepItBeganWith) {
    advance(2, 1, 0.5);
    advance(2, 1, 0.125);
    EXPECT_EQ(advance(0, 1, 0.125).stepsCompleted, 1);
    EXPECT_EQ(machine.lastTimeStep, 0.5);
    advance(1e300, 1, 0.125);
    EXPECT_EQ(machine.lastTimeStep, 0.125);
}

TEST_F(StepEngineTest, aFinishedStepIsReportedOnce) {
    advance(2, 1);
    machine.finishStep();
    EXPECT_EQ(machine.script, "[kdffffFk]");
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 1);
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 0);
    machine.finishStep();
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 0);
}

TEST_F(StepEngineTest, anAbandonedStepStartsAgain) {
    advance(2, 1);
    machine.abandonStep();
    const AdvanceStatus status = advance(1e300, 1);
    EXPECT_EQ(status.stepsCompleted, 1);
    EXPECT_EQ(machine.script, "[kdff[kdffffFk]P");
}

TEST_F(StepEngineTest, wholeStepsAreTakenInBatchesAndPublishedOnce) {
    machine.known = false;
    machine.wholeStepsOnly = true;
    const AdvanceStatus status = advance(1e300, 3);
    EXPECT_EQ(machine.script, "[wkdwkbkdwkkdwkb]P") << "one step, then the two that are left; one force ahead of the first";
    EXPECT_EQ(status.stepsCompleted, 3);
    EXPECT_TRUE(status.published);
}

TEST_F(StepEngineTest, whatFailsLeavesCompleteStepsToTheNextCall) {
    machine.failsAfter = 6;
    EXPECT_THROW(advance(1e300, 3), std::runtime_error);
    EXPECT_EQ(machine.script, "[kdffffFk][kdff");
    machine.failsAfter = -1;
    EXPECT_EQ(advance(1e300, 0).stepsCompleted, 1);
}

TEST_F(StepEngineTest, wholeStepsStopAtTheFirstWithoutTime) {
    machine.wholeStepsOnly = true;
    const AdvanceStatus status = machine.advance(integrator("leapfrog").program, 0.5, {.seconds = 0, .steps = 3}, nullptr);
    EXPECT_EQ(machine.script, "[kdwkb]");
    EXPECT_EQ(status.stepsCompleted, 1);
}

TEST(StepOps, programsWithUnknownOperationsAreRefused) {
    for (const Integrator& row : integrators()) {
        const bool known = row.name != "hermite4" && row.name != "radau15";
        if (known)
            EXPECT_NO_THROW(requirePointwise(row.program, "cpu")) << row.name;
        else
            EXPECT_THROW(requirePointwise(row.program, "cpu"), UsageError) << row.name;
    }
}

TEST(StepOps, anUnknownOperationIsRefusedBeforeAnythingRuns) {
    for (const char* name : {"reference", "cpu"}) {
        const std::unique_ptr<Backend> tested = backend(name).make({.threads = 2});
        ParticleSet bodies;
        bodies.resize(300);
        tested->load(bodies);
        static constexpr StepOp kUnknown[] = {{Op::drift, 1}, {Op::correct, 1}};
        EXPECT_THROW(tested->advance(kUnknown, 0.1, {.seconds = 1e300, .steps = 1}, nullptr), UsageError) << name;
        const StepProgram known = integrator("leapfrog").program;
        EXPECT_EQ(tested->advance(known, 0.1, {.seconds = 1e300, .steps = 1}, nullptr).stepsCompleted, 1) << name;
    }
}

TEST(StepOps, wComponentsAreNeverTouched) {
    Double4 x{1, 1, 1, 7}, v{1, 1, 1, 8}, a{1, 1, 1, 9}, x0{}, v0{}, dx{}, dv{};
    StepRegisters<Double4*> r{&x, &v, &a, &x0, &v0, &dx, &dv};
    for (const Op op : {Op::save, Op::kick, Op::drift, Op::combine, Op::stage, Op::finish})
        applyOp(op, factorOf({op, 0.5}, 0.1), r, VectorColumnArithmetic{0, 1});
    EXPECT_EQ(x.w, 7);
    EXPECT_EQ(v.w, 8);
    EXPECT_NE(x.x, 1);
}

TEST(StepOps, columnsOfNumbersAndOfVectorsGetTheSameBits) {
    Double4 x{1 / 3.0, 0, 0, 7}, v{1 / 7.0, 0, 0, 8}, a{1 / 11.0, 0, 0, 9}, x0{}, v0{}, dx{}, dv{};
    double cx = x.x, cv = v.x, ca = a.x, cx0 = 0, cv0 = 0, cdx = 0, cdv = 0;
    StepRegisters<Double4*> vectors{&x, &v, &a, &x0, &v0, &dx, &dv};
    StepRegisters<double*> numbers{&cx, &cv, &ca, &cx0, &cv0, &cdx, &cdv};
    for (const char* name : {"rk4", "leapfrog"})
        for (const StepOp& step : integrator(name).program) {
            applyOp(step.op, factorOf(step, 0.1), vectors, VectorColumnArithmetic{0, 1});
            applyOp(step.op, factorOf(step, 0.1), numbers, ColumnArithmetic{0, 1});
            EXPECT_EQ(cx, x.x);
            EXPECT_EQ(cv, v.x);
        }
    EXPECT_NE(cx, 1 / 3.0);
}

}  // namespace
}  // namespace gravlab
