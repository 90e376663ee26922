// Rates over the last frames, and the plot's points, at any time of the clock.
#include "app/services/telemetry.h"

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

}  // namespace
}  // namespace gravlab
