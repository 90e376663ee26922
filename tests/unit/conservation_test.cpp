// The monitor of energy: samples of a running simulation, marks at changes, and advice when the energy drifts.
#include "app/services/conservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace gravlab {
namespace {

using testing::HasSubstr;

/// Runs `steps` steps with an update after each, waiting for samples; host time advances by a second per update.
void watch(ConservationMonitor& watch, Simulation& simulation, StateFeed& feed, int steps, double& now) {
    for (int i = 0; i < steps; ++i) {
        simulation.advance({.steps = 20}, nullptr);
        const std::size_t before = watch.points().size();
        for (int tries = 0; tries < 2000 && watch.points().size() == before; ++tries) {
            watch.update(simulation, feed, now += 10);
            feed.pump(simulation);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_GT(watch.points().size(), before);
    }
}

RunRequest twoBodies(double timeStep) {
    RunRequest settings{.scene = "two-body", .backend = "cpu"};
    settings.timeStep = timeStep;
    return settings;
}

TEST(Conservation, samplesFollowTheRunAndKeepTheirReferenceOverChanges) {
    Simulation simulation(twoBodies(0.01));
    ConservationMonitor kept;
    StateFeed feed;
    double now = 0;
    watch(kept, simulation, feed, 4, now);
    EXPECT_LT(kept.worstChange(), kDoubtfulChange);
    EXPECT_EQ(kept.advice(simulation.configuration(), simulation.integrator()), "");
    EXPECT_TRUE(kept.marks().empty());
    EXPECT_GT(kept.points().back().time, kept.points().front().time);
    EXPECT_NEAR(kept.points().back().shape.lagrangianRadii[1], kept.points().back().shape.closest / 2, 1e-9);

    RunRequest wanted = simulation.request();
    wanted.softening = 0.3;  // changes the energy by a tenth; no error of the integrator
    simulation.apply(wanted);
    watch(kept, simulation, feed, 3, now);
    ASSERT_EQ(kept.marks().size(), 1u);
    EXPECT_THAT(kept.marks().front().what, HasSubstr("softening"));
    EXPECT_LT(kept.worstChange(), kDoubtfulChange);

    simulation.reset();
    kept.update(simulation, feed, now);
    watch(kept, simulation, feed, 1, now);
    EXPECT_TRUE(kept.marks().empty());
    EXPECT_LE(kept.points().size(), 2u) << "a new start has its own samples";
}

TEST(Conservation, aVirialRatioIsThatOfThePairLawAlone) {
    for (const char* scene : {"plummer", "rope"}) {
        Simulation simulation(RunRequest{.scene = scene, .bodies = 64, .backend = "cpu"});
        ConservationMonitor kept;
        StateFeed feed;
        double now = 0;
        watch(kept, simulation, feed, 1, now);
        const bool alone = simulation.configuration().others().empty();
        RunFacts facts;
        kept.readFacts(facts);
        EXPECT_EQ(facts.virial.has_value(), alone) << scene;
        EXPECT_EQ(std::isfinite(kept.points().back().virial), alone) << scene;
        EXPECT_TRUE(facts.halfMassRadius) << scene;
    }
}

/// A sample requested before the definition of energy changes uses the old one: it must not count as a sample of the new
/// one.
TEST(Conservation, aSampleUnderWayIsNotTakenForOneOfTheNewEnergy) {
    Simulation simulation(twoBodies(0.01));
    ConservationMonitor kept;
    StateFeed feed;
    double now = 0;
    watch(kept, simulation, feed, 2, now);
    simulation.advance({.steps = 20}, nullptr);
    kept.update(simulation, feed, now += 10);
    feed.serve(simulation);
    kept.update(simulation, feed, now += 10);  // the sums begin
    RunRequest wanted = simulation.request();
    wanted.softening = 0.3;
    simulation.apply(wanted);
    watch(kept, simulation, feed, 3, now);
    EXPECT_LT(kept.worstChange(), kDoubtfulChange);
}

TEST(Conservation, offersAutomaticStepsToASmallSystemThatLosesItsEnergy) {
    Simulation simulation(twoBodies(0.5));
    ConservationMonitor kept;
    StateFeed feed;
    double now = 0;
    watch(kept, simulation, feed, 3, now);
    ASSERT_GT(kept.worstChange(), kDoubtfulChange);
    EXPECT_THAT(kept.advice(simulation.configuration(), simulation.integrator()), HasSubstr("radau15"));
    EXPECT_EQ(kept.advice(simulation.configuration(), integrator("radau15")).find("radau15"), std::string::npos);
    RunConfiguration many = simulation.configuration();
    many.bodies = 257;
    EXPECT_EQ(kept.advice(many, simulation.integrator()).find("radau15"), std::string::npos) << "it is for small systems";
}

TEST(Conservation, aCoarseStepIsSeenAndAnsweredWithASmallerOne) {
    Simulation simulation(twoBodies(0.6));
    ConservationMonitor kept;
    StateFeed feed;
    double now = 0;
    kept.update(simulation, feed, now);
    watch(kept, simulation, feed, 6, now);
    EXPECT_GT(kept.worstChange(), kDoubtfulChange);
    const std::string advice = kept.advice(simulation.configuration(), simulation.integrator());
    EXPECT_THAT(advice, testing::AllOf(HasSubstr("Try dt 0."), HasSubstr("softening")));
}

TEST(Conservation, manyBodiesAreRefusedWithTheReason) {
    const auto whyNot = [](std::size_t bodies, Precision precision, const char* scene = "cube") {
        Simulation simulation(RunRequest{.scene = scene, .bodies = bodies, .backend = "cpu", .precision = precision});
        ConservationMonitor kept;
        StateFeed feed;
        kept.update(simulation, feed, 1);
        EXPECT_TRUE(kept.points().empty());
        return kept.why();
    };
    EXPECT_THAT(whyNot(ConservationMonitor::kMostInSingle + 1, Precision::fp32), HasSubstr("262,144"));
    EXPECT_THAT(whyNot(ConservationMonitor::kMostBodies + 1, Precision::fp64), HasSubstr("65,536"));
    EXPECT_EQ(whyNot(ConservationMonitor::kMostBodies + 1, Precision::fp32), "");
    EXPECT_EQ(whyNot(ConservationMonitor::kMostInSingle + 1, Precision::fp64, "kepler-disc"), "") << "one has mass";
}

}  // namespace
}  // namespace gravlab
