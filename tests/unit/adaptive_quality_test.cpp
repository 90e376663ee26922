// The ladder against machines that are made up: a picture costs what the level says, the rest of a frame is constant.
#include "app/services/adaptive_quality.h"
#include "app/runs/run_host.h"
#include "app/services/pace.h"
#include "sim/scenes/scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

/// A machine [s]: times of the full picture, of the rest of a frame, and of the steps per second that the speed needs.
struct Machine {
    double picture, rest, wanted;
    bool helps = true;  ///< a lower quality is faster
};

struct Frame {
    double seconds = 0, steps = 0;
};

/// Runs `frames` frames; returns the mean of the last 240.
Frame run(AdaptiveQuality& ladder, const Machine& machine, int frames) {
    Frame last{AdaptiveQuality::kFrame, 0}, mean;
    constexpr int kMeant = 240;
    for (int i = 0; i < frames; ++i) {
        const double draw = machine.picture * (machine.helps ? ladder.level().cost : 1);
        const double wanted = machine.wanted * last.seconds;
        last.steps = std::min(ladder.budget(), wanted);
        last.seconds = draw + machine.rest + last.steps;
        ladder.stepped(last.steps, wanted > last.steps);
        ladder.frame(last.seconds, last.seconds - draw, draw);
        if (i < frames - kMeant) continue;
        mean.seconds += last.seconds / kMeant;
        mean.steps += last.steps / kMeant;
    }
    return mean;
}

constexpr double kAll = 10;  // more than any machine computes: the steps never keep up

TEST(AdaptiveQuality, leavesAFastMachineAlone) {
    AdaptiveQuality ladder;
    const Frame last = run(ladder, {0.010, 0.005, 0.3}, 1000);
    EXPECT_FALSE(ladder.lowered());
    EXPECT_EQ(ladder.text(), "");
    EXPECT_EQ(ladder.level().quality, PictureQuality{});
    EXPECT_NEAR(last.steps / last.seconds, 0.3, 0.01) << "the story goes on at its speed";
}

TEST(AdaptiveQuality, stepsThatDoNotKeepUpHaveMostOfTheTimeAtEightFramesASecond) {
    for (const double picture : {0.002, 0.02, 0.035, 0.06, 0.09}) {
        AdaptiveQuality ladder;
        const Frame last = run(ladder, {picture, 0.004, kAll}, 600);
        EXPECT_LE(last.seconds, 1.02 * AdaptiveQuality::kLongest) << picture;
        EXPECT_GE(last.steps, 0.6 * last.seconds) << picture;
    }
}

TEST(AdaptiveQuality, stepsHaveHalfOfAFrameHoweverSlowThePicture) {
    AdaptiveQuality ladder;
    const Frame last = run(ladder, {0.5, 0.01, kAll}, 600);
    EXPECT_GE(last.steps, 0.49 * last.seconds);
    EXPECT_TRUE(ladder.lowered());
    EXPECT_THAT(ladder.text(), testing::HasSubstr("slow machine: picture at 35 %"));
    EXPECT_THAT(ladder.text(), testing::HasSubstr("no trails"));
    ladder.keepsTrails = true;
    EXPECT_EQ(ladder.text(), "slow machine: picture at 35 %");
}

TEST(AdaptiveQuality, spoilsThePictureOnlyWhereItWouldStutter) {
    AdaptiveQuality ladder;
    run(ladder, {0.022, 0.004, kAll}, 600);
    EXPECT_GE(ladder.level().quality.scale, 0.7f) << "15 frames a second are enough to see where it goes";
    EXPECT_TRUE(ladder.level().quality.trails);
    AdaptiveQuality slow;
    run(slow, {0.09, 0.004, kAll}, 600);
    EXPECT_LT(slow.level().quality.scale, 0.7f);
}

TEST(AdaptiveQuality, doesNotTakeASlowDisplayForASlowMachine) {
    AdaptiveQuality ladder;
    ladder.stepped(0.004, false);
    for (int i = 0; i < 600; ++i) ladder.frame(1.0 / 24, 0.012, 0.004);
    EXPECT_FALSE(ladder.lowered()) << ladder.text();
    // A machine that works all the time is slow on any display.
    run(ladder, {0.036, 0.004, 0.1}, 2000);
    EXPECT_TRUE(ladder.lowered());
}

TEST(AdaptiveQuality, takesBackWhatDidNotHelp) {
    AdaptiveQuality ladder;
    run(ladder, {0.05, 0.004, kAll, false}, 400);
    EXPECT_FALSE(ladder.lowered()) << ladder.text();
}

TEST(AdaptiveQuality, returnsToTheFullLookWhenThereIsTime) {
    AdaptiveQuality ladder;
    run(ladder, {0.09, 0.012, kAll}, 600);
    ASSERT_TRUE(ladder.lowered());
    run(ladder, {0.008, 0.002, 0.3}, 8000);
    EXPECT_FALSE(ladder.lowered()) << ladder.text();
}

TEST(AdaptiveQuality, changesTheLookAtMostOnceInHalfAMinuteWhateverComesAndGoes) {
    for (double picture = 0.005; picture < 0.4; picture *= 1.3)
        for (const double burst : {1.0, 3.0, 10.0}) {
            AdaptiveQuality ladder;
            ladder.startLow();
            ladder.photograph = true;
            const QualityLevel* before = &ladder.level();
            double time = 0, changed = -AdaptiveQuality::kHold;
            int changes = 0;
            while (time < 300) {
                // Other programs take the processors for a while, again and again.
                const bool loaded = std::fmod(time, 7) < 4;
                const double draw = picture * (loaded ? burst : 1) * ladder.level().costOfPhotograph;
                const double seconds = draw + 0.006 + ladder.budget();
                ladder.stepped(ladder.budget(), true);
                ladder.frame(seconds, seconds - draw, draw);
                time += seconds;
                if (&ladder.level() == before) continue;
                EXPECT_GE(time - changed, AdaptiveQuality::kHold) << picture << " " << burst << " at " << time;
                before = &ladder.level();
                changed = time;
                ++changes;
            }
            EXPECT_LE(changes, 6) << picture << " " << burst;
        }
}

TEST(AdaptiveQuality, anotherSizeOfThePictureIsJudgedAtOnce) {
    AdaptiveQuality ladder;
    run(ladder, {0.010, 0.005, 0.3}, 100);
    ladder.chooseAnew();
    run(ladder, {0.3, 0.005, 0.3}, 5);
    EXPECT_TRUE(ladder.lowered());
}

TEST(AdaptiveQuality, keepsTheLookWhenDrawingIsNotTheCauseOrItIsOff) {
    AdaptiveQuality ladder;
    run(ladder, {0.002, 0.1, kAll}, 200);
    EXPECT_EQ(ladder.level().quality, PictureQuality{}) << "lowering would not help";
    AdaptiveQuality off;
    off.on = false;
    const Frame last = run(off, {0.2, 0.01, kAll}, 500);
    EXPECT_FALSE(off.lowered());
    EXPECT_GE(last.steps, 0.49 * last.seconds) << "the steps have their half all the same";
    EXPECT_EQ(off.level().quality, PictureQuality{});
}

TEST(AdaptiveQuality, beginsLowAndFindsItsLookWithinTwoSeconds) {
    for (const bool photograph : {false, true})
        for (const double picture : {0.004, 0.02, 0.06, 0.2, 0.4, 0.6}) {
            AdaptiveQuality ladder;
            ladder.photograph = photograph;
            ladder.startLow();
            const auto cost = [&] { return photograph ? ladder.level().costOfPhotograph : ladder.level().cost; };
            double time = 0, draw = 0;
            while (time < 2) {
                draw = picture * cost();
                const double seconds = draw + 0.004;
                ladder.stepped(0.001, false);
                ladder.frame(seconds, seconds - draw, draw);
                time += seconds;
            }
            const double half = 0.5 / 8;  // [s]; the time of a frame that does not stutter
            draw = picture * cost();
            EXPECT_LE(draw, std::max(half, picture * (photograph ? 0.06 : 0.38) + 1e-9)) << picture;
            if (picture < 0.02) {
                EXPECT_FALSE(ladder.lowered()) << picture;
            }
            const QualityLevel* found = &ladder.level();
            for (int frame = 0; frame < 50; ++frame) ladder.frame(draw + 0.004, 0.004, draw);
            EXPECT_EQ(&ladder.level(), found) << "it stays, picture " << picture << ", photograph " << photograph;
        }
}

TEST(AdaptiveQuality, slowPicturesAreJudgedByTime) {
    AdaptiveQuality ladder;
    double time = 0;
    for (int frame = 0; !ladder.lowered() && frame < 100; ++frame) {
        ladder.frame(0.57, 0.005, 0.56);
        time += 0.57;
    }
    EXPECT_LT(time, 2) << "twelve such frames would be seven seconds";
    EXPECT_EQ(ladder.level().quality.scale, qualityLevels().back().quality.scale) << "all steps at once";
}

TEST(AdaptiveQuality, veryManyBodiesAreThinnedWhileTheCameraMoves) {
    EXPECT_EQ(thinnedBy(100'000'000, 18), 4);
    EXPECT_EQ(thinnedBy(100'000'000, 777), 32) << "fewer than two million would be seen one by one";
    EXPECT_EQ(thinnedBy(10'000'000, 3), 1);
    EXPECT_EQ(thinnedBy(1'000'000, 500), 1);
    EXPECT_EQ(thinnedBy(100'000'000, 0), 1) << "not known yet";
}

TEST(AdaptiveQuality, levelsGetCheaperOneByOne) {
    const auto levels = qualityLevels();
    for (std::size_t i = 1; i < levels.size(); ++i) {
        EXPECT_LT(levels[i].cost, levels[i - 1].cost);
        EXPECT_LT(levels[i].costOfPhotograph, levels[i - 1].costOfPhotograph);
        EXPECT_GE(levels[i].beyond, levels[i - 1].beyond);
        EXPECT_FALSE(levels[i].text.empty());
        EXPECT_GT(levels[i].quality.glowShrink, 0) << "the light of a photograph stays";
        EXPECT_LE(static_cast<float>(levels[i].quality.glowShrink / 2) / levels[i].quality.scale, 9)
            << "texels of gas and dust";
        EXPECT_FALSE(levels[i].quality == levels[i - 1].quality);
    }
}

// Simulated time against frames of made-up machines. Every scene has a story that can be watched.

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

TEST(StepForecast, timesTheWalkOfATreeAlone) {
    StepForecast forecast;
    EXPECT_EQ(forecast.after(0.12, 6, false), 0) << "the walk has just begun";
    EXPECT_NEAR(forecast.after(0.32, 6.6, false), 3, 1e-9);
    EXPECT_EQ(forecast.after(0.11, 9, false), 0) << "the next step";
    EXPECT_NEAR(forecast.after(0.31, 9.4, false), 2, 1e-9);
    StepForecast pairs;
    EXPECT_EQ(pairs.after(0.01, 1, true), 0);
    EXPECT_NEAR(pairs.after(0.04, 1.9, true), 30, 1e-9);
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
