// That the door for what acts on bodies is open: a force term and a force method that no file of the program knows, from a
// scene to a check, a checkpoint and slices. Include it once in a test binary and say on which backends:
//   INSTANTIATE_TEST_SUITE_P(Host, ExtensionSuite, testing::Values("reference", "cpu"));
#pragma once
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/forces/force_term.h"
#include "sim/forces/term_check.h"
#include "sim/io/checkpoint.h"
#include "sim/run/fingerprint.h"
#include "sim/run/simulation.h"
#include "sim/run/trajectory.h"
#include "tests/bodies.h"
#include "tests/extensions/chain_scene.h"
#include "tests/extensions/springs.h"
#include "tests/on_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gravlab {

using extension::Spring;
using extension::Springs;
using testing::HasSubstr;
using namespace testing_support;

class ExtensionSuite : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override { skipWithout(GetParam()); }
    bool device() const { return std::string(GetParam()) == "cuda"; }
    std::vector<Precision> precisions() const {
        if (std::string(GetParam()) == "reference") return {Precision::fp64};
        return {Precision::fp32, Precision::mixed, Precision::fp64};
    }
    RunRequest settings(Precision precision, const std::optional<std::string>& kernel = {}) const {
        RunRequest wanted{.scene = "test-chain"};
        wanted.bodies = device() ? 3000 : 300;  // several slices of the springs
        wanted.backend = GetParam();
        wanted.precision = precision;
        wanted.pairs().kernel.kernel = kernel;
        return wanted;
    }
    static void run(Simulation& simulation, std::int64_t steps, double seconds = 1e300) {
        const std::int64_t end = simulation.step() + steps;
        while (simulation.step() < end) simulation.advance({.seconds = seconds, .steps = end - simulation.step()}, nullptr);
    }
    static ParticleSet stateOf(Simulation& simulation) { return simulation.bodies(); }
    static void expectSame(const ParticleSet& got, const ParticleSet& want, const std::string& what) {
        EXPECT_TRUE(sameBytes(got.position, want.position)) << what << ": positions differ";
        EXPECT_TRUE(sameBytes(got.velocity, want.velocity)) << what << ": velocities differ";
    }
    /// Writes a file and reads it back.
    static RunRequest reopened(Simulation& simulation) {
        const std::string file = encodeSnapshot(checkpointOf(simulation), "hdf5");
        return startFrom(decodeSnapshot(file, "kept.hdf5"), "kept.hdf5").request;
    }
    static ForceCheck checked(Backend& made, std::vector<std::uint32_t> targets) {
        made.requestForceCheck(std::move(targets));
        std::optional<ForceCheck> check;
        for (int step = 0; step < 50 && !check; ++step) {
            made.advance(integrator("leapfrog").program, 1e-4, {}, nullptr);
            made.wait();
            check = made.takeForceCheck();
        }
        EXPECT_TRUE(check.has_value()) << "no check came";
        return check.value_or(ForceCheck{});
    }
};

TEST_P(ExtensionSuite, aTermActsBesideThePairLaw) {
    for (const Precision precision : precisions()) {
        Simulation simulation(settings(precision));
        ASSERT_EQ(simulation.terms().size(), 2u);
        EXPECT_EQ(simulation.terms()[1]->kind(), Springs::kKind);
        const ParticleSet bodies = stateOf(simulation);
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < bodies.size(); ++i) all.push_back(i);
        std::vector<Double4> got, want(all.size()), pairs(all.size());
        std::vector<double> floors(all.size());
        for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), all, want, floors);
        simulation.terms()[0]->addAccelerations(termBodies(bodies), all, pairs, {});
        simulation.backend().accelerations(got);
        const ForceCheck check = compareForces(got, want, gateOf(simulation.force()), floors);
        EXPECT_TRUE(check.passed) << check.text();
        EXPECT_FALSE(compareForces(pairs, want, kGate32, floors).passed) << "the springs are too weak to be seen";
        // A second evaluation during a step gives the same forces.
        simulation.advance({.seconds = 0, .steps = 1}, nullptr);
        run(simulation, 1);
        std::vector<Double4> first, again;
        simulation.backend().accelerations(first);
        simulation.backend().accelerations(again);
        EXPECT_TRUE(sameBytes(first, again));
    }
}

TEST_P(ExtensionSuite, slicesOfSeveralTermsChangeNoBit) {
    for (const Precision precision : precisions())
        for (const char* integrator : {"leapfrog", "yoshida4"}) {
            RunRequest wanted = settings(precision);
            wanted.integrator = integrator;
            Simulation whole(wanted), cut(wanted);
            run(whole, 5);
            run(cut, 5, 0);
            expectSame(stateOf(cut), stateOf(whole), integrator);
            EXPECT_GT(whole.totals().termInteractions, 0);
            const double springs = static_cast<double>(*wanted.bodies - 1),
                         forces = static_cast<double>(whole.totals().forceEvaluations);
            if (!device()) {
                EXPECT_EQ(whole.totals().termInteractions, 2 * springs * forces) << "a spring pulls two bodies";
            }
        }
}

TEST_P(ExtensionSuite, checksLookAtEachTerm) {
    for (const Precision precision : precisions()) {
        const SceneRequest request{.bodies = device() ? 3000u : 300u};
        const ParticleSet bodies = chainBodies(request);
        System system{bodies, termsWith(termsOf({.precision = precision, .softening = 0.1}, chainSprings(request, bodies)))};
        const std::unique_ptr<Backend> made = backend(GetParam()).make({});
        made->load(system);
        const ForceCheck right = checked(*made, sampleTargets(bodies.position));
        EXPECT_TRUE(right.passed) << right.text();
        if (std::string(GetParam()) == "reference") continue;  // it computes the plain sum itself
        system.terms[1].how.kernel = "wrong";
        made->load(system);
        const ForceCheck wrong = checked(*made, sampleTargets(bodies.position));
        EXPECT_FALSE(wrong.passed) << "a spring that is a thousandth too strong was not noticed";
        EXPECT_THAT(wrong.text(), HasSubstr("springs"));
    }
}

TEST_P(ExtensionSuite, aCheckJudgesOneForceWheneverItIsRequested) {
    const SceneRequest request{.bodies = device() ? 3000u : 300u};
    const ParticleSet bodies = chainBodies(request);
    const std::unique_ptr<Backend> made = backend(GetParam()).make({});
    made->load({bodies, termsWith(termsOf({.softening = 0.1}, chainSprings(request, bodies)))});
    const StepProgram program = integrator("leapfrog").program;
    for (int pieces = 0; pieces < 12; ++pieces) {  // among them: between the pair law and the springs
        for (int k = 0; k < pieces; ++k) made->advance(program, 1e-3, {.seconds = 0, .steps = 1}, nullptr);
        made->requestForceCheck(sampleTargets(bodies.position));
        std::optional<ForceCheck> check;
        for (int k = 0; k < 8 && !check; ++k) {
            made->advance(program, 1e-3, {.steps = 1}, nullptr);
            made->wait();
            check = made->takeForceCheck();
        }
        ASSERT_TRUE(check) << pieces;
        EXPECT_TRUE(check->passed) << "after " << pieces << " pieces of work: " << check->text();
    }
}

TEST_P(ExtensionSuite, aWeakTermCannotBeWrongBehindAStrongOne) {
    if (std::string(GetParam()) == "reference") GTEST_SKIP() << "it computes the plain statement itself";
    const SceneRequest request{.bodies = 200};
    const ParticleSet bodies = chainBodies(request);
    const ForceTerms weak{std::make_shared<const Springs>(std::vector<Spring>{{bodies.id[3], bodies.id[9], 0.5, 1e-9}})};
    const std::unique_ptr<Backend> made = backend(GetParam()).make({});
    made->load(bodies, termsOf({.softening = 0.1}, weak), {{}, {.kernel = {.kernel = "wrong"}}});
    const ForceCheck check = checked(*made, {0, 3, 9, 50});
    EXPECT_FALSE(check.passed) << check.text();
    EXPECT_EQ(check.term, "springs");
}

TEST_P(ExtensionSuite, energyIsThatOfAllTerms) {
    RunRequest wanted = settings(Precision::fp64);
    Simulation simulation(wanted);
    const Diagnostics before = simulation.measure();
    run(simulation, 64);
    const Diagnostics after = simulation.measure();
    const ParticleSet bodies = stateOf(simulation);
    EXPECT_NEAR(after.potential, measureSystem(bodies, simulation.terms()).potential, 1e-10 * std::abs(after.potential));
    EXPECT_LT(std::abs(after.energy() - before.energy()), 1e-3 * std::abs(before.potential));
    const double alone = measure(bodies, simulation.force()).potential;
    EXPECT_GT(std::abs(after.potential - alone), 0.1 * std::abs(alone)) << "the springs store too little to be seen";
    double sum = 0;
    for (const auto& term : simulation.terms()) sum += term->potential(termBodies(bodies));
    EXPECT_NEAR(sum, after.potential, 1e-9 * std::abs(sum));
}

TEST_P(ExtensionSuite, aCheckpointCarriesTerms) {
    for (const Precision precision : precisions()) {
        Simulation first(settings(precision));
        run(first, 4);
        first.advance({.seconds = 0, .steps = 1}, nullptr);
        Simulation again(reopened(first));
        EXPECT_TRUE(sameTerms(othersOf(again.terms()), othersOf(first.terms())));
        const std::int64_t end = again.step() + 5;
        run(again, 5);
        while (first.step() < end) first.advance({.steps = end - first.step()}, nullptr);
        expectSame(stateOf(again), stateOf(first), "continued");
        // In the same run, too.
        const RunState kept = first.state();
        run(first, 3);
        const ParticleSet there = stateOf(first);
        first.restore(kept);
        run(first, 3);
        expectSame(stateOf(first), there, "gone back");
    }
}

TEST_P(ExtensionSuite, aMethodWithAStateGoesOnExactly) {
    if (std::string(GetParam()) == "reference") GTEST_SKIP() << "it has one method";
    for (const Precision precision : precisions()) {
        Simulation first(settings(precision, "trailing")), cut(settings(precision, "trailing"));
        EXPECT_EQ(first.backend().activeKernel().name, "trailing");
        run(first, 4);
        run(cut, 4, 0);
        expectSame(stateOf(cut), stateOf(first), "sliced");
        first.advance({.seconds = 0, .steps = 1}, nullptr);  // maybe within a step; a state completes it
        const RunRequest file = reopened(first);
        Simulation again(file);
        ASSERT_EQ(again.step(), first.step());
        std::vector<Double4> ignored;
        again.backend().accelerations(ignored);  // requests beside a run do not affect it
        run(again, 5);
        const RunState kept = first.state();
        run(first, 5);
        expectSame(stateOf(again), stateOf(first), "continued");
        // Without the method's kept numbers it would be another run: the file must contain them.
        RunState bare = kept;
        std::erase_if(bare.integratorState, [](const StateArray& array) { return array.name.starts_with("force."); });
        EXPECT_LT(bare.integratorState.size(), kept.integratorState.size());
        first.restore(bare);
        run(first, 5);
        EXPECT_FALSE(sameBytes(stateOf(again).velocity, stateOf(first).velocity)) << "the method keeps nothing";
        first.restore(kept);
        run(first, 5);
        expectSame(stateOf(first), stateOf(again), "gone back");
    }
}

TEST_P(ExtensionSuite, aMethodIsJudgedByItsOwnAccuracy) {
    if (std::string(GetParam()) == "reference") GTEST_SKIP() << "it has one method";
    const ParticleSet bodies = unevenBodies(2000);
    const std::unique_ptr<Backend> made = backend(GetParam()).make({});
    made->load(bodies, {{.softening = 0.1}, {.kernel = "trailing"}});
    const ForceCheck check = checked(*made, sampleTargets(bodies.position));
    EXPECT_TRUE(check.passed) << check.text();
    EXPECT_GT(check.median, 10 * kGate32.median) << "rounding alone: the method does not trail";
}

TEST_P(ExtensionSuite, hermiteStepsNeedTheJerkOfEveryTerm) {
    RunRequest wanted = settings(Precision::fp64);
    wanted.backend = "reference";
    wanted.bodies = 20;
    wanted.integrator = "hermite4";
    try {
        Simulation simulation(wanted);
        FAIL() << "springs have no jerk";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("springs"));
    }
    wanted.integrator = "leapfrog";
    Simulation simulation(wanted);
    wanted = requestOf(simulation.configuration());
    wanted.integrator = "hermite4";
    EXPECT_THROW(simulation.apply(wanted), UsageError);
    run(simulation, 1);
}

TEST_P(ExtensionSuite, adaptiveStepsRunUnderTerms) {
    RunRequest wanted = settings(Precision::fp64);
    wanted.backend = "reference";
    wanted.bodies = 20;
    wanted.integrator = "radau15";
    Simulation whole(wanted), cut(wanted);
    const double before = whole.measure().energy();
    run(whole, 32);
    run(cut, 32, 0);
    expectSame(stateOf(cut), stateOf(whole), "sliced");
    EXPECT_NEAR(whole.measure().energy(), before, 1e-12 * std::abs(before));
    EXPECT_EQ(whole.totals().termInteractions, 38.0 * static_cast<double>(whole.totals().forceEvaluations));
    Simulation again(reopened(whole));
    run(again, 5);
    run(whole, 5);
    expectSame(stateOf(again), stateOf(whole), "continued");
    // Without the springs it would be another run.
    ParticleSet bodies = stateOf(whole);
    whole.load(bodies);
    for (std::uint32_t& id : bodies.id) id += 1000;
    again.load(bodies);
    run(again, 5);
    run(whole, 5);
    EXPECT_FALSE(sameBytes(stateOf(again).position, stateOf(whole).position)) << "springs do nothing";
}

TEST_P(ExtensionSuite, aBondToABodyThatIsGoneActsNoMore) {
    Simulation simulation(settings(Precision::fp64));
    ParticleSet bodies = stateOf(simulation);
    const auto without = [](auto& array) { array.erase(array.begin() + 100); };
    without(bodies.position), without(bodies.velocity), without(bodies.id), without(bodies.group);
    simulation.load(bodies);
    EXPECT_EQ(simulation.terms().size(), 2u);
    std::vector<std::uint32_t> targets{99, 100, 101};
    std::vector<Double4> all, want(3);
    for (const auto& term : simulation.terms()) term->addAccelerations(termBodies(bodies), targets, want, {});
    simulation.backend().accelerations(all);
    EXPECT_TRUE(compareForces(std::vector{all[99], all[100], all[101]}, want, kGate64).passed);
    run(simulation, 2);
}

TEST_P(ExtensionSuite, anotherBackendTakesTheTermsOver) {
    RunRequest wanted = settings(Precision::fp64);
    Simulation simulation(wanted);
    run(simulation, 2);
    wanted = requestOf(simulation.configuration());
    wanted.backend = "reference";
    wanted.pairs().kernel = {};
    simulation.apply(wanted);
    EXPECT_EQ(simulation.terms().size(), 2u);
    const ParticleSet there = stateOf(simulation);
    wanted.backend = GetParam();
    simulation.apply(wanted);
    expectSame(stateOf(simulation), there, "taken over");
    EXPECT_EQ(simulation.terms().size(), 2u);
    run(simulation, 2);
}

}  // namespace gravlab
