// Profiles beside a running simulation: they appear, follow the settings, and reuse state copies of other readers.
#include "app/services/instruments.h"

#include "app/runs/history.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace gravlab {
namespace {

std::optional<KeptBodies> nothing() { return std::nullopt; }

/// Updates until a profile for the present settings exists.
bool arrives(Instruments& instruments, Simulation& simulation, StateFeed& feed, int galaxies, double now) {
    for (int tries = 0; tries < 10000; ++tries) {
        instruments.update(simulation, feed, galaxies, nothing, now);
        feed.pump(simulation);
        if (instruments.newest() && instruments.newest()->request == instruments.wanted && !instruments.busy()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

TEST(Instruments, measureTheRunAndFollowChoices) {
    Simulation simulation({.scene = "andromeda", .bodies = 3000, .backend = "cpu"});
    Instruments instruments;
    StateFeed feed;
    instruments.update(simulation, feed, 2, nothing, 0);
    EXPECT_FALSE(instruments.busy()) << "off costs nothing";
    instruments.on = true;
    ASSERT_TRUE(arrives(instruments, simulation, feed, 2, 0));
    EXPECT_EQ(instruments.wanted.galaxy, 0) << "of two galaxies one is looked at";
    EXPECT_LT(instruments.newest()->profile.bodies, 3000u);
    EXPECT_EQ(instruments.newest()->step, 0);
    // The same step again: no new profile, at any time.
    instruments.update(simulation, feed, 2, nothing, 1000);
    EXPECT_FALSE(instruments.busy());
    // Another choice gives a new profile although no body moved.
    instruments.wanted.galaxy = -1;
    ASSERT_TRUE(arrives(instruments, simulation, feed, 2, 1000));
    EXPECT_EQ(instruments.newest()->profile.bodies, 3000u);
    // A step later a profile is due, but only after an interval; a slow sum makes the interval longer.
    simulation.advance({.steps = 1}, nullptr);
    instruments.update(simulation, feed, 2, nothing, 1000);
    EXPECT_TRUE(instruments.busy()) << "frames go on until it has been measured";
    instruments.update(simulation, feed, 2, nothing, 1000.5);
    EXPECT_EQ(instruments.newest()->step, 0);
    ASSERT_TRUE(arrives(instruments, simulation, feed, 2, 2000));
    EXPECT_EQ(instruments.newest()->step, 1);
    EXPECT_GT(instruments.newest()->time, 0);
    // Another scene: its own profile and its own centre, never the old one.
    RunRequest wanted = simulation.request();
    wanted.changeScene("plummer");
    wanted.bodies = 500;
    simulation.apply(wanted);
    instruments.update(simulation, feed, 1, nothing, 2000);
    EXPECT_FALSE(instruments.newest());
    ASSERT_TRUE(arrives(instruments, simulation, feed, 1, 2000));
    EXPECT_EQ(instruments.newest()->profile.bodies, 500u);
    EXPECT_EQ(instruments.wanted, usualProfile(1));
}

TEST(Instruments, bodiesEditedAtRestAreMeasuredAnew) {
    Simulation simulation({.scene = "plummer", .bodies = 500, .backend = "cpu"});
    Instruments instruments;
    StateFeed feed;
    instruments.on = true;
    ASSERT_TRUE(arrives(instruments, simulation, feed, 1, 0));
    ASSERT_GT(instruments.newest()->profile.rings.size(), 8u);
    const double before = instruments.newest()->profile.rings[8].surfaceDensity;
    ParticleSet bodies = simulation.bodies();
    for (Double4& body : bodies.position) body.w *= 2;
    simulation.load(bodies);
    instruments.update(simulation, feed, 1, nothing, 10);
    ASSERT_TRUE(arrives(instruments, simulation, feed, 1, 10));
    EXPECT_NEAR(instruments.newest()->profile.rings[8].surfaceDensity / before, 2, 1e-6);
}

TEST(Instruments, lookAtASampleOfManyAndSaySo) {
    Simulation simulation({.scene = "plummer", .bodies = 40000, .backend = "cpu"});
    Instruments instruments;
    StateFeed feed;
    instruments.on = true;
    ASSERT_TRUE(arrives(instruments, simulation, feed, 1, 0));
    EXPECT_EQ(instruments.newest()->profile.bodies, 40000u);
    EXPECT_EQ(instruments.newest()->profile.sampled, kSampleOfProfiles);
}

TEST(Instruments, takeOfVeryManyBodiesWhatIsKeptAnyway) {
    Simulation simulation({.scene = "disc", .bodies = Instruments::kLarge + 1, .backend = "cpu"});
    Instruments instruments;
    StateFeed feed;
    instruments.on = true;
    int unpacked = 0;
    const auto kept = [&] {
        return std::optional(KeptBodies{0, 0, Instruments::kLarge + 1, [&] {
                                            ++unpacked;
                                            auto bodies = std::make_shared<ParticleSet>();
                                            bodies->resize(1000);
                                            for (std::size_t i = 0; i < 1000; ++i)
                                                bodies->position[i] = {static_cast<double>(i), 1, 0, 1};
                                            return bodies;
                                        }});
    };
    for (int tries = 0; tries < 10000 && !instruments.newest(); ++tries) {
        instruments.update(simulation, feed, 1, kept, 0);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(instruments.newest());
    EXPECT_EQ(unpacked, 1);
    EXPECT_EQ(instruments.newest()->profile.bodies, 1000u);
    instruments.update(simulation, feed, 1, kept, 1000);
    EXPECT_FALSE(instruments.busy()) << "the same kept state says nothing new";
}

TEST(Instruments, theHistoryHandsOutItsNewestStateNotAfterTheRun) {
    Simulation simulation({.scene = "plummer", .bodies = 300, .backend = "cpu"});
    History rewind;
    StateFeed feed;
    EXPECT_FALSE(rewind.newest(0));
    double now = 0;
    for (int i = 0; i < 3; ++i) {
        rewind.update(simulation, feed, now += 10);
        feed.serve(simulation);
        rewind.update(simulation, feed, now);
        rewind.settle();
        simulation.advance({.steps = 5}, nullptr);
    }
    const std::optional<KeptBodies> kept = rewind.newest(simulation.step());
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->step, 10);
    EXPECT_EQ(kept->bodies, 300u);
    EXPECT_EQ(rewind.newest(9)->step, 5);
    Simulation again({.scene = "plummer", .bodies = 300, .backend = "cpu"});
    again.advance({.steps = 10}, nullptr);
    ParticleSet expected = again.bodies();
    EXPECT_EQ(kept->unpack()->position[299].x, expected.position[299].x);
}

}  // namespace
}  // namespace gravlab
