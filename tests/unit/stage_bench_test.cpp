// The table of `bench --frames --stages`: the content of each column.
#include "app/bench/stage_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gravlab {
namespace {

using testing::HasSubstr;

DrawTimes whole(double milliseconds) { return {.milliseconds = milliseconds}; }

DrawTimes staged(double each) {
    DrawTimes times{.milliseconds = 100, .detailed = true};
    times.stages.fill(each);
    return times;
}

TEST(StageBench, picturesAndStagesComeFromTheirOwnFrames) {
    StageSamples samples;
    for (const double time : {0.6, 0.5, 9.0}) samples.add(whole(time));
    for (const double time : {0.2, 0.1, 0.3}) samples.add(staged(time));
    for (const double time : {2.0, 1.0, 3.0}) samples.addFrame(time);
    samples.addPanels(0.25);
    StageRow row{.scene = "plummer", .bodies = 50, .width = 64, .height = 48};
    samples.finish(row);
    EXPECT_EQ(row.picture, 0.6) << "the median; what a detailed frame took as a whole is no picture";
    for (const double stage : row.stages) EXPECT_EQ(stage, 0.2);
    EXPECT_NEAR(row.sum, 0.2 * kDrawStages, 1e-12);
    EXPECT_EQ(row.frame, 2);
    EXPECT_EQ(row.panels, 0.25);
    EXPECT_EQ(row.frames, 6u);
    EXPECT_EQ(samples.pictures(), 3u);
    EXPECT_EQ(samples.detailed(), 3u);
}

TEST(StageBench, timesOfNothingAreNoTimes) {
    const DrawnFacts good{.bodies = 1000, .there = 1000, .frames = 60, .timed = 58, .shows = true};
    EXPECT_EQ(whyNotDrawn(good), "");
    DrawnFacts bad = good;
    bad.there = 0;
    EXPECT_EQ(whyNotDrawn(bad), "OpenGL has 0 of 1000 bodies");
    bad = good;
    bad.timed = 3;
    EXPECT_EQ(whyNotDrawn(bad), "OpenGL timed 3 pictures of 60");
    bad = good;
    bad.shows = false;
    EXPECT_EQ(whyNotDrawn(bad), "the last picture is empty");
    bad.lost = "the graphics driver was reset";
    EXPECT_EQ(whyNotDrawn(bad), "the graphics driver was reset");
}

TEST(StageBench, tableAndCsvHaveTheSameColumns) {
    StageRow row{.scene = "plummer", .bodies = 50, .width = 64, .height = 48};
    row.sum = 1.25, row.picture = 1.5, row.panels = 0.5, row.frame = 2.5, row.frames = 7;
    const std::string csv = stageCsv({&row, 1}), table = stageTable({&row, 1});
    EXPECT_THAT(csv, HasSubstr(",tone_ms,sum_ms,picture_ms,panels_ms,frame_ms,frames\n"));
    EXPECT_THAT(csv, HasSubstr(",1.250,1.500,0.500,2.500,7\n"));
    EXPECT_THAT(table, HasSubstr("sum   picture    panels     frame\n"));
    EXPECT_THAT(table, HasSubstr("1.250     1.500     0.500     2.500\n"));
    EXPECT_THAT(table, HasSubstr("paused"));
}

}  // namespace
}  // namespace gravlab
