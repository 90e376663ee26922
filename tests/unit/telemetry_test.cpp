// Rates over the last frames, and the plot's points, at any time of the clock.
#include "app/services/telemetry.h"
#include "app/bench/stage_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gravlab {
namespace {

/// Frames of a sixtieth of a second, each with 1e9 interactions in 10 ms of forces.
Telemetry after(int frames, double clock) {
    Telemetry telemetry;
    WorkTotals totals;
    for (int frame = 0; frame < frames; ++frame) {
        telemetry.frame(totals, clock + frame / 60.0, 0.002);
        totals.interactions += 1e9;
        totals.forceSeconds += 0.01;
        totals.steps += 1;
    }
    return telemetry;
}

TEST(Telemetry, RatesAreThoseOfTheForcesAlone) {
    const Telemetry telemetry = after(121, 5);
    EXPECT_NEAR(telemetry.interactionsPerSecond, 1e11, 1);
    EXPECT_NEAR(telemetry.stepsPerSecond, 60, 0.01);
    EXPECT_NEAR(telemetry.framesPerSecond, 60, 0.01);
    EXPECT_NEAR(telemetry.drawMs, 2, 1e-6);
}

TEST(Telemetry, StepsOfManyFramesHaveARateToo) {
    // A step ends every 30 frames: none in most windows.
    Telemetry telemetry;
    WorkTotals totals;
    int frame = 0;
    const auto next = [&] { telemetry.frame(totals, 3 + frame++ / 20.0, 0.002); };
    for (; frame < 200;) {
        if (frame % 30 == 29) ++totals.steps;
        next();
        if (frame > 61) {
            EXPECT_NEAR(telemetry.stepsPerSecond, 1 / 1.5, 0.03) << "frame " << frame;
        }
    }
    // The next step is overdue; after that it is certain that none will come.
    while (frame < 239) next();
    EXPECT_NEAR(telemetry.stepsPerSecond, 1 / 2.95, 0.05);
    while (frame < 280) next();
    EXPECT_EQ(telemetry.stepsPerSecond, 0);
    totals.steps += 1;
    next();
    EXPECT_GT(telemetry.stepsPerSecond, 0);
    telemetry.restart();
    next();
    next();
    EXPECT_EQ(telemetry.stepsPerSecond, 0);
}

TEST(Telemetry, AForceOfManyFramesHasItsWholeTime) {
    Telemetry telemetry;
    WorkTotals totals;
    for (int frame = 0; frame < 25; ++frame) {
        telemetry.frame(totals, 3.0 * frame, 0.002);
        totals.forceSeconds += 2;
        totals.forceEvaluations += frame % 5 == 4;
    }
    EXPECT_NEAR(telemetry.forceSeconds, 10, 1e-9);
}

/// A clock that started long ago has coarser numbers: a plot must not depend on it.
TEST(Telemetry, ThePlotGrowsByTenPointsASecondOnEveryClock) {
    for (const double clock : {0.0, 0.3, 17.77, 12345.678, 19876.543, 1.7e6, 1.234567e9}) {
        const Telemetry telemetry = after(181, clock);
        EXPECT_NEAR(static_cast<double>(telemetry.historyCount), 30, 2) << "clock " << clock;
        EXPECT_FLOAT_EQ(telemetry.rateHistory.back(), 100);
    }
}

TEST(Telemetry, NothingIsRememberedWithoutWork) {
    Telemetry telemetry;
    for (int frame = 0; frame < 100; ++frame) telemetry.frame({}, 100 + frame / 60.0, 0.002);
    EXPECT_EQ(telemetry.historyCount, 0u);
    EXPECT_EQ(telemetry.interactionsPerSecond, 0);
}

// Quantiles of frame times: exact for known lists, blind to the first frames.

TEST(FrameTimes, AreTheQuantilesOfWhatCameAfterTheStart) {
    FrameTimes times;
    EXPECT_EQ(times.text(), "");
    for (int k = 0; k < 20; ++k) times.add(9);  // the start
    EXPECT_EQ(times.text(), "") << "there is nothing to tell yet";
    for (int k = 100; k >= 1; --k) times.add(1e-3 * k);
    EXPECT_EQ(times.quantile(0.5), 0.050);
    EXPECT_EQ(times.quantile(0.99), 0.099);
    EXPECT_EQ(times.quantile(1), 0.100);
    // 100 frames in 5.05 s
    EXPECT_EQ(times.text(),
              "19.8 a second, median 50.00 ms, 99 % within 99.00 ms, longest 100.00 ms (100 frames, the first 20 left out)");
}

// The table of `bench --frames --stages`: the content of each column.

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
    EXPECT_THAT(table, HasSubstr("sum  picture  panels  frame\n"));
    EXPECT_THAT(table, HasSubstr("1.250    1.500   0.500  2.500\n"));
    EXPECT_THAT(table, HasSubstr("paused"));
}

}  // namespace
}  // namespace gravlab
