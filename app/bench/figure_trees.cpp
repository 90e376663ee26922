// Figures about trees: errors and rates over the accuracy, and the number of bodies from which a tree wins.
#include "app/bench/figure_parts.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

double stepsPerSecond(const BenchmarkRow& row) { return row.msPerStep > 0 ? 1e3 / row.msPerStep : 0; }

/// The backend's row with an accuracy; null: it has none.
const KernelRow* treeOf(const FigureRequest& request) {
    const auto turned = [&](const KernelRow& row) {
        return row.backend == request.backend && row.approximates && !row.byOpening;
    };
    if (!request.kernel.empty()) {
        const KernelRow& row = kernel(request.backend, request.kernel);
        return turned(row) ? &row : nullptr;
    }
    const KernelRow* last = nullptr;  // the last rung of the ladder
    for (const KernelRow& row : kernels())
        if (turned(row)) last = &row;
    return last;
}

/// Numbers of bodies for trees on that backend, each `factor` times the previous one, up to where every pair still takes a
/// bearable time.
std::vector<std::size_t> treeBodies(const FigureRequest& request, std::size_t factor) {
    if (!request.bodies.empty()) return request.bodies;
    const bool device = backend(request.backend).onDevice;
    std::vector<std::size_t> bodies;
    for (std::size_t count = device ? 16384 : 2048; count <= (device ? 1048576u : 65536u); count *= factor)
        bodies.push_back(count);
    return bodies;
}

/// A curve for each series, from its verified results.
template <class Value>
void addCurves(Plot& plot, std::span<const SweepResult> results, const std::string& what, const Value& value) {
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        seriesNamed(plot, result.point.series + what).add(result.point.x, value(result.row));
    }
}

/// The x above which `b` is higher than `a`, on logarithmic axes; 0: there is none.
double crossing(const PlotSeries& a, const PlotSeries& b) {
    double found = 0, lastX = 0, last = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i) {
        const auto same = std::ranges::find(b.x, a.x[i]);
        if (same == b.x.end()) continue;
        const double now = std::log(b.y[static_cast<std::size_t>(same - b.x.begin())] / a.y[i]);
        if (now < 0) found = 0;
        if (lastX > 0 && last < 0 && now >= 0) found = lastX * std::pow(a.x[i] / lastX, last / (last - now));
        lastX = a.x[i];
        last = now;
    }
    return found;
}

}  // namespace

namespace figures_detail {

Reason needsTree(const FigureRequest& request) {
    if (treeOf(request)) return {};
    return request.kernel.empty() ? "the " + request.backend + " backend has no tree"
                                  : "kernel '" + request.kernel + "' has no accuracy; use 'tree'";
}

std::vector<SweepPoint> accuracyPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    const std::vector<double> accuracies =
        request.accuracies.empty() ? std::vector<double>{1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5} : request.accuracies;
    for (const std::size_t count : treeBodies(request, 8))
        for (const double accuracy : accuracies) {
            SweepPoint point = basePoint(request, *treeOf(request));
            point.bodies = count;
            point.kernel.allowedError = accuracy;
            point.series = bodiesText(count);
            point.x = accuracy;
            points.push_back(std::move(point));
        }
    return points;
}

std::vector<SweepPoint> crossoverPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    for (const double accuracy : {0.0, 1e-3, 1e-4})
        for (const std::size_t count : treeBodies(request, 2)) {
            SweepPoint point = basePoint(request, *treeOf(request));
            point.bodies = count;
            point.kernel.allowedError = accuracy;
            if (accuracy == 0) point.kernel = {};  // the backend's choice for every pair
            point.series = accuracy > 0 ? formatted("tree, 99 %% within %.0e", accuracy) : std::string("every pair");
            point.x = static_cast<double>(count);
            points.push_back(std::move(point));
        }
    return points;
}

/// The allowed error, the measured error, and the time.
void drawAccuracy(const FigureArea& area, std::span<const SweepResult> results) {
    Plot errors;
    errors.x = logarithmicAxis("accuracy");
    errors.y = logarithmicAxis("relative error of the force");
    Plot rates;
    rates.x = errors.x;
    rates.y = logarithmicAxis("steps/s");
    addCurves(errors, results, ", 99 %", [](const BenchmarkRow& row) { return row.errorP99; });
    addCurves(errors, results, ", median", [](const BenchmarkRow& row) { return row.errorMedian; });
    PlotSeries allowed;
    allowed.label = "allowed for 99 %";
    for (const SweepResult& result : results) allowed.x.push_back(result.point.x);
    std::sort(allowed.x.begin(), allowed.x.end());
    allowed.y = allowed.x;
    allowed.markers = false;
    errors.series.push_back(std::move(allowed));
    addCurves(rates, results, "", stepsPerSecond);
    const float middle = 0.55f * area.from.x + 0.45f * area.to.x;
    PlotStyle style = area.style;
    style.legendBeside = false;
    drawPlot(area.canvas.ink(), area.from, ImVec2(middle - 20, area.to.y), errors, style);
    drawPlot(area.canvas.ink(), ImVec2(middle + 20, area.from.y), area.to, rates, style);
}

void drawCrossover(const FigureArea& area, std::span<const SweepResult> results) {
    Plot plot;
    plot.x = logarithmicAxis("bodies");
    plot.y = logarithmicAxis("steps/s");
    addCurves(plot, results, "", stepsPerSecond);
    for (std::size_t k = 1; k < plot.series.size(); ++k) {
        const double at = crossing(plot.series[0], plot.series[k]);
        if (at > 0) plot.changes.push_back(at);
        if (at > 0) plot.series[k].label += formatted(", faster from %.0f", at);
    }
    if (!plot.changes.empty()) plot.x.label += "; dashed: where a tree becomes faster";
    drawPlot(area.canvas.ink(), area.from, area.to, plot, area.style);
}

}  // namespace figures_detail
}  // namespace gravlab
