// The figures. Rule: a figure takes its kernels and factors from the kernel table, and omits what cannot be measured.
#include "app/bench/figure_parts.h"

#include "app/bench/group_study.h"
#include "app/bench/papers.h"
#include "app/system/version.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gravlab {

using namespace figures_detail;

namespace {

constexpr int kFigureWidth = 1920, kFigureHeight = 1080;
constexpr float kFontSize = 30;
using paper::kInk;
const SweepMeasure kThousandSteps{"thousand-steps", "seconds for 1,000 steps",
                                  [](const BenchmarkRow& row) { return row.msPerStep; },
                                  [](const BenchmarkRow& row) { return row.stepSpread; }};

constexpr const char* kBlockAndUnroll[] = {"block", "unroll"};
constexpr const char* kBlock[] = {"block"};
constexpr const char* kSplit[] = {"split"};
constexpr const char* kBlockAndSplit[] = {"block", "split"};

template <const auto& axes>
Reason needs(const FigureRequest& request) {
    return rowFor(request, axes) ? Reason() : whyNoRow(request, axes);
}

/// Refuses figures of blocks on processors, which have no multiprocessors.
Reason needsMultiprocessors(const FigureRequest& request) {
    if (backend(request.backend).onDevice) return needs<kBlock>(request);
    const Reason cuda = deviceBackend().unavailable(request.options);
    return "no " + request.backend + " kernel has multiprocessors; CUDA kernels have" +
           (cuda.empty() ? "" : ", but the " + std::string(deviceBackend().name) + " backend cannot run here: " + cuda);
}

/// One curve along `axis` for each number of bodies.
std::vector<SweepPoint> curvesByBodies(const FigureRequest& request, const KernelRow& row, const char* axis,
                                       std::vector<std::size_t> bodies, std::span<const int> values) {
    if (!request.bodies.empty()) bodies = request.bodies;
    std::vector<SweepPoint> points;
    for (const std::size_t count : bodies) {
        SweepPoint base = basePoint(request, row);
        base.bodies = count;
        base.series = bodiesText(count);
        for (SweepPoint& point : pointsAlong(sweepAxis(axis), row, base, given(values))) points.push_back(std::move(point));
    }
    return points;
}

std::vector<SweepPoint> unrollPoints(const FigureRequest& request) {
    return curvesByBodies(request, *rowFor(request, kBlockAndUnroll), "unroll", {1024, 4096, 16384, 65536}, request.unrolls);
}

std::vector<SweepPoint> blockPoints(const FigureRequest& request) {
    return curvesByBodies(request, *rowFor(request, kBlock), "block", {4096, 16384, 65536}, request.blocks);
}

std::vector<SweepPoint> splitPoints(const FigureRequest& request) {
    return curvesByBodies(request, *rowFor(request, kSplit), "split", {4096}, request.splits);
}

/// One curve with and one without unrolling, when the kernel has the factor; else one curve per kernel.
std::vector<SweepPoint> bodiesPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    const auto add = [&](const KernelRow& row, const std::string& series, int unroll) {
        SweepPoint base = basePoint(request, row);
        base.series = series;
        base.kernel.launch.unroll = unroll;
        for (SweepPoint& point : pointsAlong(sweepAxis("bodies"), row, base, request.bodies))
            points.push_back(std::move(point));
    };
    if (const KernelRow* row = rowFor(request, kBlockAndUnroll)) {
        const int most = request.launch.unroll > 1 ? request.launch.unroll : LaunchConfig{}.unroll;
        add(*row, "unrolled " + std::to_string(most) + " times", most);
        add(*row, "not unrolled", 1);
        return points;
    }
    for (const KernelRow& row : kernels())
        if (row.backend == request.backend && (request.kernel.empty() ? everyPair(row) : row.name == request.kernel))
            add(row, std::string(row.name), request.launch.unroll);
    return points;
}

std::vector<SweepPoint> wavesPoints(const FigureRequest& request) {
    const KernelRow& row = *rowFor(request, kBlock);
    const std::vector<std::size_t> bodies =
        request.bodies.empty() ? std::vector<std::size_t>{1024, 4096, 8192, 16384, 32768, 65536, 131072} : request.bodies;
    std::vector<SweepPoint> points;
    const std::vector<std::size_t> blocks =
        request.blocks.empty() ? std::vector<std::size_t>{64, 128, 256, 512} : given(request.blocks);
    for (const std::size_t block : blocks)
        for (const std::size_t count : bodies) {
            SweepPoint point = basePoint(request, row);
            point.bodies = count;
            point.kernel.launch.block = static_cast<int>(block);
            point.series = "p = " + std::to_string(block);
            point.x = static_cast<double>((count + block - 1) / block);
            points.push_back(std::move(point));
        }
    return points;
}

/// The textbook loop on one core, with symmetry, with vectors, on all cores; and the GPU.
std::vector<SweepPoint> cpuGpuPoints(const FigureRequest& request) {
    struct Curve {
        const BackendRow& (*backend)();
        const char* kernel;  ///< null: the backend chooses
        const char* series;
        std::size_t mostBodies;
    };
    static constexpr Curve kCurves[] = {
        {hostBackend, "naive", "one core, plain loop", 65536},
        {hostBackend, "naive-symmetric", "one core, with symmetry", 65536},
        {hostBackend, "simd", "one core, vectors", 65536},
        {hostBackend, nullptr, "all cores", 262144},
        {deviceBackend, nullptr, "GPU", 1048576},
    };
    std::vector<SweepPoint> points;
    for (const Curve& curve : kCurves) {
        const BackendRow& by = curve.backend();
        if (!by.unavailable(request.options).empty()) continue;
        std::vector<std::size_t> bodies = request.bodies;
        if (bodies.empty())
            for (std::size_t count = 1024; count <= curve.mostBodies; count *= 4) bodies.push_back(count);
        for (const std::size_t count : bodies) {
            SweepPoint point;
            point.backend = by.name;
            point.options = request.options;
            point.bodies = count;
            if (curve.kernel) point.kernel.kernel = curve.kernel;
            // A slow point runs a few steps; a repetition of fewer than 1,000 steps is marked as extrapolated.
            point.plan = {.steps = 1000,
                          .repeats = std::min(request.repeats, 3),
                          .warmUpSeconds = 0.1,
                          .mostSeconds = 2,
                          .checkOnHost = false};
            point.series = curve.series;
            point.x = static_cast<double>(count);
            points.push_back(std::move(point));
        }
    }
    return points;
}

std::string cpuGpuNote(const FigureRequest& request) {
    const Reason reason = deviceBackend().unavailable(request.options);
    return reason.empty() ? "hollow: extrapolated from measured steps"
                          : "hollow: extrapolated from measured steps; no GPU curve: " + reason;
}

const SweepMeasure kShareOfBound{"share", "fraction of the device's issue bound [%]",
                                 [](const BenchmarkRow& row) {
                                     return row.boundPerSecond > 0 ? 100 * row.interactionsPerSecond / row.boundPerSecond
                                                                   : 0;
                                 },
                                 [](const BenchmarkRow& row) { return row.spread; }};

/// Adds the curves of papers. Rates of different years and devices differ by decades, so the axis becomes logarithmic.
void addPapers(Plot& plot, std::string_view figure, PaperMeasure measure) {
    for (PlotSeries& series : paperCurves(figure, measure)) {
        for (const double x : series.x)
            if (std::ranges::find(plot.x.ticks, x) == plot.x.ticks.end()) plot.x.ticks.push_back(x);
        plot.series.push_back(std::move(series));
    }
    std::ranges::sort(plot.x.ticks);
    plot.x.names.clear();
    for (const double tick : plot.x.ticks) plot.x.names.push_back(axisText(tick));
    plot.marked = false;
    if (measure != PaperMeasure::share) plot.y.logarithmic = true;
}

/// The rates, and beside them all rates as fractions of what each device can issue. One legend covers both plots.
void drawBesidePapers(const FigureArea& area, const char* axis, std::span<const SweepResult> results) {
    Plot rates = sweepPlot("", sweepAxis(axis), results, kForceRate);
    Plot shares = sweepPlot("", sweepAxis(axis), results, kShareOfBound);
    addPapers(rates, axis, PaperMeasure::gigaRate);
    addPapers(shares, axis, PaperMeasure::share);
    std::vector<PlotSeries> known = std::move(shares.series);
    shares.series.clear();
    for (const PlotSeries& rate : rates.series) {
        const auto share = std::ranges::find(known, rate.label, &PlotSeries::label);
        const bool has = share != known.end() && std::ranges::any_of(share->y, [](double part) { return part > 0; });
        shares.series.push_back(has ? *share : PlotSeries{.label = rate.label, .x = {}, .y = {}, .error = {}, .hollow = {}});
    }
    shares.y.label = "fraction of each device's issue bound [%]";
    shares.x.ticks = rates.x.ticks;
    shares.x.names = rates.x.names;
    const float middle = 0.66f * area.from.x + 0.34f * area.to.x;
    PlotStyle style = area.style;
    style.legend = false;
    drawPlot(area.canvas.list(), area.from, ImVec2(middle - 20, area.to.y), rates, style);
    drawPlot(area.canvas.list(), ImVec2(middle + 20, area.from.y), area.to, shares, area.style);
}

template <const SweepMeasure& measure>
void drawCurves(const FigureArea& area, const char* axis, std::span<const SweepResult> results) {
    if (area.papers) return drawBesidePapers(area, axis, results);
    drawPlot(area.canvas.list(), area.from, area.to, sweepPlot("", sweepAxis(axis), results, measure), area.style);
}

void drawSplit(const FigureArea& area, std::span<const SweepResult> results) {
    if (area.papers) return drawBesidePapers(area, "split", results);
    Plot plot = sweepPlot("", sweepAxis("split"), results, kStepRate);
    for (PlotSeries& series : plot.series) series.label += ", whole steps";
    for (PlotSeries& series : sweepPlot("", sweepAxis("split"), results, kForceRate).series) {
        series.label += ", forces only";
        plot.series.push_back(std::move(series));
    }
    plot.y.label = "G interactions/s";
    if (plot.marked) plot.x.label += "; dashed: the fastest steps";
    drawPlot(area.canvas.list(), area.from, area.to, plot, area.style);
}

void drawCpuGpu(const FigureArea& area, std::span<const SweepResult> results) {
    Plot plot = sweepPlot("", sweepAxis("bodies"), results, kThousandSteps);
    plot.y.logarithmic = true;
    if (area.papers) addPapers(plot, "cpu-gpu", PaperMeasure::thousandSteps);
    plot.marked = false;
    drawPlot(area.canvas.list(), area.from, area.to, plot, area.style);
}

int multiprocessorsOf(std::span<const SweepResult> results) {
    int most = 0;
    for (const SweepResult& result : results) most = std::max(most, result.facts.multiprocessors);
    return most;
}

/// Whether no result for the same N has a higher rate; NaN and unverified rates rank below all.
bool isFastestOfItsBodies(const SweepResult& result, std::span<const SweepResult> results) {
    const double rate = kForceRate.value(result.row);
    return rate > 0 && std::none_of(results.begin(), results.end(), [&](const SweepResult& other) {
               return other.point.bodies == result.point.bodies && kForceRate.value(other.row) > rate;
           });
}

/// Blocks N/p for each N and p, green where every multiprocessor has at least one; the fastest has a frame.
void drawWavesTable(const FigureArea& area, std::span<const SweepResult> results) {
    ImDrawList& list = area.canvas.list();
    const int multiprocessors = multiprocessorsOf(results);
    std::vector<std::string> columns;
    std::vector<std::size_t> rows;
    for (const SweepResult& result : results) {
        if (std::find(columns.begin(), columns.end(), result.point.series) == columns.end())
            columns.push_back(result.point.series);
        if (std::find(rows.begin(), rows.end(), result.point.bodies) == rows.end()) rows.push_back(result.point.bodies);
    }
    std::sort(rows.begin(), rows.end());
    const float line = area.canvas.small()->FontSize, high = 2.1f * line, head = 3.4f * line;
    const float first = 5.2f * line,
                wide = (area.to.x - area.from.x - first) / static_cast<float>(std::max<std::size_t>(columns.size(), 1));
    char text[96];
    std::snprintf(text, sizeof text, "blocks N/p; green: one for each of %d multiprocessors; frame: fastest",
                  multiprocessors);
    area.canvas.text(area.canvas.small(), area.from, kFigureQuiet, text, 0, area.to.x - area.from.x);
    for (std::size_t c = 0; c < columns.size(); ++c)
        area.canvas.text(area.canvas.small(),
                         ImVec2(area.from.x + first + (static_cast<float>(c) + 0.5f) * wide, area.from.y + 1.8f * line),
                         kInk, columns[c].c_str(), 0.5f);
    for (std::size_t r = 0; r < rows.size(); ++r)
        area.canvas.text(area.canvas.small(),
                         ImVec2(area.from.x + first - 0.5f * line,
                                area.from.y + head + static_cast<float>(r) * high + 0.5f * (high - line)),
                         kInk, grouped(rows[r]), 1);
    for (const SweepResult& result : results) {
        const auto c = std::find(columns.begin(), columns.end(), result.point.series) - columns.begin();
        const auto r = std::find(rows.begin(), rows.end(), result.point.bodies) - rows.begin();
        const ImVec2 a(area.from.x + first + static_cast<float>(c) * wide,
                       area.from.y + head + static_cast<float>(r) * high);
        const bool enough = result.point.x >= multiprocessors;
        list.AddRectFilled(a, ImVec2(a.x + wide - 3, a.y + high - 3),
                           enough ? IM_COL32(198, 234, 205, 255) : IM_COL32(250, 214, 200, 255));
        if (isFastestOfItsBodies(result, results)) list.AddRect(a, ImVec2(a.x + wide - 3, a.y + high - 3), kInk, 0, 0, 2);
        area.canvas.text(area.canvas.small(), ImVec2(a.x + 0.5f * wide, a.y + 0.5f * (high - line)), kInk,
                         grouped(static_cast<std::uint64_t>(result.point.x)), 0.5f);
    }
}

void drawWaves(const FigureArea& area, std::span<const SweepResult> results) {
    static const SweepAxis kBlocks{
        "blocks", "blocks N/p; the line: one for each multiprocessor", true, false, nullptr, nullptr, nullptr};
    Plot plot = sweepPlot("", kBlocks, results, kForceRate);
    plot.x.ticks.clear();
    plot.markX = multiprocessorsOf(results);
    plot.marked = plot.markX > 0;
    FigureArea table = area;
    table.from.x = area.from.x + 0.62f * (area.to.x - area.from.x);
    PlotStyle style = area.style;
    style.legendBeside = false;
    drawPlot(area.canvas.list(), area.from, ImVec2(table.from.x - 20, area.to.y), plot, style);
    drawWavesTable(table, results);
}

Reason neverRefuses(const FigureRequest&) { return {}; }

constexpr std::string_view kLaunchOptions = "--block,--unroll,--split,--bodies-per-thread";
constexpr UnusedOptions kNoLaunch{kLaunchOptions, "its trees walk with their usual launch"};
constexpr std::string_view kFourCurves = "it compares curves of kernels of its own choice";
constexpr std::string_view kAllRungs = "it has the rungs of all backends, each launched as usual";
constexpr std::string_view kDepthRungs = "its curves are all searches for depths, and no forces are computed";
constexpr std::string_view kGroupRungs = "its curves are all ways to find groups, and no forces are computed";
constexpr UnusedOptions kComputed{"--kernel,--repeats", "it is computed, not timed"};

constexpr FigureRow kFigures[] = {
    {.name = "unroll",
     .idea = "rate over the unroll factor",
     .title = "Rate over the unroll factor",
     .refuses = needs<kBlockAndUnroll>,
     .points = unrollPoints,
     .draw = [](const FigureArea& area,
                std::span<const SweepResult> results) { drawCurves<kForceRate>(area, "unroll", results); },
     .walks = {"--unroll"}},
    {.name = "block",
     .idea = "rate over the block size",
     .title = "Rate over the block size",
     .refuses = needs<kBlock>,
     .points = blockPoints,
     .draw = [](const FigureArea& area,
                std::span<const SweepResult> results) { drawCurves<kForceRate>(area, "block", results); },
     .walks = {"--block"}},
    {.name = "bodies",
     .idea = "rate over the number of bodies, with and without unrolling",
     .title = "Rate over the number of bodies",
     .refuses = neverRefuses,
     .points = bodiesPoints,
     .draw = [](const FigureArea& area,
                std::span<const SweepResult> results) { drawCurves<kForceRate>(area, "bodies", results); }},
    {.name = "split",
     .idea = "rate over the split of the sources, for few bodies",
     .title = "Splitting a body's sources",
     .refuses = needs<kSplit>,
     .points = splitPoints,
     .draw = drawSplit,
     .walks = {"--split"}},
    {.name = "block-split",
     .idea = "map of the rate over block size and split, for few bodies",
     .title = "Block size and split together",
     .refuses = needs<kBlockAndSplit>,
     .points = blockSplitPoints,
     .draw = drawBlockSplit,
     .walks = {"--block", "--split"},
     .oneNumberOfBodies = true},
    {.name = "waves",
     .idea = "the N/p table: blocks against multiprocessors",
     .title = "Enough blocks for all multiprocessors",
     .refuses = needsMultiprocessors,
     .points = wavesPoints,
     .draw = drawWaves,
     .walks = {"--block"}},
    {.name = "ladder",
     .idea = "every rung of the CPU and the GPU: factor over one thread, share of the bound, lines, registers",
     .title = "The ladder: one idea per rung",
     .refuses = neverRefuses,
     .points = ladderPoints,
     .draw = drawLadder,
     .note = ladderNote,
     .unused = {{{"--backend,--kernel,--accuracy", kAllRungs}, {kLaunchOptions, kAllRungs}}},
     .oneNumberOfBodies = true,
     .columns = ladderColumns},
    {.name = "threads",
     .idea = "strong scaling: speed-up and efficiency over CPU threads",
     .title = "The same work on more threads",
     .refuses = needsCores,
     .points = threadsPoints,
     .draw = drawThreads,
     .walks = {"--threads"},
     .columns = threadsColumns},
    {.name = "roofline",
     .idea = "launches and the limits of the device: multiply-adds, inverse roots, memory",
     .title = "What limits a launch",
     .refuses = neverRefuses,
     .points = rooflinePoints,
     .draw = drawRoofline,
     .note = rooflineNote,
     .oneNumberOfBodies = true,
     .columns = rooflineColumns},
    {.name = "matrix",
     .idea = "the matrix of all pairs over its tile: pairs and bytes per second",
     .title = "The matrix of all pair forces, written to memory",
     .refuses = needsMatrix,
     .walks = {"--block"},
     .unused = {{{"--kernel,--unroll,--split,--bodies-per-thread,--accuracy", "the matrix has a kernel of its own"}}},
     .study = matrixStudy},
    {.name = "cpu-gpu",
     .idea = "time of 1,000 steps on one core, all cores and the GPU",
     .title = "Time of 1,000 steps",
     .refuses = neverRefuses,
     .points = cpuGpuPoints,
     .draw = drawCpuGpu,
     .note = cpuGpuNote,
     .unused = {{{"--backend,--kernel", kFourCurves}, {kLaunchOptions, kFourCurves}}}},
    {.name = "accuracy",
     .idea = "errors and steps per second of the tree over the accuracy",
     .title = "Error and cost of an accuracy",
     .refuses = needsTree,
     .points = accuracyPoints,
     .draw = drawAccuracy,
     .walks = {"--accuracy"},
     .unused = {kNoLaunch}},
    {.name = "crossover",
     .idea = "steps per second over the number of bodies, every pair and the tree",
     .title = "Every pair, or a tree",
     .refuses = needsTree,
     .points = crossoverPoints,
     .draw = drawCrossover,
     .unused = {{{"--accuracy", "its curves have accuracies of their own"}, kNoLaunch}}},
    {.name = "energy-dt",
     .idea = "error of the energy over the time step, with slopes",
     .title = "The energy error over the time step",
     .refuses = neverRefuses,
     .walks = {"--dt"},
     .unused = {kComputed},
     .oneNumberOfBodies = true,
     .computed = true,
     .study = energyOverTimeStep},
    {.name = "energy-softening",
     .idea = "error of the energy over the softening, with slopes",
     .title = "The energy error over the softening",
     .refuses = neverRefuses,
     .walks = {"--softening", "--dt"},
     .unused = {kComputed},
     .oneNumberOfBodies = true,
     .computed = true,
     .study = energyOverSoftening},
    {.name = "groups",
     .idea = "time to find groups, friends of friends, over the number of bodies, for every rung of the backend",
     .title = "Finding groups of bodies",
     .refuses = whyNoGroups,
     .unused = {{{"--kernel,--accuracy", kGroupRungs}, {kLaunchOptions, kGroupRungs}}},
     .study = groupStudy},
    {.name = "depth",
     .idea =
         "time and work to find the depth of each body in the graph of friends, for a thread a node and a thread an edge",
     .title = "Depths in the graph of friends",
     .refuses = whyNoGroups,
     .unused = {{{"--kernel,--accuracy", kDepthRungs}, {kLaunchOptions, kDepthRungs}}},
     .study = depthStudy},
};

/// "NVIDIA H200, 132 multiprocessors, ..., driver 580.95; AVX-512, 2 threads".
std::string devicesText(std::span<const SweepResult> results) {
    std::vector<std::string> seen;
    for (const SweepResult& result : results) {
        if (result.row.device.empty()) continue;
        // Describe a CPU by its instruction set and threads; its name is among the facts.
        const std::string name = result.facts.device.substr(0, result.facts.device.find(','));
        const bool named = result.row.device.find(name) != std::string::npos;
        const std::string text = (named ? "" : name + ": ") + result.row.device +
                                 (result.facts.driver.empty() ? "" : ", driver " + result.facts.driver);
        if (std::find(seen.begin(), seen.end(), text) == seen.end()) seen.push_back(text);
    }
    std::string text;
    for (const std::string& one : seen) text += (text.empty() ? "" : "; ") + one;
    return text;
}

std::string kernelsText(std::span<const SweepResult> results) {
    std::vector<std::string> seen;
    std::string text;
    for (const SweepResult& result : results) {
        if (!result.row.verified || std::find(seen.begin(), seen.end(), result.row.kernel) != seen.end()) continue;
        seen.push_back(result.row.kernel);
        text += (text.empty() ? "kernels: " : ", ") + result.row.kernel;
    }
    constexpr std::size_t kMostNamed = 8;  // more do not fit a line; their figure names them itself
    if (seen.size() > kMostNamed) return std::to_string(seen.size()) + " kernels";
    return text;
}

std::string protocolText(std::span<const SweepResult> results) {
    int repeats = 0;
    std::size_t refused = 0, failed = 0;
    double worst = 0;
    for (const SweepResult& result : results) {
        repeats = std::max(repeats, result.row.repeats);
        refused += result.refused;
        failed += !result.refused && !result.row.verified;
        worst = std::max(worst, result.row.errorP999);
    }
    char text[200];
    std::snprintf(
        text, sizeof text,
        "median of up to %d repetitions after a warm-up, bars: range of the repetitions; 99.9 %% of checked forces "
        "within %.0e of fp64",
        repeats, worst);
    std::string all = text;
    if (refused > 0) all += "; " + std::to_string(refused) + " points that cannot run are omitted";
    if (failed > 0) all += "; " + std::to_string(failed) + " POINTS FAILED THEIR CHECK and are omitted";
    return all;
}

}  // namespace

std::span<const FigureRow> figures() { return kFigures; }

const FigureRow& figure(std::string_view name) { return findRow(figures(), "figure", name); }

namespace {

/// Title and footer; `draw` fills the area between them.
Picture page(const FigureRow& row, std::span<const std::string> footer, const std::function<void(const FigureArea&)>& draw,
             bool papers = false) {
    Canvas canvas(kFigureWidth, kFigureHeight, kFontSize);
    canvas.list().AddRectFilled(ImVec2(0, 0), canvas.size(), IM_COL32_WHITE);
    constexpr float kMargin = 40;
    canvas.text(canvas.large(), ImVec2(kMargin, 24), kInk, std::string(row.title).c_str());
    const float line = canvas.small()->FontSize * 1.35f;
    float y = kFigureHeight - 18;
    for (auto text = footer.rbegin(); text != footer.rend(); ++text) {
        if (text->empty()) continue;
        y -= line;
        canvas.text(canvas.small(), ImVec2(kMargin, y), kFigureQuiet, text->c_str(), 0, kFigureWidth - 2 * kMargin);
    }
    draw({.canvas = canvas,
          .from = ImVec2(kMargin - 15, 40 + canvas.large()->FontSize),
          .to = ImVec2(kFigureWidth - kMargin, y - 10),
          .style = {.light = true, .fontScale = 1, .lineWidth = 4, .legend = true, .legendBeside = true},
          .papers = papers});
    Picture picture{.width = kFigureWidth, .height = kFigureHeight, .rgb = canvas.finish(), .texts = {}};
    picture.texts = {{"Software", "gravlab " + std::string(version())}, {"gravlab:figure", std::string(row.name)}};
    return picture;
}

}  // namespace

Picture figurePicture(const FigureRow& row, std::span<const SweepResult> results, const std::string& note, bool papers) {
    const std::string footer[] = {note, papers ? papersNote() : std::string(),
                                  devicesText(results) + "; " + kernelsText(results),
                                  protocolText(results) + "; gravlab " + std::string(version())};
    return page(
        row, footer, [&](const FigureArea& area) { row.draw(area, results); }, papers);
}

Picture figurePicture(const FigureRow& row, const FigureStudy& study, const std::string& note) {
    const std::string footer[] = {note, study.device, study.protocol + "; gravlab " + std::string(version())};
    return page(row, footer, [&](const FigureArea& area) {
        const float wide = (area.to.x - area.from.x) / static_cast<float>(std::max<std::size_t>(study.plots.size(), 1));
        PlotStyle style = area.style;
        style.legendBeside = study.plots.size() == 1;
        for (std::size_t k = 0; k < study.plots.size(); ++k) {
            const float left = area.from.x + wide * static_cast<float>(k);
            drawPlot(area.canvas.list(), ImVec2(left, area.from.y), ImVec2(left + wide - 20, area.to.y), study.plots[k],
                     style);
        }
    });
}

std::string figureCsv(const FigureRow& row, std::span<const SweepResult> results) {
    std::vector<SweepColumn> columns;
    if (row.columns)
        for (const FigureColumn& column : row.columns())
            columns.push_back({std::string(column.name),
                               [&column, results](const SweepResult& result) { return column.value(results, result); }});
    return sweepCsv(results, columns);
}

double slopeOf(std::span<const double> x, std::span<const double> y, double least, double most) {
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!(x[i] > 0 && y[i] > least && y[i] < most)) continue;
        const double a = std::log(x[i]), b = std::log(y[i]);
        n += 1, sx += a, sy += b, sxx += a * a, sxy += a * b;
    }
    const double spread = n * sxx - sx * sx;
    return n < 2 || !(spread > 0) ? 0 : (n * sxy - sx * sy) / spread;
}

namespace figures_detail {

const KernelRow* rowFor(const FigureRequest& request, std::span<const char* const> axes) {
    const auto fits = [&](const KernelRow& row) {
        return row.backend == request.backend && std::all_of(axes.begin(), axes.end(), [&row](const char* axis) {
                   return sweepAxis(axis).refuses(row).empty();
               });
    };
    if (!request.kernel.empty()) {
        const KernelRow& row = kernel(request.backend, request.kernel);
        return fits(row) ? &row : nullptr;
    }
    const KernelRow* first = nullptr;
    for (const KernelRow& row : kernels())
        if (fits(row) && (!first || (row.name == "tiled" && first->name != "tiled"))) first = &row;
    return first;
}

Reason whyNoRow(const FigureRequest& request, std::span<const char* const> axes) {
    if (!request.kernel.empty()) {
        const KernelRow& row = kernel(request.backend, request.kernel);
        for (const char* axis : axes)
            if (const Reason reason = sweepAxis(axis).refuses(row); !reason.empty()) return reason;
    }
    std::string missing;
    for (const char* axis : axes) missing += (missing.empty() ? "" : " and ") + std::string(axis);
    const BackendRow& device = deviceBackend();
    const Reason cuda = device.unavailable(request.options);
    return "no " + request.backend + " kernel has a " + missing + " to vary; CUDA kernels have" +
           (cuda.empty() ? "" : ", but the " + std::string(device.name) + " backend cannot run here: " + cuda);
}

LaunchConfig launchOf(const FigureRequest& request, const KernelRow& row) {
    return request.kernel.empty() && request.launch == LaunchConfig() ? row.usual : request.launch;
}

SweepPoint basePoint(const FigureRequest& request, const KernelRow& row) {
    SweepPoint point;
    point.backend = row.backend;
    point.options = request.options;
    point.kernel = {std::string(row.name), launchOf(request, row)};
    point.plan = kPointPlan;
    point.plan.repeats = request.repeats;
    return point;
}

std::string bodiesText(std::size_t bodies) { return std::string("N = ") + grouped(bodies).text; }

std::vector<std::size_t> given(std::span<const int> values) {
    std::vector<std::size_t> result;
    for (const int value : values) result.push_back(static_cast<std::size_t>(value));
    return result;
}

PlotAxis logarithmicAxis(const char* label) {
    PlotAxis axis;
    axis.label = label;
    axis.logarithmic = true;
    return axis;
}

}  // namespace figures_detail
}  // namespace gravlab
