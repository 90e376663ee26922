// Figures: their measurements, their refusals, and that a picture shows the measured values.
#include "app/bench/figure.h"

#include "app/bench/figure_parts.h"
#include "app/bench/sweep_axis.h"
#include "app/plots/canvas.h"
#include "sim/api/errors.h"
#include "tests/files.h"
#include "tests/paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace gravlab {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

FigureRequest requestFor(const char* backendName) {
    FigureRequest request{.backend = backendName};
    return request;
}

/// Results with a made-up `rate` at each point.
std::vector<SweepResult> madeUp(const std::vector<SweepPoint>& points, double rate) {
    std::vector<SweepResult> results;
    for (const SweepPoint& point : points) {
        SweepResult result{.point = point,
                           .row = {.backend = point.backend,
                                   .device = "a device",
                                   .kernel = nameOf(point.kernel),
                                   .bodies = point.bodies,
                                   .steps = 1000,
                                   .repeats = 5,
                                   .interactionsPerSecond = rate,
                                   .stepInteractionsPerSecond = 0.9 * rate,
                                   .msPerStep = 1,
                                   .verified = true},
                           .facts = {.multiprocessors = 132}};
        results.push_back(std::move(result));
    }
    return results;
}

Picture figurePicture(const FigureRow& row, std::span<const SweepResult> results, const std::string& note = {}) {
    return figurePicture(row, figurePage(row, figureCsv(row, results), note));
}

/// What a study finds.
FigureStudy studied(const char* name, const FigureRequest& request) {
    FigureStudy study;
    figure(name).study(
        request, [](std::size_t, std::size_t) {}, study);
    return study;
}

std::size_t coloured(const Picture& picture) {
    std::set<std::uint32_t> colours;
    std::uint32_t last = ~0u;
    for (std::size_t i = 0; i + 2 < picture.rgb.size(); i += 3) {
        const std::uint32_t colour = picture.rgb[i] << 16 | picture.rgb[i + 1] << 8 | picture.rgb[i + 2];
        if (colour != last) colours.insert(last = colour);  // most neighbours are alike, and a search takes long
    }
    return colours.size();
}

TEST(Figure, ofBondsMeasuresTheRowThatIsNamed) {
    FigureRequest request = requestFor("cpu");
    request.bodies = {64};
    request.run.terms["bonds"].kernel.kernel = "bonds-per-rwo";
    try {
        FigureStudy study;
        bondStudy(
            request, [](std::size_t, std::size_t) { FAIL() << "it measures other rows"; }, study);
        FAIL() << "the name was not read";
    } catch (const UsageError& error) {
        EXPECT_THAT(error.what(), HasSubstr("bonds-per-row"));
    }
}

TEST(Figure, theTableHoldsTheStudies) {
    std::vector<std::string> names;
    for (const FigureRow& row : figures()) names.emplace_back(row.name);
    EXPECT_THAT(names, ElementsAre("unroll", "block", "bodies", "split", "block-split", "waves", "ladder", "threads",
                                   "devices", "roofline", "matrix", "cpu-gpu", "accuracy", "crossover", "energy-dt",
                                   "energy-softening", "groups", "bonds", "depth"));
    EXPECT_THROW(figure("unrol"), UsageError);
}

TEST(Figure, thoseThatNeedCudaKernelsRefuseTheCpuAndSayWhy) {
    for (const char* name : {"split", "block-split", "waves"}) {
        const Reason reason = figure(name).refuses(requestFor("cpu"));
        EXPECT_THAT(reason, HasSubstr("no cpu kernel")) << name;
        if (!backend("cuda").unavailable({}).empty()) {
            EXPECT_THAT(reason, HasSubstr(backend("cuda").unavailable({})));
        }
        EXPECT_EQ(figure(name).refuses(requestFor("cuda")), "") << name;
    }
    EXPECT_EQ(figure("bodies").refuses(requestFor("cpu")), "");
    EXPECT_EQ(figure("block").refuses(requestFor("cpu")), "");
    EXPECT_EQ(figure("unroll").refuses(requestFor("cpu")), "");
    EXPECT_EQ(figure("unroll").refuses(requestFor("cuda")), "");
    std::set<int> unrolls;
    for (const SweepPoint& point : figure("unroll").points(requestFor("cpu"))) {
        EXPECT_EQ(point.kernel.kernel, "simd") << "processors unroll their vectors";
        unrolls.insert(point.kernel.launch.unroll);
    }
    EXPECT_EQ(unrolls, (std::set{1, 2, 4, 8}));
    EXPECT_EQ(figure("cpu-gpu").refuses(requestFor("cpu")), "");
}

TEST(Figure, unrollWalksTheRowsFactorsForEachNumberOfBodies) {
    const std::vector<SweepPoint> points = figure("unroll").points(requestFor("cuda"));
    std::set<std::string> series;
    std::set<int> unrolls;
    for (const SweepPoint& point : points) {
        EXPECT_EQ(point.kernel.kernel, "tiled");
        series.insert(point.series);
        unrolls.insert(point.kernel.launch.unroll);
    }
    EXPECT_EQ(series.size(), 4u);
    EXPECT_TRUE(series.contains("N = 65,536"));
    const std::span<const int> have = kernel("cuda", "tiled").unrolls;
    EXPECT_EQ(unrolls, std::set<int>(have.begin(), have.end()));
}

TEST(Figure, accuracyVariesWhatIsAllowedAndCrossoverHasEveryPairToo) {
    for (const char* backendName : {"cpu", "cuda"}) {
        std::set<double> allowed;
        for (const SweepPoint& point : figure("accuracy").points(requestFor(backendName))) {
            EXPECT_EQ(point.kernel.kernel, "tree");
            EXPECT_EQ(point.x, point.kernel.allowedError);
            allowed.insert(point.x);
        }
        EXPECT_GE(allowed.size(), 5u);
        EXPECT_EQ(*allowed.begin(), 1e-5);
        EXPECT_EQ(*allowed.rbegin(), 1e-2);
        std::set<std::string> series;
        for (const SweepPoint& point : figure("crossover").points(requestFor(backendName))) {
            series.insert(point.series);
            EXPECT_EQ(point.kernel.allowedError > 0, point.kernel.kernel == "tree")
                << "what is exact is left to the backend";
        }
        EXPECT_EQ(series.size(), 3u);
    }
    EXPECT_EQ(figure("crossover").refuses(requestFor("cpu")), "");
    EXPECT_THAT(figure("accuracy").refuses(requestFor("reference")), HasSubstr("has no tree"));
    FigureRequest other = requestFor("cpu");
    other.kernel = "tree-theta";
    EXPECT_THAT(figure("accuracy").refuses(other), HasSubstr("has no accuracy"));
}

TEST(Figure, wavesPutsBlocksOnTheAxis) {
    for (const SweepPoint& point : figure("waves").points(requestFor("cuda")))
        EXPECT_EQ(point.x, static_cast<double>((point.bodies + static_cast<std::size_t>(point.kernel.launch.block) - 1) /
                                               static_cast<std::size_t>(point.kernel.launch.block)));
}

TEST(Figure, takesValuesOfOnesOwnInPlaceOfItsUsualOnes) {
    FigureRequest request = requestFor("cuda");
    request.bodies = {2048};
    request.blocks = {32, 96};
    request.unrolls = {2};
    request.splits = {3, 5};
    const auto walked = [&](const char* name, auto value) {
        std::set<int> values;
        for (const SweepPoint& point : figure(name).points(request)) values.insert(value(point.kernel.launch));
        return values;
    };
    EXPECT_THAT(walked("block", [](const LaunchConfig& l) { return l.block; }), ElementsAre(32, 96));
    EXPECT_THAT(walked("waves", [](const LaunchConfig& l) { return l.block; }), ElementsAre(32, 96));
    EXPECT_THAT(walked("unroll", [](const LaunchConfig& l) { return l.unroll; }), ElementsAre(2));
    EXPECT_THAT(walked("split", [](const LaunchConfig& l) { return l.split; }), ElementsAre(3, 5));
    EXPECT_EQ(figure("block-split").points(request).size(), 4u);
    FigureRequest cpu = requestFor("cpu");
    cpu.threads = {1, 3};
    cpu.accuracies = {2e-3};
    std::set<int> threads;
    for (const SweepPoint& point : figure("threads").points(cpu)) threads.insert(point.options.threads.value_or(0));
    EXPECT_THAT(threads, ElementsAre(1, 3));
    for (const SweepPoint& point : figure("accuracy").points(cpu)) EXPECT_EQ(point.x, 2e-3);
}

TEST(Figure, launchesARungAsItCanBeWhereNobodyChose) {
    FigureRequest request = requestFor("cuda");
    const SweepPoint usual = figure("roofline").points(request).front();
    const KernelRow& first = kernel("cuda", *usual.kernel.kernel);
    EXPECT_EQ(usual.kernel.launch, first.usual);
    request.launch.block = 64;
    EXPECT_EQ(figure("roofline").points(request).front().kernel.launch.block, 64);
}

TEST(Figure, theLadderHasEveryRungOnceAndItsFactorsBeginAtOne) {
    const FigureRow& ladder = figure("ladder");
    std::vector<SweepPoint> points = ladder.points(requestFor("cpu"));
    std::set<std::string> names;
    for (const SweepPoint& point : points) names.insert(point.series);
    EXPECT_EQ(names.size(), points.size());
    for (const KernelRow& row : kernels())
        EXPECT_EQ(names.contains("cpu " + std::string(row.name)), row.backend == "cpu" && everyPair(row)) << row.name;
    EXPECT_EQ(points.front().series, "cpu naive");
    std::vector<SweepResult> results = madeUp({points[0], points[1]}, 1e9);
    results[1].row.interactionsPerSecond = 3e9;
    results[1].row.boundPerSecond = 6e9;
    const std::string csv = figureCsv(ladder, results);
    EXPECT_THAT(csv, HasSubstr(",factor,share_of_bound,lines,driver,date\n"));
    const std::string second = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
    EXPECT_THAT(second, HasSubstr(",3,0.5," + std::to_string(linesOfKernel(kernel("cpu", "naive-symmetric"))) + ",,20"));
    EXPECT_GT(linesOfKernel(kernel("cpu", "naive")), 3);
}

TEST(Figure, speedUpIsOverTheFewestThreadsOfItsCurve) {
    FigureRequest request = requestFor("cpu");
    request.bodies = {1024};
    request.threads = {1, 2, 4};
    std::vector<SweepResult> results = madeUp(figure("threads").points(request), 1e9);
    results[1].row.interactionsPerSecond = 1.5e9;
    results[2].row.verified = false;
    const std::string csv = figureCsv(figure("threads"), results);
    EXPECT_THAT(csv, HasSubstr(",1,1,,20"));
    EXPECT_THAT(csv, HasSubstr(",1.5,0.75,,20"));
    EXPECT_NE(figure("threads").refuses(requestFor("cuda")), "");
    EXPECT_EQ(figure("threads").refuses(requestFor("cpu")), "");
}

TEST(Figure, devicesDoubleAlongTheListAndSayWhereTheyAreOne) {
    const FigureRow& row = figure("devices");
    FigureRequest request = requestFor("cuda");
    request.options = {.device = 3, .helpers = {0, 1, 2}};
    request.bodies = {4096};
    ASSERT_EQ(row.refuses(request), "");
    EXPECT_EQ(row.note(request), "");
    const std::vector<SweepPoint> points = row.points(request);
    ASSERT_EQ(points.size(), 6u) << "two curves of 1, 2 and 4 devices";
    EXPECT_EQ(points[0].options, (BackendOptions{.device = 3}));
    EXPECT_EQ(points[1].options, (BackendOptions{.device = 3, .helpers = {0}}));
    EXPECT_EQ(points[5].options, request.options);
    EXPECT_EQ(points[5].kernel.allowedError, 1e-3);
    std::vector<SweepResult> results = madeUp(points, 1e9);
    for (SweepResult& result : results) result.row.msPerStep = 8;
    results[1].row.msPerStep = 5;
    EXPECT_THAT(figureCsv(row, results), HasSubstr(",1.6,0.8,,20"));
    // Parts of one device are a test.
    request.options = {.device = 0, .helpers = {0}};
    EXPECT_THAT(row.note(request), HasSubstr("a test"));
    FigureRequest cpu = requestFor("cpu");
    EXPECT_EQ(row.refuses(cpu), "");
    EXPECT_THAT(row.note(cpu), HasSubstr("a test"));
    EXPECT_NE(row.refuses(requestFor("reference")), "");
    request.options = {};
    if (!backend("cuda").unavailable({}).empty()) {
        EXPECT_THAT(row.refuses(request), HasSubstr("one CUDA device"));
    }
}

TEST(Figure, theMatrixInTilesNeedsADevice) {
    EXPECT_THAT(figure("matrix").refuses(requestFor("cpu")), HasSubstr("no cpu kernel has tiles of a matrix"));
}

TEST(Figure, slopesAreOfThePointsBetweenRoundingAndLoss) {
    const std::vector<double> x{1, 0.1, 0.01, 0.001}, y{0.5, 1e-4, 1e-6, 1e-15};
    EXPECT_NEAR(slopeOf(x, y, 1e-12, 0.1), 2, 1e-9);
    EXPECT_EQ(slopeOf(x, y, 1e-12, 1e-5), 0) << "one point has no slope";
}

TEST(Figure, energyOverTheTimeStepHasTheOrdersOfItsIntegrators) {
    FigureRequest request = requestFor("cpu");
    request.run.scene = "two-body";
    request.run.precision = Precision::fp64;
    request.until = 3;
    request.timeSteps = {0.02, 0.01, 0.005};
    const FigureStudy study = studied("energy-dt", request);
    const std::vector<Plot> plots = figurePlots(figure("energy-dt"), study.csv);
    ASSERT_EQ(plots.size(), 1u);
    EXPECT_EQ(study.points, 12u);
    EXPECT_THAT(study.csv, StartsWith("series,x,integrator,time_step,"));
    std::vector<double> slopes;
    for (const PlotSeries& series : plots[0].series) slopes.push_back(slopeOf(series.x, series.y, 1e-12, 10));
    EXPECT_THAT(slopes, ElementsAre(testing::DoubleNear(1, 0.5), testing::DoubleNear(1, 0.5), testing::DoubleNear(2, 0.2),
                                    testing::DoubleNear(4, 0.4)));
    EXPECT_THAT(study.csv, HasSubstr(",-")) << "the error at the end has its sign";
}

TEST(Figure, theSixBodiesAreSixInEachPrecision) {
    FigureRequest request = requestFor("cpu");
    request.run.scene = "six-body";
    request.run.integrator = "leapfrog";
    request.until = 0.1;
    request.timeSteps = {0.01, 0.001};
    const FigureStudy study = studied("energy-dt", request);
    const std::vector<Plot> plots = figurePlots(figure("energy-dt"), study.csv);
    ASSERT_THAT(plots, SizeIs(1));
    EXPECT_EQ(study.points, 6u);
    ASSERT_THAT(plots[0].series, SizeIs(3));
    EXPECT_EQ(plots[0].series[0].label, "leapfrog, fp32");
    EXPECT_EQ(plots[0].series[2].label, "leapfrog, fp64");
    for (const char* precision : {"fp32", "mixed", "fp64"})
        EXPECT_THAT(study.csv, HasSubstr("," + std::string(precision) + ",six-body,6,"));
    EXPECT_LT(plots[0].series[2].y[1], plots[0].series[0].y[1]) << "fp32 rounds";
}

TEST(Figure, aRungIsLaunchedWithTheFactorThatIsItsIdea) {
    const auto launches = [](const char* name) {
        SweepPoint usual;
        const KernelRow& row = kernel("cuda", name);
        usual.backend = "cuda";
        usual.kernel = {std::string(row.name), row.usual};
        usual.series = name;
        return figures_detail::launchesOf(row, usual);
    };
    const auto held = launches("tiled-registers"), parts = launches("tiled-atomics");
    EXPECT_EQ(held.size(), kernel("cuda", "tiled-registers").bodiesPerThread.size());
    EXPECT_EQ(held[0].kernel.launch.bodiesPerThread, 1);
    EXPECT_EQ(held[1].kernel.launch.bodiesPerThread, 2);
    EXPECT_EQ(held[1].series, "tiled-registers, 2 a thread");
    EXPECT_GT(parts.size(), 4u);
    EXPECT_EQ(parts.back().kernel.launch.split, 32);
    EXPECT_EQ(launches("tiled").size(), 1u);

    // The ladder shows the fastest one.
    std::vector<SweepResult> results = madeUp({held[0], held[1]}, 1e9);
    results[1].row.interactionsPerSecond = 2e9;
    for (SweepResult& result : results) result.row.kernel = "tiled-registers";
    const std::string csv = figureCsv(figure("ladder"), results);
    EXPECT_THAT(csv, HasSubstr(",best,factor,share_of_bound"));
    EXPECT_THAT(csv, HasSubstr(",,1,,")) << "the usual launch: not the best, and the first factor";
    EXPECT_THAT(csv, HasSubstr(",1,2,,")) << "the best";
}

TEST(Figure, timesHaveFactorsOverTheSerialRun) {
    SweepPoint serial, fast;
    serial.series = "one core, plain loop";
    fast.series = "all cores";
    serial.bodies = fast.bodies = 4096;
    std::vector<SweepResult> results = madeUp({serial, fast}, 1e9);
    results[0].row.msPerStep = 100;
    results[1].row.msPerStep = 4;
    EXPECT_THAT(figureCsv(figure("cpu-gpu"), results), AllOf(HasSubstr(",factor_over_serial,driver"), HasSubstr(",25,,20")));
    std::set<std::string> series;
    for (const SweepPoint& point : figure("bodies").points(requestFor("cuda")))
        if (point.kernel.launch.unroll == kAutoUnroll) series.insert(point.series);
    EXPECT_THAT(series, ElementsAre("unrolled as the compiler chooses"));
}

TEST(Figure, energyOverTheSofteningFallsWithIt) {
    FigureRequest request = requestFor("cpu");
    request.run.scene = "plummer";
    request.run.precision = Precision::fp64;
    request.bodies = {64};
    request.until = 0.25;
    request.timeSteps = {0.01};
    request.softenings = {0.01, 0.1};
    const std::vector<Plot> plots = figurePlots(figure("energy-softening"), studied("energy-softening", request).csv);
    ASSERT_EQ(plots[0].series.size(), 1u);
    const PlotSeries& series = plots[0].series[0];
    EXPECT_GT(series.y[0], series.y[1]);
    EXPECT_EQ(series.label, "dt 0.01, fp64");
}

TEST(Figure, everyFigureIsDrawn) {
    for (const FigureRow& row : figures()) {
        if (row.study) continue;
        const FigureRequest request = requestFor(row.name == "threads" || row.name == "devices" ? "cpu" : "cuda");
        const Picture picture = figurePicture(row, madeUp(row.points(request), 1e12), "a note");
        EXPECT_EQ(picture.width, 1920);
        EXPECT_EQ(picture.height, 1080);
        ASSERT_EQ(picture.rgb.size(), 3u * 1920 * 1080);
        EXPECT_GT(coloured(picture), 20u) << row.name;
    }
}

/// A CSV of one row: the columns that every figure may take, and those of `more`.
std::string rowWith(const std::string& columns, const std::string& cells) { return columns + "\n" + cells + "\n"; }

TEST(Figure, everyRecordedTableIsDrawnAgain) {
    constexpr std::string_view kDevices[] = {"nvidia-h200-", "amd-epyc-2-threads-"};
    int drawn = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(GRAVLAB_SOURCE_DIR) + "/docs/benchmarks")) {
        std::string name = entry.path().stem();
        const auto device = std::ranges::find_if(kDevices, [&](std::string_view one) { return name.starts_with(one); });
        if (entry.path().extension() != ".csv" || device == std::end(kDevices)) continue;
        name = name.substr(device->size());
        const FigureRow* longest = nullptr;  // "block-split" before "block"
        for (const FigureRow& row : figures())
            if (name.starts_with(row.name) && (!longest || row.name.size() > longest->name.size())) longest = &row;
        if (!longest) continue;  // another table
        ++drawn;
        const std::string csv = contentOf(entry.path());
        const std::vector<Plot> plots = figurePlots(*longest, csv);
        EXPECT_FALSE(plots.empty()) << name;
        for (const Plot& plot : plots)
            for (const PlotSeries& series : plot.series) EXPECT_FALSE(series.x.empty()) << name;
        if (device == kDevices && !name.starts_with("energy")) {
            EXPECT_THAT(figurePage(*longest, csv).notes.back(), HasSubstr("measured on 2026-11-2")) << name;
        }
    }
    EXPECT_GE(drawn, 28);
}

TEST(Figure, showsDeviceDriverAndDateOfTheMeasurement) {
    const Page page = figurePage(
        figure("bodies"),
        rowWith(
            "series,x,kernel,interactions_per_second,spread,verified,device,driver,processor,date,repeats,rel_error_p999",
            "a,64,tiled,2e9,0.1,true,\"A GPU, 3 multiprocessors\",580.1,,2026-11-26,3,1e-7"));
    EXPECT_THAT(page.notes.back(),
                StartsWith("A GPU, 3 multiprocessors, driver 580.1; measured on 2026-11-26; kernels: tiled"));
    const std::vector<Plot> plots = figurePlots(figure("bodies"), page.csv);
    ASSERT_EQ(plots.at(0).series.size(), 1u);
    EXPECT_THAT(plots[0].series[0].y, ElementsAre(2));
    EXPECT_THAT(plots[0].series[0].error, ElementsAre(testing::DoubleNear(0.1, 1e-12)));
    EXPECT_THROW(figurePage(figure("bodies"), rowWith("series,place", "a,64")), InputError);
}

TEST(Figure, omitsPointsWithoutARateAndSaysWhy) {
    const Page page = figurePage(figure("groups"),
                                 "series,x,ms_per_step,verified,note\na,64,2,true,\na,128,,false,it took too long\n"
                                 "b,64,,false,\n");
    EXPECT_THAT(figurePlots(figure("groups"), page.csv).at(0).series, SizeIs(1));
    EXPECT_THAT(page.notes.front(),
                AllOf(HasSubstr("1 points are omitted (it took too long)"), HasSubstr("1 POINTS FAILED")));
}

TEST(Figure, pointsWithoutARateAreNotDrawn) {
    SweepPoint point{.series = "a"};
    std::vector<SweepResult> results;
    for (const double x : {1.0, 2.0, 4.0}) {
        point.x = x;
        results.push_back(madeUp({point}, 1e9 * x).front());
    }
    results[1].row.verified = false;
    const Plot plot = sweepPlot("", sweepAxis("unroll"), results, kForceRate);
    ASSERT_EQ(plot.series.size(), 1u);
    EXPECT_THAT(plot.series[0].x, ElementsAre(1, 4));
    EXPECT_THAT(plot.series[0].y, ElementsAre(1, 4));
    EXPECT_TRUE(plot.marked);
    EXPECT_EQ(plot.markX, 4);
    EXPECT_FALSE(sweepPlot("", sweepAxis("bodies"), results, kForceRate).marked) << "more bodies are not better ones";
}

TEST(Figure, fewerStepsThanPlannedAreHollow) {
    SweepPoint point{.plan = {.steps = 1000}};
    std::vector<SweepResult> results = madeUp({point, point}, 1e9);
    results[1].row.steps = 999;
    EXPECT_FALSE(isExtrapolated(results[0]));
    EXPECT_TRUE(isExtrapolated(results[1]));
    EXPECT_THAT(sweepPlot("", sweepAxis("bodies"), results, kForceRate).series[0].hollow, ElementsAre(false, true));
    const std::string csv = sweepCsv(results);
    EXPECT_THAT(csv, HasSubstr(",false,"));
    EXPECT_THAT(csv, HasSubstr("\n,,true,"));
}

TEST(Figure, aMapHasARowForEachSeriesAndHolesWhereNothingWasMeasured) {
    SweepPoint base;
    const std::vector<SweepPoint> points =
        pointsOver(sweepAxis("block"), sweepAxis("unroll"), kernel("cuda", "tiled"), base);
    std::vector<SweepResult> results = madeUp(points, 2e9);
    results.front().row.verified = false;
    const HeatMap map = sweepMap("", sweepAxis("block"), sweepAxis("unroll"), results, kStepRate);
    EXPECT_EQ(map.rows.size(), kernel("cuda", "tiled").unrolls.size());
    EXPECT_EQ(map.columns.front(), "16");
    EXPECT_EQ(map.columns.back(), "1,024");
    ASSERT_EQ(map.values.size(), map.rows.size() * map.columns.size());
    EXPECT_TRUE(std::isnan(map.values.front()));
    EXPECT_DOUBLE_EQ(map.values.back(), 1.8);
}

TEST(Canvas, trianglesMeetWithoutGapOrOverlap) {
    Canvas canvas(64, 64, 12);
    canvas.list().Flags = ImDrawListFlags_None;
    // Half transparent: a pixel drawn twice would be brighter, and a pixel drawn by neither half would be black.
    canvas.list().AddRectFilled(ImVec2(8, 8), ImVec2(40, 24), IM_COL32(255, 255, 255, 128));
    const std::vector<std::uint8_t> rgb = canvas.finish();
    for (std::size_t y = 0; y < 64; ++y)
        for (std::size_t x = 0; x < 64; ++x) {
            const int want = x >= 8 && x < 40 && y >= 8 && y < 24 ? 128 : 0;
            ASSERT_NEAR(rgb[3 * (64 * y + x)], want, 1) << x << ", " << y;
        }
}

TEST(Canvas, bringsTheContextBeforeBack) {
    ImGuiContext* const outer = ImGui::CreateContext();
    {
        Canvas canvas(16, 16, 12);
        EXPECT_NE(ImGui::GetCurrentContext(), outer);
    }
    EXPECT_EQ(ImGui::GetCurrentContext(), outer);
    ImGui::DestroyContext(outer);
}

}  // namespace
}  // namespace gravlab
