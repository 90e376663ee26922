// States for the work beside the run: one copy at a time for all requests, with its step, and failures go to the requesters.
#include "app/runs/state_feed.h"

#include "tests/advance.h"
#include "tests/bodies.h"
#include "tests/scarce_memory.h"

#include <gtest/gtest.h>

#include <new>

namespace gravlab {
namespace {

RunRequest plummer() { return {.scene = "plummer", .bodies = test::kOddCount, .backend = "cpu"}; }

TEST(StateFeed, whoAsksInTheMeantimeSharesOneState) {
    Simulation simulation(plummer());
    StateFeed feed;
    StateTicket one = feed.ask(), other = feed.ask();
    EXPECT_TRUE(one.waiting());
    EXPECT_EQ(one.take(), nullptr) << "nothing is copied before a frame's pump";
    feed.serve(simulation);
    const auto state = one.take();
    ASSERT_TRUE(state);
    EXPECT_EQ(other.take(), state);
    EXPECT_FALSE(one.waiting());
    EXPECT_EQ(one.take(), nullptr) << "once";
    EXPECT_EQ(state->bodiesId, simulation.bodiesId());
    EXPECT_EQ(state->revision, simulation.revision());
    EXPECT_EQ(state->configuration, simulation.configuration());
    EXPECT_EQ(state->step(), 0);
    EXPECT_EQ(bodiesOf(state)->size(), test::kOddCount);
    // While a caller holds the state and the run rests, nothing is copied again.
    const test::ScarceMemory scarce(test::kOddCount * sizeof(Double4));
    StateTicket later = feed.ask();
    feed.pump(simulation);
    EXPECT_EQ(later.take(), state);
    EXPECT_EQ(feed.now(simulation), state);
    EXPECT_FALSE(scarce.refused());
}

TEST(StateFeed, aRunThatChangesFirstHandsOutTheStateThatARequestHolds) {
    Simulation simulation(plummer());
    StateFeed feed;
    run(simulation, 2);
    StateTicket under = feed.ask();
    feed.pump(simulation);  // a copy of step 2 is under way
    run(simulation, 1);
    StateTicket held = feed.hold();
    feed.beforeChange(simulation);
    simulation.apply({.scene = "two-body", .backend = "cpu"});
    StateTicket other = feed.ask();
    feed.beforeChange(simulation);
    EXPECT_EQ(other.take(), nullptr) << "nobody waits for what no request holds";
    const auto state = held.take();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->configuration.scene, "plummer");
    EXPECT_EQ(state->step(), 3);
    EXPECT_EQ(state->bodies(), test::kOddCount);
    EXPECT_EQ(under.take()->step(), 2);
}

TEST(StateFeed, stepsGoOnAndTheStateStaysOfItsStep) {
    Simulation simulation(plummer()), again(plummer());
    StateFeed feed;
    run(simulation, 3);
    StateTicket asked = feed.ask();
    feed.pump(simulation);
    run(simulation, 4);
    StateTicket next = feed.ask();
    EXPECT_EQ(asked.take(), nullptr) << "handed out by the next pump";
    feed.serve(simulation);
    const auto early = asked.take(), late = next.take();
    ASSERT_TRUE(early && late);
    EXPECT_EQ(early->step(), 3);
    EXPECT_EQ(late->step(), 7);
    for (const auto& state : {early, late}) {
        run(again, state->step() - again.step());
        ParticleSet expected = again.bodies();
        EXPECT_TRUE(testing_support::sameBytes(state->state.bodies.position, expected.position));
        EXPECT_TRUE(testing_support::sameBytes(state->state.bodies.velocity, expected.velocity));
        EXPECT_EQ(state->time(), again.time());
    }
}

TEST(StateFeed, goingOnFromAStateGivesTheBitsOfTheFirstPass) {
    RunRequest settings{.scene = "six-body", .backend = "reference"};
    settings.integrator = "radau15";
    Simulation simulation(settings);
    StateFeed feed;
    run(simulation, 9);
    StateTicket asked = feed.ask();
    feed.pump(simulation);
    run(simulation, 11);
    const RunState end = simulation.state();
    feed.settle();
    const auto state = asked.take();
    ASSERT_TRUE(state);
    ASSERT_FALSE(state->state.integratorState.empty());
    simulation.restore(state->state);
    EXPECT_NE(simulation.bodiesId(), state->bodiesId);
    run(simulation, end.clock.step - state->step());
    EXPECT_TRUE(testing_support::sameBytes(simulation.state().bodies.position, end.bodies.position));
}

TEST(StateFeed, anotherRunOrAnotherSettingIsAnotherState) {
    Simulation simulation(plummer());
    StateFeed feed;
    const auto first = feed.now(simulation);
    RunRequest wanted = simulation.request();
    wanted.timeStep = 0.5 * simulation.configuration().timeStep;
    simulation.apply(wanted);
    const auto second = feed.now(simulation);
    EXPECT_NE(second, first);
    EXPECT_EQ(second->bodiesId, first->bodiesId);
    EXPECT_EQ(second->configuration.timeStep, wanted.timeStep);
    simulation.load(first->state.bodies);
    const auto third = feed.now(simulation);
    EXPECT_NE(third->bodiesId, second->bodiesId);
}

TEST(StateFeed, lackOfMemoryIsToldToWhoAskedAndTheNextOneIsServed) {
    Simulation simulation(plummer());
    StateFeed feed;
    StateTicket one = feed.ask(), other = feed.ask();
    {
        const test::ScarceMemory scarce(test::kOddCount * sizeof(Double4));
        EXPECT_NO_THROW(feed.serve(simulation)) << "it is the matter of who asked";
        EXPECT_TRUE(scarce.refused());
    }
    EXPECT_THROW(one.take(), std::bad_alloc);
    EXPECT_THROW(other.take(), std::bad_alloc);
    EXPECT_FALSE(one.waiting());
    one = feed.ask();
    feed.serve(simulation);
    EXPECT_TRUE(one.take());
}

TEST(StateFeed, whoLetsGoOfATicketCostsNothing) {
    Simulation simulation(plummer());
    StateFeed feed;
    StateTicket asked = feed.ask();
    asked.drop();
    { const StateTicket gone = feed.ask(); }
    const test::ScarceMemory scarce(test::kOddCount * sizeof(Double4));
    feed.serve(simulation);
    EXPECT_FALSE(scarce.refused());
}

TEST(StateFeed, aStateOutlivesItsRunAndItsFeed) {
    std::shared_ptr<const ParticleSet> bodies;
    {
        Simulation simulation(plummer());
        StateFeed feed;
        StateTicket asked = feed.ask();
        feed.pump(simulation);
        simulation.apply({.scene = "two-body", .backend = "reference"});
        feed.settle();
        bodies = bodiesOf(asked.take());
    }
    EXPECT_EQ(bodies->size(), test::kOddCount);
    EXPECT_EQ(bodies.use_count(), 1);
}

}  // namespace
}  // namespace gravlab
