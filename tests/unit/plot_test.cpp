// Ticks and numbers on plot axes: mistakes there are easily overlooked.
#include "app/plots/plot.h"

#include "app/plots/canvas.h"

#include <gtest/gtest.h>

namespace gravlab {
namespace {

TEST(Plot, LinearTicksAreRoundAndInside) {
    const auto ticks = roundTicks(0, 3150, false, 6);
    ASSERT_GE(ticks.size(), 3u);
    EXPECT_EQ(ticks.front(), 0);
    EXPECT_LE(ticks.back(), 3150);
    for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_NEAR(ticks[i] - ticks[i - 1], ticks[1] - ticks[0], 1e-9);
    EXPECT_EQ(ticks[1], 1000);
}

TEST(Plot, LogarithmicTicksAreDecades) {
    const auto ticks = roundTicks(900, 1.2e6, true, 5);
    const std::vector<double> want = {1e3, 1e4, 1e5, 1e6};
    ASSERT_EQ(ticks.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(ticks[i] / want[i], 1, 1e-12);
}

TEST(Plot, NoTicksForAnEmptyRange) {
    EXPECT_TRUE(roundTicks(1, 1, false, 5).empty());
    EXPECT_TRUE(roundTicks(2, 1, false, 5).empty());
}

TEST(Plot, NumbersReadLikeNumbers) {
    EXPECT_EQ(tickText(0), "0");
    EXPECT_EQ(tickText(65536), "65,536");
    EXPECT_EQ(tickText(-1048576), "-1,048,576");
    EXPECT_EQ(tickText(0.25), "0.25");
    EXPECT_EQ(tickText(1e-6), "1e-06");
    EXPECT_EQ(tickText(999), "999");
}

/// Pixels of the first curve's colour in the upper left part of a plot of one curve.
int curveAtTheUpperLeft(double from, double to) {
    Canvas canvas(300, 200, 12);
    Plot plot;
    plot.series.push_back({.label = "a curve", .x = {}, .y = {}, .error = {}, .hollow = {}, .markers = false});
    for (int i = 0; i <= 40; ++i) {
        plot.series[0].x.push_back(i);
        plot.series[0].y.push_back(from + (to - from) * i / 40);
    }
    drawPlot(canvas.list(), ImVec2(0, 0), canvas.size(), plot, {.lineWidth = 3});
    const auto rgb = canvas.finish();
    int found = 0;
    for (std::size_t y = 0; y < 90; ++y)
        for (std::size_t x = 30; x < 120; ++x) {
            const std::uint8_t* p = &rgb[3 * (y * 300 + x)];
            found += p[0] == 86 && p[1] == 180 && p[2] == 233;
        }
    return found;
}

TEST(Plot, TheLegendStandsWhereItHidesNothing) {
    // A falling curve begins in the corner where the legend of a rising one is. A legend's line alone has about 20 pixels.
    EXPECT_GT(curveAtTheUpperLeft(10, 1), 120);
    const int legend = curveAtTheUpperLeft(1, 10);
    EXPECT_GT(legend, 5) << "upper left, where nothing is";
    EXPECT_LT(legend, 120);
}

TEST(Plot, NeighbouringSeriesDiffer) {
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NE(seriesColour(i, false), seriesColour(i + 1, false));
}

}  // namespace
}  // namespace gravlab
