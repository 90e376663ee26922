// The benchmark card: its content, and that it cannot be made without results.
#include "app/bench/card.h"

#include "app/system/picture.h"
#include "sim/core/error.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>

namespace gravlab {
namespace {

using testing::HasSubstr;
using testing::Not;

SweepResult measured(std::size_t bodies, double rate) {
    SweepResult result;
    result.point.bodies = bodies;
    result.point.x = static_cast<double>(bodies);
    BenchmarkRow& row = result.row;
    row.verified = true;
    row.backend = "cuda";
    row.device = "Some GPU, 100 multiprocessors";
    row.kernel = "tiled-split";
    row.integrator = "leapfrog";
    row.precision = "fp32";
    row.bodies = bodies;
    row.block = 128;
    row.unroll = 8;
    row.split = 16;
    row.repeats = 5;
    row.interactionsPerSecond = rate;
    row.stepInteractionsPerSecond = 0.5 * rate;
    row.msPerStep = 1.25;
    row.errorP999 = 1.2e-6;
    row.clock = 1.83e9;
    result.facts.driver = "580.95";
    result.facts.multiprocessors = 100;
    result.facts.highestClock = 1.98e9;
    return result;
}

TEST(Card, holdsDeviceDriverClocksProtocolTableAndError) {
    SweepResult failed = measured(4096, 9e15);
    failed.row.verified = false;
    const SweepResult results[] = {measured(1024, 4.0e11), failed, measured(65536, 4.024e12)};
    const std::string text = cardText(makeCard(results));
    for (const char* part : {"Some GPU, 100 multiprocessors", "driver 580.95", "1,830 MHz under load, 1,980 MHz at most",
                             "2,012 G interactions/s, whole steps, N = 65,536, fp32", "4,024", "tiled-split, block 128",
                             "split 16", "1.2e-06", "1.25", "Median of up to 5", "double precision", "leapfrog"})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(text, Not(HasSubstr("4,096"))) << "a rate that was not verified is not on the card";
    const Page page = cardPage(makeCard(results), results);
    EXPECT_THAT(page.title, HasSubstr("2,012 G interactions/s, whole steps, N = 65,536, fp32\nSome GPU"));
    EXPECT_EQ(page.grid.size(), 3u) << "a head and two rates";
    EXPECT_EQ(linesOf(page.csv).size(), 4u);
    EXPECT_THAT(page.notes, testing::Contains(HasSubstr("driver 580.95; 1,830 MHz")));
    EXPECT_THAT(page.texts.at("gravlab:card"), HasSubstr("2,012"));
}

TEST(Card, cannotBeMadeOfNothing) {
    SweepResult failed = measured(1024, 1e12);
    failed.row.verified = false;
    EXPECT_THROW(makeCard({}), UsageError);
    EXPECT_THROW(makeCard({&failed, 1}), UsageError);
}

TEST(CliCard, writesTextAndPicture) {
    const ScratchFolder folder;
    const Outcome text = runGravlab({"bench", "--backend", "cpu", "--kernel", "simd", "-n", "64,128", "--repeats", "1",
                                     "--card", (folder / "card.txt").string()});
    ASSERT_EQ(text.code, 0) << text.err;
    EXPECT_THAT(contentOf(folder / "card.txt"), HasSubstr("kernel and launch"));
    EXPECT_THAT(contentOf(folder / "card.txt"), HasSubstr("simd"));
    if (const std::string why = drawnPages({}, "png").why; !why.empty()) GTEST_SKIP() << "NO CARD IS DRAWN: " << why;
    const Outcome picture = runGravlab({"bench", "--backend", "cpu", "--kernel", "simd", "-n", "64", "--repeats", "1",
                                        "--card", (folder / "card.png").string()});
    ASSERT_EQ(picture.code, 0) << picture.err;
    EXPECT_EQ(readPng((folder / "card.png").string()).width, 1600);
    EXPECT_EQ(runGravlab({"bench", "--card", "card.jpg"}).code, 2);
    EXPECT_EQ(runGravlab({"bench", "--card", "card.png", "-o", "x"}).code, 2);
}

}  // namespace
}  // namespace gravlab
