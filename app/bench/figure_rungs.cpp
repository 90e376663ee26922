// Figures of many rungs: the ladder, its scaling over threads, its limits, and a map over two factors.
#include "app/bench/figure_parts.h"
#include "app/bench/kernel_source.h"
#include "app/bench/papers.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"

#include <cmath>

namespace gravlab {

int linesOfKernel(const KernelRow& row) {
    const auto says = [](const SourceLine& line) {
        return std::ranges::any_of(line.spans, [](const SourceSpan& span) { return span.ink != SourceColours::comment; });
    };
    const std::vector<SourceLine>& lines = kernelSource(row).lines;
    return static_cast<int>(std::count_if(lines.begin(), lines.end(), says));
}

namespace figures_detail {
namespace {

using paper::kInk;

const KernelRow& rowOf(const SweepResult& result) { return kernel(result.row.backend, result.row.kernel); }

/// The rate to which others are compared: the first rung of the first backend, one thread. 0: it has none.
double firstRate(std::span<const SweepResult> results) {
    return results.empty() || !results.front().row.verified ? 0 : results.front().row.interactionsPerSecond;
}
double factorOf(std::span<const SweepResult> results, const SweepResult& of) {
    const double first = firstRate(results);
    return first > 0 && of.row.verified ? of.row.interactionsPerSecond / first : 0;
}
double shareOf(const SweepResult& of) {
    return of.row.boundPerSecond > 0 && of.row.verified ? of.row.interactionsPerSecond / of.row.boundPerSecond : 0;
}

/// The fastest verified launch of the same kernel; null: none is verified.
const SweepResult* bestOfRung(std::span<const SweepResult> results, const SweepResult& of) {
    const SweepResult* best = nullptr;
    for (const SweepResult& result : results)
        if (result.row.verified && result.row.backend == of.row.backend && result.row.kernel == of.row.kernel &&
            (!best || result.row.interactionsPerSecond > best->row.interactionsPerSecond))
            best = &result;
    return best;
}

constexpr FigureColumn kLadderColumns[] = {
    {"best",
     [](std::span<const SweepResult> results, const SweepResult& of) { return bestOfRung(results, of) == &of ? 1.0 : 0.0; }},
    {"factor", factorOf},
    {"share_of_bound", [](std::span<const SweepResult>, const SweepResult& of) { return shareOf(of); }},
    {"lines", [](std::span<const SweepResult>,
                 const SweepResult& of) { return of.refused ? 0.0 : static_cast<double>(linesOfKernel(rowOf(of))); }},
};

/// The rate of one thread: that of the same curve on the fewest threads, divided by their number.
double oneThread(std::span<const SweepResult> results, const SweepResult& of) {
    const SweepResult* fewest = nullptr;
    for (const SweepResult& result : results)
        if (result.row.verified && result.point.series == of.point.series && (!fewest || result.point.x < fewest->point.x))
            fewest = &result;
    return fewest ? fewest->row.interactionsPerSecond / fewest->point.x : 0;
}
double speedUp(std::span<const SweepResult> results, const SweepResult& of) {
    const double one = oneThread(results, of);
    return one > 0 && of.row.verified ? of.row.interactionsPerSecond / one : 0;
}

constexpr FigureColumn kThreadsColumns[] = {
    {"speed_up", speedUp},
    {"efficiency", [](std::span<const SweepResult> results,
                      const SweepResult& of) { return of.point.x > 0 ? speedUp(results, of) / of.point.x : 0; }},
};

constexpr double kFlopsPerPair = 20;

/// Bytes of bodies that one force evaluation reads. A GPU reads them as the launch requests; a CPU reads each body once,
/// because its caches hold all bodies.
double bytesRead(const SweepResult& of) {
    constexpr double kBody = 16;
    return of.facts.memoryBytes > 0 ? of.facts.memoryBytes : kBody * static_cast<double>(of.row.bodies);
}
double flopPerByte(const SweepResult& of) {
    const double n = static_cast<double>(of.row.bodies);
    return kFlopsPerPair * n * n / bytesRead(of);
}

constexpr FigureColumn kRooflineColumns[] = {
    {"flop_per_byte",
     [](std::span<const SweepResult>, const SweepResult& of) { return of.row.verified ? flopPerByte(of) : 0; }},
    {"peak_multiply_adds_per_second",
     [](std::span<const SweepResult>, const SweepResult& of) { return of.peaks.multiplyAdds; }},
    {"peak_inverse_roots_per_second",
     [](std::span<const SweepResult>, const SweepResult& of) { return of.peaks.inverseRoots; }},
    {"peak_bytes_per_second", [](std::span<const SweepResult>, const SweepResult& of) { return of.peaks.bandwidth; }},
};

std::string percent(double share) { return share > 0 ? formatted("%.0f %%", 100 * share) : "-"; }
std::string rate(double perSecond) {
    const double g = perSecond * 1e-9;
    return g >= 1000 ? std::string(grouped(static_cast<std::uint64_t>(std::llround(g)))) : formatted("%.3g", g);
}

/// A heading of the table, and the cell of each rung.
struct LadderColumn {
    const char* heading;
    float width;  ///< in lines of the small font
    std::string (*text)(std::span<const SweepResult> results, const SweepResult& of);
};
constexpr LadderColumn kShown[] = {
    {"G/s", 4.5f, [](std::span<const SweepResult>, const SweepResult& of) { return rate(of.row.interactionsPerSecond); }},
    {"bound", 3.5f, [](std::span<const SweepResult>, const SweepResult& of) { return percent(shareOf(of)); }},
    {"lines", 3,
     [](std::span<const SweepResult>, const SweepResult& of) { return std::to_string(linesOfKernel(rowOf(of))); }},
    {"registers", 4.5f,
     [](std::span<const SweepResult>, const SweepResult& of) {
         return of.facts.registers > 0 ? std::to_string(of.facts.registers) : std::string("-");
     }},
};

/// The columns of which at least one rung has a number: a processor has neither a known bound nor registers to count.
std::vector<LadderColumn> shownColumns(std::span<const SweepResult> results, std::span<const SweepResult* const> rungs) {
    std::vector<LadderColumn> shown;
    for (const LadderColumn& column : kShown)
        if (std::ranges::any_of(rungs, [&](const SweepResult* rung) { return column.text(results, *rung) != "-"; }))
            shown.push_back(column);
    return shown;
}

}  // namespace

std::span<const FigureColumn> ladderColumns() { return kLadderColumns; }
std::span<const FigureColumn> threadsColumns() { return kThreadsColumns; }
std::span<const FigureColumn> rooflineColumns() { return kRooflineColumns; }

std::vector<SweepPoint> launchesOf(const KernelRow& row, const SweepPoint& usual) {
    static constexpr int kParts[] = {2, 4, 8, 16, 32};
    std::vector<SweepPoint> points{usual};
    const auto add = [&](int LaunchConfig::*factor, int value, const char* unit) {
        if (value == usual.kernel.launch.*factor) return;
        points.push_back(usual);
        points.back().kernel.launch.*factor = value;
        points.back().series += ", " + std::to_string(value) + unit;
    };
    for (const int held : row.bodiesPerThread) add(&LaunchConfig::bodiesPerThread, held, " a thread");
    if (row.bodiesPerThread.empty() && row.splits.last > 1)
        for (const int parts : kParts) add(&LaunchConfig::split, parts, " parts");
    return points;
}

std::vector<SweepPoint> ladderPoints(const FigureRequest& request) {
    constexpr std::size_t kUsual = 16384;
    std::vector<SweepPoint> points;
    for (const BackendRow* by : {&hostBackend(), &deviceBackend()}) {
        if (!by->unavailable(request.options).empty()) continue;
        for (const KernelRow& row : kernels()) {
            if (row.backend != by->name || !everyPair(row)) continue;
            SweepPoint point = basePoint(request, row);
            point.bodies = request.bodies.empty() ? kUsual : request.bodies.front();
            point.series = std::string(row.backend) + " " + std::string(row.name);
            for (SweepPoint& launch : launchesOf(row, point)) {
                launch.x = static_cast<double>(points.size() + 1);
                points.push_back(std::move(launch));
            }
        }
    }
    return points;
}

std::string ladderNote(const FigureRequest& request) {
    const bool device = deviceBackend().unavailable(request.options).empty();
    return std::string("each rung with its fastest launch; ") +
           (device ? "bound: instructions that the device can issue; " : "") +
           "lines of the kernel's text, without comments" + (device ? "" : "; no GPU here, so no rungs of one");
}

void drawLadder(const FigureArea& area, std::span<const SweepResult> results) {
    PlotInk& ink = area.canvas.ink();
    ImFont* const font = area.canvas.small();
    const float line = font->FontSize;
    std::vector<const SweepResult*> rungs;
    double least = 1, most = 1;
    for (const SweepResult& result : results) {
        if (result.refused) continue;
        const SweepResult* const best = bestOfRung(results, result);
        if (best ? best != &result : !rungs.empty() && rungs.back()->row.kernel == result.row.kernel) continue;
        rungs.push_back(&result);
        if (const double factor = factorOf(results, result); factor > 0) {
            least = std::min(least, factor);
            most = std::max(most, factor);
        }
    }
    if (rungs.empty()) return;
    const std::vector<PaperFactor> papers = area.papers ? paperFactors() : std::vector<PaperFactor>();
    for (const PaperFactor& paper : papers) most = std::max(most, paper.factor);
    const float begin = area.from.x + 15;
    float names = 0;
    for (const SweepResult* rung : rungs) names = std::max(names, area.canvas.width(font, rung->point.series.c_str()));
    names = std::min(names, 0.3f * (area.to.x - area.from.x));
    const std::vector<LadderColumn> columns = shownColumns(results, rungs);
    std::vector<float> edges;  // right edges of the columns
    float edge = begin + names;
    for (const LadderColumn& column : columns) edges.push_back(edge += column.width * line);
    const float left = edge + 1.5f * line, right = area.to.x - 7 * line;
    const float head = area.from.y + 1.4f * line, foot = area.to.y - 1.5f * line;
    const float high = std::min((foot - head) / static_cast<float>(rungs.size()), 2.2f * line);
    const float end = head + high * static_cast<float>(rungs.size());
    const double decades = std::log10(1.3 * most / least) + 0.15;
    const auto placeOf = [&](double times) {
        const double part = times > 0 ? (std::log10(times / least) + 0.15) / decades : 0;
        return left + (right - left) * static_cast<float>(std::clamp(part, 0.0, 1.0));
    };
    for (const double tick : roundTicks(least, 1.3 * most, true, 6)) {
        ink.line(ImVec2(placeOf(tick), head), ImVec2(placeOf(tick), end), IM_COL32(222, 222, 222, 255), 2);
        area.canvas.text(font, ImVec2(placeOf(tick), end + 0.2f * line), kInk, (tickText(tick) + " x").c_str(), 0.5f);
    }
    area.canvas.text(font, ImVec2(begin, area.from.y), kFigureQuiet,
                     (bodiesText(rungs.front()->row.bodies) + ", forces only").c_str());
    for (std::size_t c = 0; c < columns.size(); ++c)
        area.canvas.text(font, ImVec2(edges[c], area.from.y), kFigureQuiet, columns[c].heading, 1);
    area.canvas.text(
        font, ImVec2(left, area.from.y), kFigureQuiet,
        area.papers ? "times the first rung; circles: papers, times their own plain loop" : "times the first rung");
    for (std::size_t k = 0; k < rungs.size(); ++k) {
        const SweepResult& result = *rungs[k];
        const float top = head + high * static_cast<float>(k), text = top + 0.5f * (high - line);
        const bool device = result.row.backend == deviceBackend().name;
        area.canvas.text(font, ImVec2(begin, text), kInk, result.point.series.c_str(), 0, names);
        if (!result.row.verified) {
            area.canvas.text(font, ImVec2(left, text), IM_COL32(190, 30, 30, 255), "FAILED ITS CHECK: no rate");
            continue;
        }
        for (std::size_t c = 0; c < columns.size(); ++c)
            area.canvas.text(font, ImVec2(edges[c], text), kInk, columns[c].text(results, result).c_str(), 1);
        const double factor = factorOf(results, result);
        const float tip = placeOf(factor);
        ink.box(ImVec2(left, top + 0.14f * high), ImVec2(tip, top + 0.86f * high), seriesColour(device ? 1 : 0, true), 3);
        float label = tip + 0.4f * line;
        for (const PaperFactor& paper : papers)
            if (const float at = placeOf(paper.factor);
                paper.kernel == result.row.kernel && at > label - line && at < label + 4 * line)
                label = at + 0.8f * line;
        area.canvas.text(font, ImVec2(label, text), kInk, timesText(factor).c_str());
        // Circles are factors of papers, each relative to the plain loop of its paper.
        for (const PaperFactor& paper : papers) {
            if (paper.kernel != result.row.kernel) continue;
            const ImVec2 at(placeOf(paper.factor), top + 0.5f * high);
            const float radius = std::min(0.44f * high, 0.6f * line);
            ink.disc(at, radius, IM_COL32_WHITE);
            ink.ring(at, radius, kInk, 3);
            const std::string digit = paper.paper.substr(2);
            const float wide = 1.1f * radius, size = std::min(1.0f, wide / area.canvas.width(font, digit.c_str()));
            const float raised = 0.5f * size * font->FontSize + (1 - size) * font->Ascent;
            area.canvas.text(font, ImVec2(at.x, at.y - raised), kInk, digit.c_str(), 0.5f, wide);
        }
    }
    ink.line(ImVec2(left, head), ImVec2(left, end), kInk, 2);
    ink.line(ImVec2(left, end), ImVec2(right, end), kInk, 2);
}

Reason needsCores(const FigureRequest& request) {
    if (backend(request.backend).usesCores) return {};
    return "the " + request.backend + " backend has no CPU threads to vary; use --backend " +
           std::string(hostBackend().name);
}

std::vector<SweepPoint> threadsPoints(const FigureRequest& request) {
    // Use one kernel for all numbers of threads: the backend might choose different ones.
    constexpr const char* kUsual = "simd-threads";
    const KernelRow& row = kernel(request.backend, request.kernel.empty() ? kUsual : request.kernel);
    return curvesByBodies(request, row, "threads", {1024, 4096, 16384}, request.threads);
}

void drawThreads(const FigureArea& area, std::span<const SweepResult> results) {
    Plot up;
    up.x = logarithmicAxis("CPU threads");
    up.y.label = "speed-up over one thread";
    Plot efficiency;
    efficiency.x = up.x;
    efficiency.y.label = "efficiency: speed-up over threads [%]";
    PlotSeries ideal;
    ideal.label = "perfect scaling";
    ideal.markers = false;
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        if (std::ranges::find(ideal.x, result.point.x) == ideal.x.end()) ideal.x.push_back(result.point.x);
        for (Plot* plot : {&up, &efficiency}) {
            const double value = speedUp(results, result);
            seriesNamed(*plot, result.point.series)
                .add(result.point.x, plot == &up ? value : 100 * value / result.point.x, result.row.spread);
        }
    }
    std::ranges::sort(ideal.x);
    up.x.ticks = efficiency.x.ticks = ideal.x;
    ideal.y = ideal.x;
    up.series.push_back(ideal);
    ideal.y.assign(ideal.x.size(), 100);
    efficiency.series.push_back(std::move(ideal));
    PlotStyle style = area.style;
    style.legendBeside = false;
    drawTwo(area, up, efficiency, 0.5f, style);
}

std::vector<SweepPoint> rooflinePoints(const FigureRequest& request) {
    const BackendRow& by = backend(request.backend);
    const std::size_t usual = by.onDevice ? 65536 : 4096;
    std::vector<SweepPoint> points;
    const auto add = [&](const KernelChoice& choice) {
        SweepPoint point;
        point.backend = request.backend;
        point.options = request.options;
        point.bodies = request.bodies.empty() ? usual : request.bodies.front();
        point.kernel = choice;
        point.plan = kPointPlan;
        point.plan.repeats = request.repeats;
        point.series = nameOf(choice);
        point.peaks = true;
        points.push_back(std::move(point));
    };
    if (!request.kernel.empty()) {
        add({request.kernel, request.launch});
        return points;
    }
    // The first rung, the plainest rung with launch parameters, and the default one.
    const KernelRow* first = nullptr;
    for (const KernelRow& row : kernels())
        if (!first && row.backend == request.backend) first = &row;
    constexpr const char* kAxes[] = {"block", "unroll"};
    if (first) add({std::string(first->name), launchOf(request, *first)});
    if (const KernelRow* tunable = rowFor(request, kAxes)) add({std::string(tunable->name), launchOf(request, *tunable)});
    add({});
    return points;
}

std::string rooflineNote(const FigureRequest& request) {
    return backend(request.backend).onDevice
               ? "20 floating-point operations per pair; bytes that the launch requests, mostly from caches; peaks: units x "
                 "highest clock, two transfers per clock over the memory bus"
               : "20 floating-point operations per pair; each body read once, because the caches hold all; peaks measured "
                 "by loops of one operation on all threads";
}

void drawRoofline(const FigureArea& area, std::span<const SweepResult> results) {
    DevicePeaks peaks;
    Plot plot;
    plot.x = logarithmicAxis("operations per byte read");
    plot.y = logarithmicAxis("GFLOP/s");
    double least = 1e300, most = 0;
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        peaks = result.peaks;
        least = std::min(least, flopPerByte(result));
        most = std::max(most, flopPerByte(result));
    }
    if (most == 0) return;
    const double multiplyAdds = 2 * peaks.multiplyAdds, roots = kFlopsPerPair * peaks.inverseRoots;
    const double ridge = peaks.bandwidth > 0 ? multiplyAdds / peaks.bandwidth : least;
    const double low = std::min(least, ridge) / 4, high = 4 * std::max(most, ridge);
    const auto roof = [&](const std::string& label, std::vector<double> x, std::vector<double> y) {
        PlotSeries series;
        series.label = label;
        series.markers = false;
        for (std::size_t k = 0; k < x.size(); ++k) series.add(x[k], 1e-9 * y[k]);
        plot.series.push_back(std::move(series));
    };
    if (peaks.bandwidth > 0)
        roof(formatted("memory: %sB/s", withPrefix(peaks.bandwidth).text), {low, ridge},
             {low * peaks.bandwidth, multiplyAdds});
    roof(formatted("multiply-adds only: %sFLOP/s", withPrefix(multiplyAdds).text), {ridge, high},
         {multiplyAdds, multiplyAdds});
    if (peaks.inverseRoots > 0)
        roof(formatted("one inverse root per pair: %s/s", withPrefix(peaks.inverseRoots).text), {low, high}, {roots, roots});
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        PlotSeries series;
        const double reached = kFlopsPerPair * result.row.interactionsPerSecond;
        const std::string asked = result.point.series == "auto" ? ", alone" : "";
        series.label = result.row.kernel + asked + formatted(": %.0f %% of multiply-adds", 100 * reached / multiplyAdds);
        series.line = false;
        series.add(flopPerByte(result), 1e-9 * reached);
        plot.series.push_back(std::move(series));
        if (result.row.boundPerSecond <= 0 || result.point.series != results.back().point.series) continue;
        const double bound = kFlopsPerPair * result.row.boundPerSecond;
        roof(formatted("issue bound of %s", result.row.kernel.c_str()), {low, high}, {bound, bound});
    }
    drawPlot(area.canvas.ink(), area.from, area.to, plot, area.style);
}

std::vector<SweepPoint> blockSplitPoints(const FigureRequest& request) {
    constexpr const char* kAxes[] = {"block", "split"};
    const KernelRow& row = *rowFor(request, kAxes);
    SweepPoint base = basePoint(request, row);
    base.bodies = request.bodies.empty() ? 4096 : request.bodies.front();
    std::vector<SweepPoint> points;
    for (SweepPoint& line : pointsAlong(sweepAxis("split"), row, base, given(request.splits))) {
        line.series = std::to_string(std::llround(line.x));
        for (SweepPoint& point : pointsAlong(sweepAxis("block"), row, line, given(request.blocks)))
            points.push_back(std::move(point));
    }
    return points;
}

void drawBlockSplit(const FigureArea& area, std::span<const SweepResult> results) {
    const std::string title =
        results.empty() ? "" : results.front().row.kernel + ", " + bodiesText(results.front().row.bodies);
    drawHeatMap(area.canvas.ink(), area.from, area.to,
                sweepMap(title, sweepAxis("block"), sweepAxis("split"), results, kStepRate), area.style);
}

}  // namespace figures_detail
}  // namespace gravlab
