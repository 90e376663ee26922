// The ladder against machines that are made up: a picture costs what the rung says, the rest of a frame is constant.
#include "app/services/adaptive_quality.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

/// Runs `frames` frames on a machine with these times [s]; gives the time of the last frame.
double run(AdaptiveQuality& ladder, double fullPicture, double rest, double simulation, int frames) {
    double last = 0;
    for (int i = 0; i < frames; ++i) {
        const double draw = fullPicture * ladder.rung().cost;
        last = draw + rest + ladder.budget(simulation);
        ladder.frame(last, last - draw, draw);
    }
    return last;
}

TEST(AdaptiveQuality, leavesAFastMachineAlone) {
    AdaptiveQuality ladder;
    run(ladder, 0.010, 0.005, 0.010, 1000);
    EXPECT_FALSE(ladder.lowered());
    EXPECT_EQ(ladder.text(), "");
    EXPECT_EQ(ladder.rung().quality, PictureQuality{});
}

TEST(AdaptiveQuality, holdsTheRateOnASlowOneAndSaysHow) {
    for (const double picture : {0.03, 0.05, 0.07}) {
        AdaptiveQuality ladder;
        EXPECT_LE(run(ladder, picture, 0.006, 0.010, 400), 1.05 * AdaptiveQuality::kFrame) << picture;
        EXPECT_TRUE(ladder.lowered());
        EXPECT_THAT(ladder.text(), testing::HasSubstr("look lowered for 30 frames/s"));
    }
}

TEST(AdaptiveQuality, takesTheSimulationsTimeOnlyAfterTheLook) {
    AdaptiveQuality ladder;
    run(ladder, 0.03, 0.006, 0.010, 400);
    EXPECT_EQ(ladder.budget(0.010), 0.010);
    AdaptiveQuality slow;
    EXPECT_LE(run(slow, 0.055, 0.012, 0.010, 600), 1.05 * AdaptiveQuality::kFrame);
    EXPECT_LT(slow.budget(0.010), 0.010);
    EXPECT_GT(slow.budget(0.010), 0);
    EXPECT_THAT(slow.text(), testing::HasSubstr("stepping"));
}

TEST(AdaptiveQuality, doesNotTakeASlowDisplayForASlowMachine) {
    AdaptiveQuality ladder;
    for (int i = 0; i < 600; ++i) ladder.frame(1.0 / 24, 0.012, 0.004);
    EXPECT_FALSE(ladder.lowered()) << ladder.text();
    EXPECT_EQ(ladder.budget(0.01), 0.01);
    // One that works all the time is slow, on whatever display.
    for (int i = 0; i < 600; ++i) ladder.frame(1.0 / 24, 0.04, 0.004);
    EXPECT_TRUE(ladder.lowered());
}

TEST(AdaptiveQuality, returnsToTheFullLookWhenThereIsTime) {
    AdaptiveQuality ladder;
    run(ladder, 0.09, 0.012, 0.010, 600);
    ASSERT_TRUE(ladder.lowered());
    run(ladder, 0.008, 0.002, 0.010, 4000);
    EXPECT_FALSE(ladder.lowered()) << ladder.text();
}

TEST(AdaptiveQuality, doesNotSwingBetweenTwoRungs) {
    for (double picture = 0.02; picture < 0.2; picture *= 1.13) {
        AdaptiveQuality ladder;
        run(ladder, picture, 0.006, 0.010, 600);
        int changes = 0;
        const QualityRung* before = &ladder.rung();
        for (int i = 0; i < 1000; ++i) {
            run(ladder, picture, 0.006, 0.010, 1);
            changes += &ladder.rung() != before;
            before = &ladder.rung();
        }
        EXPECT_LE(changes, 6) << picture;
    }
}

TEST(AdaptiveQuality, keepsTheLookWhenDrawingIsNotTheCauseOrItIsOff) {
    AdaptiveQuality ladder;
    run(ladder, 0.002, 0.1, 0.010, 200);
    EXPECT_EQ(ladder.rung().quality, PictureQuality{}) << "lowering would not help";
    AdaptiveQuality off;
    off.on = false;
    run(off, 0.2, 0.01, 0.010, 200);
    EXPECT_FALSE(off.lowered());
    EXPECT_EQ(off.budget(0.01), 0.01);
    EXPECT_EQ(off.rung().quality, PictureQuality{});
}

TEST(AdaptiveQuality, rungsGetCheaperOneByOne) {
    const auto rungs = qualityRungs();
    for (std::size_t i = 1; i < rungs.size(); ++i) {
        EXPECT_LT(rungs[i].cost, rungs[i - 1].cost);
        EXPECT_FALSE(rungs[i].text.empty());
        EXPECT_FALSE(rungs[i].quality == rungs[i - 1].quality);
    }
}

}  // namespace
}  // namespace gravlab
