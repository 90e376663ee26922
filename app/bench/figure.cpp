// The figures. Rule: a figure takes its kernels and factors from the kernel table, and omits what cannot be measured.
#include "app/bench/figure_parts.h"

#include "app/bench/papers.h"
#include "app/system/built_in.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>

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
constexpr const char* kUnroll[] = {"unroll"};
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

std::vector<SweepPoint> unrollPoints(const FigureRequest& request) {
    return curvesByBodies(request, *rowFor(request, kUnroll), "unroll", {1024, 4096, 16384, 65536}, request.unrolls);
}

std::vector<SweepPoint> blockPoints(const FigureRequest& request) {
    return curvesByBodies(request, *rowFor(request, kBlock), "block", {4096, 16384, 65536}, request.blocks);
}

std::vector<SweepPoint> splitPoints(const FigureRequest& request) {
    return curvesByBodies(request, *rowFor(request, kSplit), "split", {4096}, request.splits);
}

/// Curves with the compiler's choice, with and without unrolling, when the kernel has the factor; else one curve per kernel.
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
        if (std::ranges::find(row->unrolls, kAutoUnroll) != row->unrolls.end())
            add(*row, "unrolled as the compiler chooses", kAutoUnroll);
        add(*row, "not unrolled", 1);
        return points;
    }
    for (const KernelRow& row : kernels())
        if (row.backend == request.backend && (request.kernel.empty() ? everyPair(row) : row.name == request.kernel))
            add(row, std::string(row.name), request.launch.unroll);
    return points;
}

/// The serial run: the curve over which others have a factor.
constexpr const char* kSerial = "one core, plain loop";

/// The textbook loop on one core, with symmetry, with vectors, on all cores; and the GPU, with one kernel along the curve
/// and with the backend's choice for each N.
std::vector<SweepPoint> cpuGpuPoints(const FigureRequest& request) {
    struct Curve {
        const BackendRow& (*backend)();
        const char* kernel;  ///< null: the backend chooses
        const char* series;
        std::size_t mostBodies;
    };
    static constexpr Curve kCurves[] = {
        {hostBackend, "naive", kSerial, 65536},
        {hostBackend, "naive-symmetric", "one core, with symmetry", 65536},
        {hostBackend, "simd", "one core, vectors", 65536},
        {hostBackend, "simd-threads", "all cores", 262144},
        {deviceBackend, "tiled", "GPU, tiled", 1048576},
        {deviceBackend, nullptr, "GPU, best for each N", 1048576},
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

/// How often a step fits into one of the serial run with the same bodies; 0: not measured.
double factorOverSerial(std::span<const SweepResult> results, const SweepResult& of) {
    for (const SweepResult& serial : results)
        if (serial.point.series == kSerial && serial.point.bodies == of.point.bodies && serial.row.verified &&
            of.row.verified && of.row.msPerStep > 0)
            return serial.row.msPerStep / of.row.msPerStep;
    return 0;
}

constexpr FigureColumn kCpuGpuColumns[] = {{"factor_over_serial", factorOverSerial}};

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
        shares.series.push_back(has ? *share
                                    : PlotSeries{.label = rate.label, .x = {}, .y = {}, .error = {}, .hollow = rate.hollow});
        shares.series.back().dashed = rate.dashed;
    }
    shares.y.label = "fraction of each device's issue bound [%]";
    shares.x.ticks = rates.x.ticks;
    shares.x.names = rates.x.names;
    drawTwo(area, rates, shares, 0.34f, area.style);
}

template <const SweepMeasure& measure>
void drawCurves(const FigureArea& area, const char* axis, std::span<const SweepResult> results) {
    if (area.papers) return drawBesidePapers(area, axis, results);
    drawPlot(area.canvas.ink(), area.from, area.to, sweepPlot("", sweepAxis(axis), results, measure), area.style);
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
    drawPlot(area.canvas.ink(), area.from, area.to, plot, area.style);
}

/// All times on logarithmic axes, and on linear ones up to the time of the slowest curve of the GPU, or of all cores.
void drawCpuGpu(const FigureArea& area, std::span<const SweepResult> results) {
    Plot plot = sweepPlot("", sweepAxis("bodies"), results, kThousandSteps);
    plot.y.logarithmic = true;
    plot.marked = false;
    Plot zoom = plot;
    zoom.x.logarithmic = zoom.y.logarithmic = false;
    zoom.y.high = 0;
    for (PlotSeries& series : plot.series) {
        // The curve's name has the factor of its last point.
        const auto last = std::ranges::find_if(results, [&](const SweepResult& result) {
            return result.point.series == series.label && !series.x.empty() && result.point.x == series.x.back();
        });
        const double factor = last == results.end() || series.label == kSerial ? 0 : factorOverSerial(results, *last);
        if (factor > 0) series.label += ": " + timesText(factor) + " at " + grouped(last->point.bodies).text;
    }
    const bool device = std::ranges::any_of(results, [](const SweepResult& result) {
        return result.row.verified && result.point.backend == deviceBackend().name;
    });
    for (const SweepResult& result : results)
        if (result.row.verified &&
            (device ? result.point.backend == deviceBackend().name : result.point.series == "all cores"))
            zoom.y.high = std::max(zoom.y.high, 1.2 * result.row.msPerStep);
    zoom.y.label = "seconds for 1,000 steps, linear";
    if (area.papers) addPapers(plot, "cpu-gpu", PaperMeasure::thousandSteps);
    // One legend covers both plots.
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
        if (i == zoom.series.size()) zoom.series.push_back({.label = {}, .x = {}, .y = {}, .error = {}, .hollow = {true}});
        zoom.series[i].label = plot.series[i].label;
        zoom.series[i].dashed = plot.series[i].dashed;
    }
    drawTwo(area, plot, zoom, 0.34f, area.style);
}

Reason neverRefuses(const FigureRequest&) { return {}; }

constexpr std::string_view kLaunchOptions = "--block,--unroll,--split,--bodies-per-thread";
constexpr UnusedOptions kNoLaunch{kLaunchOptions, "its trees walk with their usual launch"};
constexpr std::string_view kOwnCurves = "it compares curves of kernels of its own choice";
constexpr std::string_view kAllRungs = "it has the rungs of all backends, each with its fastest launch";
constexpr std::string_view kDepthRungs = "its curves are all searches for depths, and no forces are computed";
constexpr std::string_view kGroupRungs = "its curves are all ways to find groups, and no forces are computed";
constexpr std::string_view kBondRows = "its curves are all kernels for bonds, each launched as usual";
constexpr UnusedOptions kComputed{"--kernel,--repeats", "it is computed, not timed"};

constexpr FigureRow kFigures[] = {
    {.name = "unroll",
     .idea = "rate over the unroll factor",
     .title = "Rate over the unroll factor",
     .refuses = needs<kUnroll>,
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
     .idea = "rate over the number of bodies: the compiler's unrolling, 16 times, and none",
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
     .idea = "time of 1,000 steps on one core, all cores and the GPU, with factors over the serial run",
     .title = "Time of 1,000 steps",
     .refuses = neverRefuses,
     .points = cpuGpuPoints,
     .draw = drawCpuGpu,
     .note = cpuGpuNote,
     .unused = {{{"--backend,--kernel", kOwnCurves}, {kLaunchOptions, kOwnCurves}}},
     .columns = [] { return std::span<const FigureColumn>(kCpuGpuColumns); }},
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
    {.name = "bonds",
     .idea = "rate of each kernel for bonds over the imbalance of the rows, from a cloth to one hub",
     .title = "Bonds: a thread a row, a thread an element, and both",
     .refuses = whyNoBonds,
     .unused = {{{"--kernel,--accuracy", kBondRows}, {kLaunchOptions, kBondRows}}},
     .oneNumberOfBodies = true,
     .study = bondStudy},
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
    return joined(seen, {}, "; ");
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
    std::string all = formatted(
        "median of up to %d repetitions after a warm-up, bars: range of the repetitions; 99.9 %% of checked forces "
        "within %.0e of fp64",
        repeats, worst);
    if (refused > 0) all += "; " + std::to_string(refused) + " points that cannot run are omitted";
    if (failed > 0) all += "; " + std::to_string(failed) + " POINTS FAILED THEIR CHECK and are omitted";
    return all;
}

}  // namespace

std::span<const FigureRow> figures() { return kFigures; }

const FigureRow& figure(std::string_view name) { return findRow(figures(), "figure", name); }

namespace {

/// Title and footer; `draw` fills the area between them.
FigurePage page(const FigureRow& row, std::span<const std::string> footer, PageFormat format,
                const std::function<void(const FigureArea&)>& draw, bool papers = false) {
    FigurePage made{std::make_unique<Canvas>(kFigureWidth, kFigureHeight, kFontSize, format),
                    {{"Software", "gravlab " + std::string(version())}, {"gravlab:figure", std::string(row.name)}}};
    Canvas& canvas = *made.canvas;
    canvas.ink().box(ImVec2(0, 0), canvas.size(), IM_COL32_WHITE);
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
    return made;
}

}  // namespace

FigurePage figurePage(const FigureRow& row, std::span<const SweepResult> results, const std::string& note, bool papers,
                      PageFormat format) {
    const std::string footer[] = {note, papers ? papersNote() : std::string(),
                                  devicesText(results) + "; " + kernelsText(results),
                                  protocolText(results) + "; gravlab " + std::string(version())};
    return page(
        row, footer, format, [&](const FigureArea& area) { row.draw(area, results); }, papers);
}

FigurePage figurePage(const FigureRow& row, const FigureStudy& study, const std::string& note, PageFormat format) {
    const std::string footer[] = {note, study.device, study.protocol + "; gravlab " + std::string(version())};
    return page(row, footer, format, [&](const FigureArea& area) {
        const float wide = (area.to.x - area.from.x) / static_cast<float>(std::max<std::size_t>(study.plots.size(), 1));
        PlotStyle style = area.style;
        style.legendBeside = study.plots.size() == 1;
        for (std::size_t k = 0; k < study.plots.size(); ++k) {
            const float left = area.from.x + wide * static_cast<float>(k);
            drawPlot(area.canvas.ink(), ImVec2(left, area.from.y), ImVec2(left + wide - 20, area.to.y), study.plots[k],
                     style);
        }
    });
}

Picture figurePicture(const FigureRow& row, std::span<const SweepResult> results, const std::string& note, bool papers) {
    const FigurePage drawn = figurePage(row, results, note, papers, PageFormat::png);
    return {.width = kFigureWidth, .height = kFigureHeight, .rgb = drawn.canvas->finish(), .texts = drawn.texts};
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
    const BackendRow& device = deviceBackend();
    const Reason cuda = device.unavailable(request.options);
    return "no " + request.backend + " kernel has a " +
           joined(
               axes, [](const char* axis) { return std::string_view(axis); }, " and ") +
           " to vary; CUDA kernels have" +
           (cuda.empty() ? "" : ", but the " + std::string(device.name) + " backend cannot run here: " + cuda);
}

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

void drawTwo(const FigureArea& area, const Plot& left, const Plot& right, float share, PlotStyle style) {
    const float middle = (1 - share) * area.from.x + share * area.to.x;
    PlotStyle quiet = style;
    quiet.legend = false;
    const bool beside = style.legendBeside;
    drawPlot(area.canvas.ink(), area.from, ImVec2(middle - 20, area.to.y), left, beside ? quiet : style);
    drawPlot(area.canvas.ink(), ImVec2(middle + 20, area.from.y), area.to, right, beside ? style : quiet);
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

std::string timesText(double factor) {
    return (factor < 100 ? formatted("%.3g", factor) : std::string(grouped(std::llround(factor)))) + " x";
}

PlotAxis logarithmicAxis(const char* label) {
    PlotAxis axis;
    axis.label = label;
    axis.logarithmic = true;
    return axis;
}

}  // namespace figures_detail
}  // namespace gravlab
