// Simulated time against frames of made-up machines. Every scene has a story that can be watched.
#include "app/services/pace.h"
#include "sim/scenes/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

/// Runs `seconds` of frames of that length on a machine that makes at most `most` steps per frame; returns the simulated
/// time.
double watched(Pace& pace, double seconds, double frame, double speed, double timeStep, std::int64_t most) {
    std::int64_t steps = 0;
    for (double t = 0; t < seconds; t += frame) {
        const std::int64_t made = std::min(pace.due(frame, speed, timeStep), most);
        pace.made(made);
        steps += made;
    }
    return static_cast<double>(steps) * std::abs(timeStep);
}

TEST(Pace, passesTimeAtTheSpeedAskedForWhateverTheFramesAndTheStep) {
    for (const double frame : {0.001, 1.0 / 60, 0.1})
        for (const double timeStep : {1e-5, 0.01, -0.01, 0.3}) {
            Pace pace;
            EXPECT_NEAR(watched(pace, 20, frame, 0.75, timeStep, 1 << 30), 15, 0.01 * 15 + std::abs(timeStep));
            EXPECT_FALSE(pace.behind());
            EXPECT_NEAR(pace.reached(), 0.75, 1.01 * std::abs(timeStep) + 0.02);
        }
}

TEST(Pace, doesNotCatchUpWithWhatTheMachineCouldNotMake) {
    Pace pace;
    EXPECT_NEAR(watched(pace, 10, 0.02, 1, 0.001, 4), 2, 0.02) << "four steps a frame are all it can";
    EXPECT_TRUE(pace.behind());
    EXPECT_NEAR(pace.reached(), 0.2, 0.01);
    EXPECT_LE(pace.due(0.02, 1, 0.001), 22) << "nothing is left of what was owed";
}

TEST(Pace, aStepThatTakesManyFramesIsOwedUntilItIsMade) {
    Pace pace;
    ASSERT_EQ(pace.due(1.0, 1, 0.1), 2) << "a pause of the machine is not made up for";
    pace.made(0);
    for (int frame = 0; frame < 50; ++frame) {
        EXPECT_GE(pace.due(0.0001, 1, 0.1), 1);
        pace.made(0);
    }
}

TEST(Pace, standsStillWithoutASpeed) {
    Pace pace;
    EXPECT_EQ(pace.due(0.1, 0, 0.01), 0);
    EXPECT_EQ(pace.due(0.1, 1, 0), 0);
}

TEST(SlowStep, saysHowLongAndHowManyBodiesCanBeWatched) {
    const auto costOf = [](double bodies, double forces) { return StepCost{.seconds = forces * bodies * bodies / 4.5e9}; };
    const auto slow = slowStep(524288, costOf(524288, 1));
    ASSERT_TRUE(slow);
    EXPECT_NEAR(slow->seconds, 61, 1);
    EXPECT_EQ(slow->bodies, 8192u);
    EXPECT_GE(slow->stepsPerSecond, 20);
    EXPECT_FALSE(slowStep(slow->bodies, costOf(static_cast<double>(slow->bodies), 1))) << "what is offered is not slow";
    EXPECT_FALSE(slowStep(524288, {})) << "nothing is known yet";
    EXPECT_NEAR(slowStep(524288, costOf(524288, 4))->seconds, 244, 4);
}

TEST(Story, everySceneHasOneThatIsWatchedWithinAMinute) {
    for (const Scene& scene : sceneTable()) {
        EXPECT_GT(scene.story.time, 0) << scene.name;
        EXPECT_GT(scene.story.seconds, 0) << scene.name;
        EXPECT_LE(scene.story.seconds, 50) << scene.name;
        EXPECT_GT(scene.story.time, 20 * scene.timeStep) << scene.name << ": that is no film";
    }
}

}  // namespace
}  // namespace gravlab
