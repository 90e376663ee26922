// The figure of N/p: rates over the number of blocks, and a table of blocks against multiprocessors.
#include "app/bench/figure_parts.h"
#include "app/tables/format.h"

#include <algorithm>

namespace gravlab::figures_detail {
namespace {

constexpr const char* kWavesAxes[] = {"block"};

int multiprocessorsOf(std::span<const SweepResult> results) {
    int most = 0;
    for (const SweepResult& result : results) most = std::max(most, result.facts.multiprocessors);
    return most;
}

/// The highest rate with the same number of bodies; 0: none is verified.
double bestOfItsBodies(std::span<const SweepResult> results, const SweepResult& of) {
    double best = 0;
    for (const SweepResult& result : results)
        if (result.point.bodies == of.point.bodies && result.row.verified)
            best = std::max(best, kForceRate.value(result.row));
    return best;
}

/// White for half of the best rate and less, green for the best.
ImU32 greenOf(double share) {
    const double part = std::clamp(2 * share - 1, 0.0, 1.0);
    const auto mix = [part](int low, int high) { return static_cast<int>(low + part * (high - low)); };
    return IM_COL32(mix(250, 110), mix(250, 200), mix(250, 130), 255);
}

/// Blocks N/p for each N and p: a star where multiprocessors are idle, and as colour the measured rate, because idle
/// multiprocessors do not decide it.
void drawWavesTable(const FigureArea& area, std::span<const SweepResult> results) {
    PlotInk& ink = area.canvas.ink();
    const int multiprocessors = multiprocessorsOf(results);
    std::vector<std::string> columns;
    std::vector<std::size_t> rows;
    for (const SweepResult& result : results) {
        if (std::find(columns.begin(), columns.end(), result.point.series) == columns.end())
            columns.push_back(result.point.series);
        if (std::find(rows.begin(), rows.end(), result.point.bodies) == rows.end()) rows.push_back(result.point.bodies);
    }
    std::sort(rows.begin(), rows.end());
    const float line = area.canvas.small()->FontSize, high = 2.1f * line, head = 4.6f * line;
    const float first = 5.2f * line,
                wide = (area.to.x - area.from.x - first) / static_cast<float>(std::max<std::size_t>(columns.size(), 1));
    area.canvas.text(area.canvas.small(), area.from, kFigureQuiet,
                     formatted("blocks N/p; *: fewer than the %d multiprocessors", multiprocessors).c_str(), 0,
                     area.to.x - area.from.x);
    area.canvas.text(area.canvas.small(), ImVec2(area.from.x, area.from.y + 1.2f * area.canvas.small()->FontSize),
                     kFigureQuiet, "green: rate as a share of the best with these N (frame)", 0, area.to.x - area.from.x);
    for (std::size_t c = 0; c < columns.size(); ++c)
        area.canvas.text(area.canvas.small(),
                         ImVec2(area.from.x + first + (static_cast<float>(c) + 0.5f) * wide, area.from.y + 3 * line),
                         paper::kInk, columns[c].c_str(), 0.5f);
    for (std::size_t r = 0; r < rows.size(); ++r)
        area.canvas.text(area.canvas.small(),
                         ImVec2(area.from.x + first - 0.5f * line,
                                area.from.y + head + static_cast<float>(r) * high + 0.5f * (high - line)),
                         paper::kInk, grouped(rows[r]), 1);
    for (const SweepResult& result : results) {
        const auto c = std::find(columns.begin(), columns.end(), result.point.series) - columns.begin();
        const auto r = std::find(rows.begin(), rows.end(), result.point.bodies) - rows.begin();
        const ImVec2 a(area.from.x + first + static_cast<float>(c) * wide,
                       area.from.y + head + static_cast<float>(r) * high);
        const double best = bestOfItsBodies(results, result);
        const double share = best > 0 ? kForceRate.value(result.row) / best : 0;
        ink.box(a, ImVec2(a.x + wide - 3, a.y + high - 3), greenOf(share));
        if (share >= 1) ink.frame(a, ImVec2(a.x + wide - 3, a.y + high - 3), paper::kInk, 2);
        area.canvas.text(area.canvas.small(), ImVec2(a.x + 0.5f * wide, a.y + 0.5f * (high - line)), paper::kInk,
                         (grouped(static_cast<std::uint64_t>(result.point.x)).text +
                          std::string(result.point.x < multiprocessors ? " *" : ""))
                             .c_str(),
                         0.5f);
    }
}

}  // namespace

std::vector<SweepPoint> wavesPoints(const FigureRequest& request) {
    const KernelRow& row = *rowFor(request, kWavesAxes);
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

void drawWaves(const FigureArea& area, std::span<const SweepResult> results) {
    static const SweepAxis kBlocks{"blocks", "blocks N/p; the line: one for each multiprocessor", true, false, nullptr,
                                   nullptr};
    Plot plot = sweepPlot("", kBlocks, results, kForceRate);
    plot.x.ticks.clear();
    plot.markX = multiprocessorsOf(results);
    plot.marked = plot.markX > 0;
    FigureArea table = area;
    table.from.x = area.from.x + 0.62f * (area.to.x - area.from.x);
    PlotStyle style = area.style;
    style.legendBeside = false;
    drawPlot(area.canvas.ink(), area.from, ImVec2(table.from.x - 20, area.to.y), plot, style);
    drawWavesTable(table, results);
}

}  // namespace gravlab::figures_detail
