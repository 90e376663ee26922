// Rates of papers: the content of the table, the figures that show them, and that a picture with them has unfilled marks.
#include "app/bench/papers.h"

#include "app/bench/figure.h"
#include "app/bench/sweep_axis.h"
#include "tests/files.h"
#include "tests/paths.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gravlab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const PlotSeries* curveNamed(const std::vector<PlotSeries>& curves, const std::string& label) {
    const auto found = std::ranges::find(curves, label, &PlotSeries::label);
    return found == curves.end() ? nullptr : &*found;
}

TEST(Papers, haveAllRatesThatWereComputed) {
    EXPECT_EQ(paperRates().size(), 41u);
    for (const PaperRate& rate : paperRates()) {
        EXPECT_GT(rate.rate, 0) << rate.paper << " " << rate.kernel;
        EXPECT_LT(rate.rate, 300e9) << "the launch that failed is no rate";
        EXPECT_LT(rate.rate, rate.bound > 0 ? rate.bound : 1e12) << rate.device;
        EXPECT_EQ(rate.bound > 0, rate.device == "A100" || rate.device == "GK104" || rate.device == "Tesla T4")
            << rate.device;
    }
}

TEST(Papers, standInTheFiguresOverWhatTheyVaried) {
    const std::vector<PlotSeries> blocks = paperCurves("block", PaperMeasure::gigaRate);
    const PlotSeries* basic = curveNamed(blocks, "paper 003: global, A100");
    ASSERT_TRUE(basic);
    EXPECT_THAT(basic->x, ElementsAre(1, 2, 3, 4, 8, 16, 30, 31, 32, 64, 128, 256, 512, 1023, 1024));
    EXPECT_DOUBLE_EQ(basic->y[7], 33.852);
    const PlotSeries* shared = curveNamed(blocks, "paper 003: tiled-atomics, A100, split 4");
    ASSERT_TRUE(shared);
    EXPECT_THAT(shared->x, ElementsAre(8, 16, 32, 64, 128, 256, 512));
    const std::vector<PlotSeries> splits = paperCurves("split", PaperMeasure::gigaRate);
    ASSERT_EQ(splits.size(), 1u);
    EXPECT_THAT(splits[0].x, ElementsAre(4, 8, 16, 32, 64, 128));
    EXPECT_DOUBLE_EQ(splits[0].y[3], 256.532);
    const std::vector<PlotSeries> unrolls = paperCurves("unroll", PaperMeasure::gigaRate);
    ASSERT_TRUE(curveNamed(unrolls, "paper 002: tiled, GK104"));
    EXPECT_THAT(curveNamed(unrolls, "paper 002: tiled, GK104")->y, ElementsAre(38.2, 44.5, 42.6, 45.2));
    for (const auto& curves : {blocks, splits, unrolls})
        for (const PlotSeries& curve : curves) {
            EXPECT_EQ(curve.hollow, std::vector<bool>(curve.x.size(), true)) << curve.label;
            EXPECT_EQ(curve.x.size(), curve.y.size());
        }
    const std::vector<PlotSeries> times = paperCurves("cpu-gpu", PaperMeasure::thousandSteps);
    const PlotSeries* turing = curveNamed(times, "paper 000: tiled, Tesla T4");
    ASSERT_TRUE(turing);
    EXPECT_THAT(turing->y.back(), testing::DoubleNear(21, 1e-9));
    const PlotSeries* serial = curveNamed(times, "paper 000: naive, Intel Xeon Gold 5218");
    ASSERT_TRUE(serial);
    EXPECT_THAT(serial->y, ElementsAre(18000));
    EXPECT_TRUE(paperCurves("waves", PaperMeasure::gigaRate).empty());
    EXPECT_FALSE(hasPapers("waves"));
}

TEST(Papers, areSharesOfWhatTheirDevicesCanIssue) {
    const std::vector<PlotSeries> shares = paperCurves("bodies", PaperMeasure::share);
    const PlotSeries* turing = curveNamed(shares, "paper 000: tiled, Tesla T4");
    ASSERT_TRUE(turing);
    EXPECT_THAT(turing->y.back(), testing::DoubleNear(70.3, 0.1));
    for (const PlotSeries& curve : shares)
        EXPECT_THAT(curve.label, testing::Not(HasSubstr("Xeon"))) << "a processor has none";
}

TEST(Papers, climbTheirOwnLadders) {
    const std::vector<PaperFactor> factors = paperFactors();
    const auto of = [&](const std::string& paper, const std::string& kernel) {
        for (const PaperFactor& one : factors)
            if (one.paper == paper && one.kernel == kernel) return one.factor;
        return 0.0;
    };
    EXPECT_THAT(of("002", "simd-threads"), testing::DoubleNear(332, 1));
    EXPECT_THAT(of("003", "tiled-atomics"), testing::DoubleNear(256.532 / 0.081, 1e-6));
    EXPECT_THAT(of("000", "naive-symmetric"), testing::DoubleNear(2, 1e-2));
    EXPECT_EQ(of("001", "tiled"), 0);
}

TEST(Papers, changeThePictureOfAFigure) {
    SweepResult result{.point = {.backend = "cuda", .bodies = 4096, .series = "N = 4,096", .x = 128},
                       .row = {.backend = "cuda",
                               .device = "a device",
                               .kernel = "tiled",
                               .repeats = 3,
                               .interactionsPerSecond = 3e11,
                               .msPerStep = 2,
                               .boundPerSecond = 2e12,
                               .verified = true}};
    for (const char* name : {"block", "unroll", "split", "bodies", "cpu-gpu"}) {
        const std::string csv = figureCsv(figure(name), std::vector{result});
        const Page plain = figurePage(figure(name), csv), beside = figurePage(figure(name), csv, {}, true);
        EXPECT_TRUE(plain.papers.empty()) << name;
        ASSERT_EQ(beside.papers.size(), std::string_view(name) == "cpu-gpu" ? 1u : 2u) << name;
        EXPECT_FALSE(beside.papers[0].empty()) << name;
    }
}

/// Recorded numbers are drawn again, also on a machine without that device.
TEST(PapersCli, drawRecordedNumbersWithoutMeasuring) {
    const ScratchFolder folder;
    const std::string recorded = std::string(GRAVLAB_SOURCE_DIR) + "/docs/benchmarks/", file = (folder / "f.svg").string(),
                      table = recorded + "nvidia-h200-cpu-gpu.csv";
    const Outcome drawn = runGravlab({"bench", "--figure", "cpu-gpu", "--from", table, "--beside", "papers", "-o", file});
    if (drawn.err.find("python3-matplotlib") == std::string::npos) {
        ASSERT_EQ(drawn.code, 0) << drawn.err;
        const std::string svg = contentOf(file);
        for (const char* text : {"drawn from nvidia-h200-cpu-gpu.csv", "hollow: extrapolated", "measured on 2026-",
                                 "NVIDIA H200, 132 multiprocessors", "GPU, tiled", "paper 000: naive"})
            EXPECT_THAT(svg, HasSubstr(text));
    } else {
        EXPECT_EQ(drawn.code, 6);
        EXPECT_FALSE(fs::exists(folder / "f.csv")) << "its numbers are in the table that was named";
    }
    struct Case {
        std::vector<std::string> words;
        const char* reason;
    };
    for (const Case& one :
         {Case{{"cpu-gpu", "--from", table, "-o", file, "-n", "64"}, "measures nothing"},
          Case{{"cpu-gpu", "--from", table, "-o", "f.csv"}, "draws numbers again"},
          Case{{"groups", "--from", recorded + "papers.csv", "-o", file}, "papers.csv: there is no point to draw"}}) {
        std::vector<std::string> words{"bench", "--figure"};
        words.insert(words.end(), one.words.begin(), one.words.end());
        EXPECT_THAT(runGravlab(words).err, HasSubstr(one.reason));
    }
}

TEST(PapersCli, areRefusedWhereTheyHaveNothing) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"bench", "--beside", "papers"},
                                                  {"bench", "--figure", "waves", "-o", "w.png", "--beside", "papers"},
                                                  {"bench", "--figure", "block", "-o", "w.csv", "--beside", "papers"},
                                                  {"bench", "--figure", "block", "-o", "w.png", "--beside", "books"}}) {
        const Outcome outcome = runGravlab(words);
        EXPECT_EQ(outcome.code, 2) << outcome.err;
        EXPECT_THAT(outcome.err, testing::AnyOf(HasSubstr("--beside"), HasSubstr("books")));
    }
}

}  // namespace
}  // namespace gravlab
