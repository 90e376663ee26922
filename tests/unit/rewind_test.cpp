// Rewinding: exact continuation, thinning with age, branches, and the limit of memory.
#include "app/runs/history.h"
#include "app/runs/twin_run.h"
#include "app/services/conservation.h"
#include "tests/bodies.h"
#include "tests/scarce_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace gravlab {
namespace {

using testing::HasSubstr;

RunRequest few(const std::string& integrator, const std::string& backend = "cpu") {
    RunRequest settings{.scene = "six-body", .backend = backend};
    settings.integrator = integrator;
    return settings;
}

/// Makes the calls of a frame, and waits for their work.
void keep(History& rewind, Simulation& simulation, StateFeed& feed, double now) {
    rewind.update(simulation, feed, now);
    feed.serve(simulation);
    rewind.update(simulation, feed, now);
    rewind.settle();
}

/// Makes steps one by one with an update after each; the host's clock advances so that every step is due.
void run(History& rewind, Simulation& simulation, StateFeed& feed, std::int64_t toStep, double& now) {
    while (simulation.step() < toStep) {
        simulation.advance({.steps = 1}, nullptr);
        keep(rewind, simulation, feed, now += 10);
    }
}

std::vector<std::int64_t> steps(const History& rewind, bool other) {
    std::vector<std::int64_t> found;
    for (const HistoryMark& mark : rewind.marks())
        if (mark.other == other) found.push_back(mark.step);
    return found;
}

std::size_t markOf(const History& rewind, std::int64_t step) {
    for (std::size_t i = 0; i < rewind.marks().size(); ++i)
        if (rewind.marks()[i].step == step && !rewind.marks()[i].other) return i;
    ADD_FAILURE() << "no state of step " << step;
    return 0;
}

class RewindOf : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RewindOf, goingOnFromAKeptStateGivesTheBitsOfTheFirstPass) {
    Simulation simulation(few(GetParam().first, GetParam().second));
    History rewind;
    StateFeed feed;
    double now = 0;
    keep(rewind, simulation, feed, now);
    run(rewind, simulation, feed, 40, now);
    const RunState end = simulation.state();

    const auto ids = rewind.go(simulation, feed, markOf(rewind, 17));
    EXPECT_EQ(*ids, end.bodies.id);
    EXPECT_EQ(simulation.step(), 17);
    EXPECT_FALSE(testing_support::sameBytes(simulation.state().bodies.position, end.bodies.position));
    run(rewind, simulation, feed, 40, now);
    const RunState again = simulation.state();
    EXPECT_EQ(again.clock.time(), end.clock.time());
    EXPECT_TRUE(testing_support::sameBytes(again.bodies.position, end.bodies.position));
    EXPECT_TRUE(testing_support::sameBytes(again.bodies.velocity, end.bodies.velocity));
    EXPECT_TRUE(again.integratorState == end.integratorState);
}

INSTANTIATE_TEST_SUITE_P(Integrators, RewindOf,
                         testing::Values(std::pair{"leapfrog", "cpu"}, std::pair{"leapfrog", "reference"},
                                         std::pair{"block-leapfrog", "cpu"}, std::pair{"hermite4", "reference"},
                                         std::pair{"radau15", "reference"}),
                         [](const auto& row) {
                             std::string name = std::string(row.param.first) + "_" + row.param.second;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(Rewind, aStateWithoutWhatTheIntegratorKeepsIsFoundOut) {
    // The comparison above must notice a restored state that lacks something.
    Simulation simulation(few("radau15", "reference"));
    for (int i = 0; i < 20; ++i) simulation.advance({.steps = 1}, nullptr);
    RunState kept = simulation.state();
    ASSERT_FALSE(kept.integratorState.empty());
    for (int i = 0; i < 20; ++i) simulation.advance({.steps = 1}, nullptr);
    const RunState end = simulation.state();
    kept.integratorState.clear();
    simulation.restore(kept);
    for (int i = 0; i < 20; ++i) simulation.advance({.steps = 1}, nullptr);
    EXPECT_FALSE(testing_support::sameBytes(simulation.state().bodies.position, end.bodies.position));
}

TEST(Rewind, theSecondRunGoesBackWithTheFirstAndGivesTheBitsOfTheFirstPass) {
    Simulation first(few("leapfrog"));
    TwinChoice choice{.on = true, .values = {{"integrator", "euler"}, {"time_step", 2 * first.configuration().timeStep}}};
    TwinRun twin(first, choice, false);
    History rewind;
    StateFeed feed, second;
    double now = 0;
    const auto beside = [&] { return History::Beside{twin.simulation(), second, SecondRun{choice, twin.link().value()}}; };
    const auto look = [&] {
        for (int i = 0; i < 2; ++i) {
            const History::Beside both = beside();
            rewind.update(first, feed, now, &both);
            feed.serve(first);
            second.serve(twin.simulation());
        }
        rewind.settle();
        now += 10;
    };
    const auto go = [&](std::int64_t to) {
        while (first.step() < to) {
            look();
            first.advance({.steps = 1}, nullptr);
            while (!twin.catchUp(first, 1)) {
            }
        }
        look();
    };
    go(40);
    const RunState end = first.state(), endOfTwin = twin.simulation().state();
    ASSERT_EQ(endOfTwin.clock.step, 20);

    const std::size_t mark = markOf(rewind, 17);
    const std::optional<SecondState> then = History::second(rewind.keptAt(mark));
    ASSERT_TRUE(then);
    EXPECT_EQ(then->state.clock.step, 8) << "it makes one step where the first makes two";
    const History::Beside both = beside();
    rewind.go(first, feed, mark, &both);
    restoreState(twin.simulation(), then->configuration, then->state);
    twin.restoreLink(then->run.link);
    go(40);
    EXPECT_TRUE(testing_support::sameBytes(first.state().bodies.position, end.bodies.position));
    EXPECT_EQ(twin.simulation().step(), 20);
    EXPECT_TRUE(testing_support::sameBytes(twin.simulation().state().bodies.position, endOfTwin.bodies.position));
}

TEST(Rewind, aSecondRunThatEndsWhileItIsCopiedDoesNotEndTheTimeline) {
    Simulation first(few("leapfrog"));
    History rewind;
    StateFeed feed;
    double now = 0;
    {
        TwinChoice choice{.on = true};
        TwinRun twin(first, choice, false);
        StateFeed second;
        const History::Beside both{twin.simulation(), second, SecondRun{choice, twin.link().value()}};
        rewind.update(first, feed, now, &both);
    }
    run(rewind, first, feed, 3, now);
    EXPECT_THAT(steps(rewind, false), testing::ElementsAre(1, 2, 3));
}

TEST(Rewind, aStateWithoutASecondRunSaysSo) {
    Simulation simulation(few("leapfrog"));
    History rewind;
    StateFeed feed;
    double now = 0;
    keep(rewind, simulation, feed, now);
    EXPECT_FALSE(rewind.second(0));
}

TEST(Rewind, fp32StatesArePackedWithoutLoss) {
    RunRequest settings{.scene = "plummer", .bodies = 500, .backend = "cpu"};
    settings.precision = Precision::fp32;
    Simulation simulation(settings);
    History rewind;
    StateFeed feed;
    double now = 0;
    keep(rewind, simulation, feed, now);
    const std::size_t first = rewind.bytes();
    EXPECT_LT(first, 500 * 2 * sizeof(Double4)) << "fp32 bodies take half of that";
    run(rewind, simulation, feed, 6, now);
    const RunState end = simulation.state();
    rewind.go(simulation, feed, markOf(rewind, 2));
    run(rewind, simulation, feed, 6, now);
    EXPECT_TRUE(testing_support::sameBytes(simulation.state().bodies.position, end.bodies.position));
    EXPECT_TRUE(testing_support::sameBytes(simulation.state().bodies.velocity, end.bodies.velocity));
}

TEST(Rewind, playingOnFromThePastMakesABranchAndBothStay) {
    Simulation simulation(few("leapfrog"));
    History rewind;
    StateFeed feed;
    double now = 0;
    keep(rewind, simulation, feed, now);
    run(rewind, simulation, feed, 10, now);
    rewind.go(simulation, feed, markOf(rewind, 4));
    rewind.update(simulation, feed, now += 10);
    EXPECT_TRUE(steps(rewind, true).empty()) << "looking at the past leaves the future as it is";
    EXPECT_EQ(steps(rewind, false).back(), 10);

    RunRequest wanted = simulation.request();
    const double usual = simulation.configuration().timeStep;
    wanted.timeStep = 0.5 * simulation.configuration().timeStep;
    simulation.apply(wanted);
    run(rewind, simulation, feed, 6, now);
    EXPECT_EQ(steps(rewind, true), (std::vector<std::int64_t>{5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(steps(rewind, false), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));

    const std::size_t end = rewind.marks().size() - 1;
    ASSERT_TRUE(rewind.marks()[end].other);
    rewind.go(simulation, feed, end);
    EXPECT_EQ(simulation.step(), 10);
    EXPECT_EQ(simulation.configuration().timeStep, usual) << "a state comes with its own time step";
    EXPECT_EQ(steps(rewind, false).back(), 10);
    EXPECT_EQ(steps(rewind, true), (std::vector<std::int64_t>{5, 6}));
}

TEST(Rewind, thePresentIsKeptBeforeItIsLeft) {
    Simulation simulation(few("leapfrog"));
    History rewind;
    StateFeed feed;
    double now = 0;
    keep(rewind, simulation, feed, now);
    simulation.advance({.steps = 7}, nullptr);
    rewind.update(simulation, feed, now + 0.1);  // no state is due yet
    EXPECT_EQ(steps(rewind, false), (std::vector<std::int64_t>{0}));
    rewind.go(simulation, feed, 0);
    EXPECT_EQ(steps(rewind, false), (std::vector<std::int64_t>{0, 7}));
    EXPECT_EQ(rewind.neighbour(0, 1), 1u);
    EXPECT_EQ(rewind.neighbour(0, 100), 1u);
    EXPECT_EQ(rewind.neighbour(0, -1), std::nullopt);
    EXPECT_EQ(rewind.neighbour(7, -1), 0u);
}

TEST(Rewind, anEditAtAKeptStepIsKeptBeforeItIsLeft) {
    Simulation simulation(few("leapfrog"));
    History rewind;
    StateFeed feed;
    double now = 0;
    rewind.update(simulation, feed, now);
    run(rewind, simulation, feed, 3, now);
    rewind.settle();
    const auto kept = steps(rewind, false);
    ParticleSet bodies = simulation.bodies();
    bodies.velocity[0].x = 0.125;
    simulation.load(bodies);
    rewind.edited(simulation);
    rewind.go(simulation, feed, markOf(rewind, 2));
    rewind.go(simulation, feed, markOf(rewind, 3));
    simulation.snapshot(bodies);
    EXPECT_EQ(bodies.velocity[0].x, 0.125);
    EXPECT_EQ(steps(rewind, false), kept);
}

TEST(Rewind, gapsGrowWithAgeAndMemoryIsKept) {
    Simulation simulation(few("leapfrog"));
    History rewind(64 * 1024);
    StateFeed feed;
    double now = 0;
    keep(rewind, simulation, feed, now);
    run(rewind, simulation, feed, 600, now);
    EXPECT_LE(rewind.bytes(), rewind.budget());
    const std::vector<std::int64_t> kept = steps(rewind, false);
    ASSERT_GT(kept.size(), 10u);
    ASSERT_LT(kept.size(), 300u) << "the budget must matter here";
    EXPECT_EQ(kept.front(), 0);
    EXPECT_EQ(kept.back(), 600);
    EXPECT_EQ(kept[kept.size() - 2], 599);
    const std::size_t half = kept.size() / 2;
    EXPECT_GT(kept[half] - kept[0], 2 * (kept.back() - kept[half])) << "old states are far apart, new ones close";
}

TEST(Rewind, whatATreeKeepsIsCountedAndComesBack) {
    RunRequest request{.scene = "plummer", .bodies = 10000, .backend = "cpu"};
    request.pairs().accuracy = 1e-3;
    Simulation simulation(request);
    ASSERT_TRUE(simulation.backend().activeKernel().approximates);
    // Enough for two states of 48 bytes per body with ids and groups, but not for three.
    History rewind(1'400'000), roomy(1'600'000);
    StateFeed feed;
    double now = 0;
    for (int i = 0; i < 6; ++i) {
        keep(rewind, simulation, feed, now);
        EXPECT_LE(rewind.bytes(), rewind.budget());
        simulation.advance({.steps = 1}, nullptr);
        now += 10;
    }
    EXPECT_TRUE(rewind.marks().empty()) << "fewer than three are no timeline";
    EXPECT_NE(rewind.why(), "");
    for (int i = 0; i < 6; ++i) {
        keep(roomy, simulation, feed, now);
        EXPECT_LE(roomy.bytes(), roomy.budget());
        simulation.advance({.steps = 1}, nullptr);
        now += 10;
    }
    ASSERT_GE(roomy.marks().size(), 2u);
    EXPECT_GT(roomy.bytes(), 2 * 48 * 10000u);
    // From a kept state the run continues to the last bit: it includes the tree's kept numbers.
    const std::int64_t end = simulation.step();
    ParticleSet first, second;
    simulation.snapshot(first);
    roomy.go(simulation, feed, 0);
    ASSERT_LT(simulation.step(), end);
    while (simulation.step() < end) simulation.advance({.steps = end - simulation.step()}, nullptr);
    simulation.snapshot(second);
    EXPECT_TRUE(testing_support::sameState(first, second));
}

TEST(Rewind, anotherRunHasItsOwnTimeline) {
    Simulation simulation(few("leapfrog"));
    History rewind;
    StateFeed feed;
    double now = 0;
    rewind.update(simulation, feed, now);
    run(rewind, simulation, feed, 5, now);
    simulation.reset();
    keep(rewind, simulation, feed, now += 10);
    EXPECT_EQ(steps(rewind, false), (std::vector<std::int64_t>{0}));
    RunRequest wanted = simulation.request();
    wanted.changeScene("figure-eight");
    simulation.apply(wanted);
    keep(rewind, simulation, feed, now += 10);
    ASSERT_EQ(rewind.marks().size(), 1u);
    EXPECT_EQ(rewind.go(simulation, feed, 0)->size(), 3u);
    // Also a run that passed the newest kept step of the last one before the next update.
    run(rewind, simulation, feed, 5, now);
    simulation.reset();
    simulation.advance({.steps = 9}, nullptr);
    keep(rewind, simulation, feed, now += 10);
    EXPECT_EQ(steps(rewind, false), (std::vector<std::int64_t>{9}));
}

TEST(Rewind, tooManyBodiesForTheMemoryAreRefusedWithTheNumbers) {
    Simulation simulation(RunRequest{.scene = "plummer", .bodies = 20000, .backend = "cpu"});
    History rewind(std::size_t{1} << 20);
    StateFeed feed;
    keep(rewind, simulation, feed, 0);
    EXPECT_TRUE(rewind.marks().empty());
    EXPECT_THAT(rewind.why(), HasSubstr("--rewind-memory"));
}

/// No memory for one more state: fewer are kept, and the run and its updates continue.
TEST(Rewind, noMemoryForAStateDropsTheOldestHalf) {
    constexpr std::size_t kBodies = 1237;  // no other allocation has that size
    Simulation simulation({.scene = "plummer", .bodies = kBodies, .backend = "cpu"});
    ASSERT_EQ(simulation.configuration().force.precision, Precision::fp32);
    History rewind;
    StateFeed feed;
    double now = 0;
    rewind.update(simulation, feed, now);
    run(rewind, simulation, feed, 20, now);
    rewind.settle();
    // First the copy fails in this thread, then the compression beside the run.
    for (const std::size_t bytes : {kBodies * sizeof(Double4), kBodies * sizeof(Float4)}) {
        SCOPED_TRACE(bytes);
        const std::size_t held = rewind.bytes(), count = rewind.marks().size();
        ASSERT_GE(count, 8u);
        const std::int64_t newest = rewind.marks().back().step;
        simulation.advance({.steps = 1}, nullptr);
        const test::ScarceMemory scarce(bytes);
        for (int i = 0; i < 5000 && rewind.marks().size() == count; ++i) {
            ASSERT_NO_THROW(rewind.update(simulation, feed, now += 10));
            ASSERT_NO_THROW(feed.pump(simulation));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        EXPECT_TRUE(scarce.refused());
        EXPECT_EQ(rewind.budget(), held / 2);
        EXPECT_LE(rewind.bytes(), held / 2);
        EXPECT_LT(rewind.marks().size(), count);
        EXPECT_EQ(rewind.marks().back().step, newest) << "old ones go";
    }
    keep(rewind, simulation, feed, now += 10);
    EXPECT_EQ(rewind.marks().back().step, simulation.step()) << "states are kept on";
    EXPECT_LE(rewind.bytes(), rewind.budget());
    const std::int64_t earlier = rewind.marks().front().step;
    rewind.go(simulation, feed, 0);
    EXPECT_EQ(simulation.step(), earlier);
}

TEST(Rewind, anEditThatThereWasNoMemoryForIsKeptLater) {
    constexpr std::size_t kBodies = 1237;
    Simulation simulation({.scene = "plummer", .bodies = kBodies, .backend = "cpu"});
    History rewind;
    StateFeed feed;
    double now = 0;
    rewind.update(simulation, feed, now);
    run(rewind, simulation, feed, 3, now);
    rewind.settle();
    ParticleSet bodies = simulation.bodies();
    bodies.velocity[0].x = 0.125;
    simulation.load(bodies);
    rewind.edited(simulation);
    {
        const test::ScarceMemory scarce(kBodies * sizeof(Double4));
        EXPECT_THROW(rewind.go(simulation, feed, markOf(rewind, 2)), std::bad_alloc);
    }
    EXPECT_EQ(simulation.step(), 3) << "the run is as it was";
    rewind.go(simulation, feed, markOf(rewind, 2));
    rewind.go(simulation, feed, markOf(rewind, 3));
    simulation.snapshot(bodies);
    EXPECT_EQ(bodies.velocity[0].x, 0.125);
}

TEST(Rewind, theEnergyStripKeepsItsReferenceAndLosesWhatComesLater) {
    Simulation simulation(few("leapfrog"));
    History rewind;
    StateFeed feed;
    ConservationMonitor watch;
    double now = 0;
    const auto sample = [&] {
        const std::size_t before = watch.points().size();
        for (int tries = 0; tries < 5000 && watch.points().size() == before; ++tries) {
            watch.update(simulation, feed, now += 10);
            feed.pump(simulation);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_GT(watch.points().size(), before);
    };
    keep(rewind, simulation, feed, now);
    sample();
    for (int i = 1; i <= 3; ++i) {
        run(rewind, simulation, feed, 10 * i, now);
        sample();
    }
    const double change = watch.points()[1].change;
    ASSERT_EQ(watch.points()[1].step, 10);
    rewind.go(simulation, feed, markOf(rewind, 10));
    watch.jump(simulation);
    EXPECT_EQ(watch.points().size(), 2u);
    sample();
    ASSERT_EQ(watch.points().size(), 3u);
    EXPECT_EQ(watch.points().back().change, change) << "the same state against the same start";
}

}  // namespace
}  // namespace gravlab
