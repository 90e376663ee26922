// Pages that Python draws, and drawings of lessons.
#include "app/bench/card.h"
#include "app/bench/figure.h"
#include "app/lessons/lesson_file.h"
#include "app/lessons/worksheet.h"
#include "app/plots/canvas.h"
#include "app/plots/diagram.h"
#include "app/plots/page.h"
#include "app/plots/plot.h"
#include "app/system/picture.h"
#include "sim/api/errors.h"
#include "tests/surroundings.h"
#include "tests/unit/cli_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

/// Why pages of this test cannot be drawn; empty where they can.
std::string whyNoScript() { return drawnPages({}, "svg").why; }

std::string drawnBy(const Page& page, std::string_view format) {
    const DrawnPages drawn = drawnPages({page}, format);
    EXPECT_EQ(drawn.why, "");
    return drawn.files.empty() ? std::string() : drawn.files.front();
}

/// A page of a figure, as the program makes it of these numbers.
Page pageOf(const char* name, const std::string& csv, bool papers = false) {
    return figurePage(figure(name), csv, "a note", papers);
}

const std::string kRates = "series,x,interactions_per_second,spread,verified,device,driver,date\n";

TEST(Script, drawsEveryFormatTheSameEachTime) {
    if (const std::string why = whyNoScript(); !why.empty()) GTEST_SKIP() << "NO PICTURE IS DRAWN: " << why;
    EXPECT_EQ(pictureFormat("a/b.svg"), "svg");
    EXPECT_EQ(pictureFormat("svg.txt"), "");
    // Texts come from cells of a CSV: none is a formula, a tag or a hidden name.
    const Page page = pageOf("bodies", kRates +
                                           "_$x^2$ <b> & \\$,1024,2e9,0.1,true,a $GPU$,580,2026-11-26\n"
                                           "a curve,1024,3e9,0.1,true,a $GPU$,580,2026-11-26\n");
    const std::string svg = drawnBy(page, "svg");
    for (const char* text : {"_$x^2$ &lt;b&gt; &amp; \\$", "a curve", "Rate over the number of bodies", "a note",
                             "a $GPU$, driver 580; measured on 2026-11-26", "gravlab:figure: bodies"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_THAT(svg, Not(HasSubstr("<dc:date>")));
    EXPECT_EQ(drawnBy(page, "svg"), svg);
    const DrawnPages pages = drawnPages({page, page}, "pdf");
    ASSERT_THAT(pages.files, SizeIs(2));
    EXPECT_EQ(pages.files[0], pages.files[1]);
    EXPECT_THAT(pages.files[0], AllOf(StartsWith("%PDF-"), Not(HasSubstr("CreationDate"))));
}

TEST(Script, drawsWhatFiguresShowBesideTheirCurves) {
    if (const std::string why = whyNoScript(); !why.empty()) GTEST_SKIP() << "NO PICTURE IS DRAWN: " << why;
    const std::vector<std::pair<Page, std::vector<const char*>>> cases{
        {pageOf("roofline",
                "kernel,interactions_per_second,flop_per_byte,peak_multiply_adds_per_second,peak_bytes_per_second\n"
                "tiled,1e12,100,3e13,5e12\n"),
         {"memory: 5 TB/s", "multiply-adds only: 60 TFLOP/s", "tiled"}},
        {pageOf("crossover", "series,x,ms_per_step\nevery pair,1000,1\nevery pair,4000,16\ntree,1000,2\ntree,4000,8\n"),
         {"tree, faster from 2,000"}},
        {pageOf("energy-dt",
                "series,x,largest_error,slope,precision\nleapfrog,1,1e-3,1.98,fp64\nleapfrog,2,4e-3,1.98,fp64\n"),
         {"fp64", "largest |E - E0| / |E0|"}},
        {pageOf("bonds", "kernel,imbalance,ends_per_second,note\nbonds-per-element,1,2e9,\nbonds-per-row,2,9e9,\n"),
         {"paper 004: 3 times bonds-per-element, for equal rows"}},
        {pageOf("waves", kRates.substr(0, kRates.size() - 1) + ",n,block,blocks,multiprocessors\n"
                                                               "p = 64,64,1e9,0,true,a,1,d,4096,64,64,132\n"
                                                               "p = 64,256,4e9,0,true,a,1,d,16384,64,256,132\n"),
         {"64 *", "256", "16,384"}},
        {pageOf("ladder",
                "series,x,backend,kernel,n,interactions_per_second,verified,rel_error_p999,lines,factor\n"
                "cpu naive,1,cpu,naive,4096,1e9,true,1e-7,22,1\ncuda tiled,2,cuda,tiled,4096,2e9,true,1e-7,67,2\n"
                "cuda tiled,3,cuda,tiled,4096,5e9,true,1e-7,67,5\ncuda soa,4,cuda,soa,4096,,false,1e-2,3,\n",
                true),
         {"N = 4,096, forces only", "lines", "5 x", "FAILED ITS CHECK: no rate", "circles: papers"}},
        {pageOf("block", kRates + "\"N = 4,096\",128,2e9,0.1,true,a,580,2026-11-26\n", true),
         {"N = 4,096", "paper 003: tiled-atomics, A100, split 4", "fraction of each device", "#707070"}}};
    std::vector<Page> pages;
    for (const auto& [page, texts] : cases) pages.push_back(page);
    const DrawnPages drawn = drawnPages(pages, "svg");
    ASSERT_THAT(drawn.files, SizeIs(cases.size())) << drawn.why;
    for (std::size_t k = 0; k < cases.size(); ++k)
        for (const char* text : cases[k].second)
            EXPECT_NE(drawn.files[k].find(text), std::string::npos) << pages[k].name << ": " << text;
    EXPECT_THAT(drawn.files[5], Not(HasSubstr("registers"))) << "a column without a number";
    for (const char* colour : {"#e69f00", "#009e73", "#cc79a7"})
        EXPECT_THAT(drawn.files.back(), Not(HasSubstr(colour))) << "a paper has the colour of a curve";
}

TEST(Script, keepsTheNumbersWhereItCannotDraw) {
    const ScratchFolder folder;
    std::ofstream(folder / "python") << "#!/bin/sh\nexit 3\n";  // as figures.py ends without matplotlib
    fs::permissions(folder / "python", fs::perms::owner_all);
    const EnvironmentVariable python("GRAVLAB_PYTHON", (folder / "python").string());
    const std::string file = (folder / "f.svg").string();
    Page page{.name = "bodies", .title = "t", .csv = ""};
    const auto refusal = [&](const char* csv) -> std::string {
        try {
            page.csv = csv;
            writePage(file, page, true);
            return "";
        } catch (const IoError& error) {
            return error.what();
        }
    };
    EXPECT_THAT(refusal("x,y\n1,2\n"),
                AllOf(HasSubstr("python3-matplotlib"), HasSubstr("the numbers are in " + (folder / "f.csv").string())));
    EXPECT_EQ(contentOf(folder / "f.csv"), "x,y\n1,2\n");
    EXPECT_THAT(refusal("x,y\n3,4\n"), HasSubstr("f.csv.partial"));
    EXPECT_EQ(contentOf(folder / "f.csv"), "x,y\n1,2\n") << "an older table stays";
    EXPECT_EQ(contentOf(folder / "f.csv.partial"), "x,y\n3,4\n");
    EXPECT_FALSE(fs::exists(file));
    const EnvironmentVariable none("GRAVLAB_PYTHON", "/no/such/python");
    EXPECT_THAT(drawnPages({page}, "svg").why, HasSubstr("there is no python3"));
}

TEST(Ink, drawingsOfLessonsStayInTheirArea) {
    EXPECT_THROW(diagram("no-such"), UsageError);
    for (const Diagram& drawing : diagrams()) {
        int used = 0;
        EXPECT_EQ(decodePng(diagramPng(drawing), "drawing").texts.at("Description"), drawing.idea);
        // Nothing is below the height that it names or right of its width: there a larger picture has no pixels.
        constexpr int kWidth = 420, kFont = 14, kRow = kWidth + 80;
        const int high = static_cast<int>(drawing.lines * kFont) + 2;
        Canvas canvas(kRow, 2 * high, kFont);
        EXPECT_FLOAT_EQ(drawDiagram(canvas.list(), drawing, ImVec2(1, 1), kWidth, false),
                        drawing.lines * ImGui::GetFontSize());
        const std::vector<std::uint8_t> rgb = canvas.finish();
        const auto lit = [&](int left, int right, int top, int bottom) {
            std::ptrdiff_t count = 0;
            for (int y = top; y < bottom; ++y)
                count += std::count_if(rgb.begin() + 3 * (kRow * y + left), rgb.begin() + 3 * (kRow * y + right),
                                       [](std::uint8_t c) { return c > 0; });
            return count;
        };
        EXPECT_EQ(lit(0, kRow, high, 2 * high), 0) << drawing.name;
        EXPECT_EQ(lit(kWidth + 2, kRow, 0, high), 0) << drawing.name << " is cut";
        EXPECT_GT(lit(0, kRow, high - 2 * kFont, high), 0) << drawing.name << " is lower than it says";
        for (const std::string& name : lessonNames())
            for (const LessonStep& step : lessonNamed(name)->steps) used += step.picture == drawing.name;
        EXPECT_GT(used, 0) << drawing.name << " is in no lesson";
    }
    EXPECT_THAT(worksheetHtml(*lessonNamed("few-bodies"), nullptr), HasSubstr("src=\"data:image/png;base64,iVBORw0KGgo"));
}

// The benchmark card: its content, and that it cannot be made without results.

SweepResult measured(std::size_t bodies, double rate) {
    SweepResult result{.point = {.bodies = bodies, .x = static_cast<double>(bodies)}};
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
    const Page page = cardPage(results);
    const std::string text = cardText(page);
    for (const char* part : {"Some GPU, 100 multiprocessors", "driver 580.95", "1,830 MHz under load, 1,980 MHz at most",
                             "2,012 G interactions/s, whole steps, N = 65,536, fp32", "4,024", "tiled-split, block 128",
                             "split 16", "1.2e-06", "1.25", "Median of up to 5", "double precision", "leapfrog"})
        EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(text, Not(HasSubstr("4,096"))) << "a rate that was not verified is not on the card";
    EXPECT_THAT(page.title, HasSubstr("2,012 G interactions/s, whole steps, N = 65,536, fp32\nSome GPU"));
    EXPECT_EQ(page.grid.size(), 3u) << "a head and two rates";
    EXPECT_EQ(linesOf(page.csv).size(), 4u);
    EXPECT_THAT(page.notes, testing::Contains(HasSubstr("driver 580.95; 1,830 MHz")));
    EXPECT_THAT(page.texts.at("gravlab:card"), HasSubstr("2,012"));
}

TEST(Card, cannotBeMadeOfNothing) {
    SweepResult failed = measured(1024, 1e12);
    failed.row.verified = false;
    EXPECT_THROW(cardPage({}), UsageError);
    EXPECT_THROW(cardPage({&failed, 1}), UsageError);
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

// Ticks and numbers on plot axes: mistakes there are easily overlooked.

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
