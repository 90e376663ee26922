// The axes, and plots of results along them.
#include "app/bench/sweep_axis.h"

#include "app/tables/lab_sweep.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>

namespace gravlab {

std::vector<std::size_t> given(std::span<const int> values) { return {values.begin(), values.end()}; }

namespace {

constexpr std::size_t kUsualBlockLimit = 1024;

std::vector<std::size_t> withinRange(std::span<const std::size_t> values, Range range, std::size_t usualLimit) {
    std::vector<std::size_t> result;
    const std::size_t last = range.last == 0 ? usualLimit : static_cast<std::size_t>(range.last);
    for (const std::size_t value : values)
        if (value >= static_cast<std::size_t>(range.first) && value <= last) result.push_back(value);
    return result;
}

std::vector<std::size_t> powersOfTwo(std::size_t first, std::size_t last) {
    std::vector<std::size_t> result;
    for (std::size_t value = first; value <= last; value *= 2) result.push_back(value);
    return result;
}

/// A correct kernel, and those that are wrong on purpose.
std::vector<const KernelRow*> beside(std::string_view backendName) {
    std::vector<const KernelRow*> rows;
    if (hasKernel(backendName, "tiled")) rows.push_back(&kernel(backendName, "tiled"));
    for (const KernelRow& row : trapKernels())
        if (row.backend == backendName) rows.push_back(&row);
    return rows;
}

const SweepAxis kAxes[] = {
    {"unroll", "unroll factor", true, true, [](const KernelRow& row, std::size_t) { return given(row.unrolls); },
     [](SweepPoint& point, std::size_t value) { point.kernel.launch.unroll = static_cast<int>(value); }},
    {"block", "block size [threads]", true, true,
     [](const KernelRow& row, std::size_t) {
         if (!row.blockSizes.empty()) return given(row.blockSizes);
         static constexpr std::size_t kBlocks[] = {16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
         return withinRange(kBlocks, row.blocks, kUsualBlockLimit);
     },
     [](SweepPoint& point, std::size_t value) { point.kernel.launch.block = static_cast<int>(value); }},
    {"split", "split [parts of the sources]", true, true,
     [](const KernelRow& row, std::size_t bodies) {
         return withinRange(powersOfTwo(1, std::min<std::size_t>(bodies, 128)), row.splits, 128);
     },
     [](SweepPoint& point, std::size_t value) { point.kernel.launch.split = static_cast<int>(value); }},
    {"bodies-per-thread", "bodies a thread", true, true,
     [](const KernelRow& row, std::size_t) { return given(row.bodiesPerThread); },
     [](SweepPoint& point, std::size_t value) { point.kernel.launch.bodiesPerThread = static_cast<int>(value); }},
    {"bodies", "bodies", true, false,
     [](const KernelRow& row, std::size_t) { return powersOfTwo(1024, backend(row.backend).mostStudied); },
     [](SweepPoint& point, std::size_t value) { point.bodies = value; }},
    {"threads", "CPU threads", false, true,
     [](const KernelRow&, std::size_t) {
         const std::size_t all = std::max(1u, std::thread::hardware_concurrency());
         std::vector<std::size_t> result = powersOfTwo(1, all);
         if (result.back() != all) result.push_back(all);
         return result;
     },
     [](SweepPoint& point, std::size_t value) { point.options.threads = static_cast<int>(value); }},
    {"traps", "kernels", false, false,
     [](const KernelRow& row, std::size_t) {
         std::vector<std::size_t> places(beside(row.backend).size());
         std::iota(places.begin(), places.end(), std::size_t{1});
         return places;
     },
     [](SweepPoint& point, std::size_t value) {
         const KernelRow& row = *beside(point.backend).at(value - 1);
         point.kernel = {std::string(row.name), row.usual};
     },
     true},
};

}  // namespace

const SweepMeasure kForceRate{"force", "G interactions/s, forces only",
                              [](const BenchmarkRow& row) { return row.interactionsPerSecond * 1e-9; },
                              [](const BenchmarkRow& row) { return row.spread; }};
const SweepMeasure kStepRate{"step", "G interactions/s, whole steps",
                             [](const BenchmarkRow& row) { return row.stepInteractionsPerSecond * 1e-9; },
                             [](const BenchmarkRow& row) { return row.stepSpread; }};

std::size_t asFastAs(const SweepResult& best, std::span<const SweepResult> results, const SweepMeasure& measure) {
    const auto end = [&](const SweepResult& result, double side) {
        return measure.value(result.row) * (1 + 0.5 * side * measure.spread(result.row));
    };
    return static_cast<std::size_t>(std::ranges::count_if(results, [&](const SweepResult& other) {
        return &other != &best && other.row.verified && end(other, 1) >= end(best, -1);
    }));
}

std::span<const SweepAxis> sweepAxes() { return kAxes; }

Reason SweepAxis::refuses(const KernelRow& row) const { return axisRefusal(name, row); }

const SweepAxis& sweepAxis(std::string_view name) { return findRow(sweepAxes(), "axis", name); }

// A logarithmic axis has no place for 0.
constexpr double kAutoPlace = 0.5;

std::string axisText(double x) { return x == kAutoPlace ? unrollText(kAutoUnroll) : tickText(x); }

std::vector<SweepPoint> pointsAlong(const SweepAxis& axis, const KernelRow& row, const SweepPoint& base,
                                    std::span<const std::size_t> values) {
    const std::vector<std::size_t> usual = values.empty() ? axis.values(row, base.bodies) : std::vector<std::size_t>();
    std::vector<SweepPoint> points;
    for (const std::size_t value : values.empty() ? std::span<const std::size_t>(usual) : values) {
        SweepPoint point = base;
        if (point.kernel.launch == LaunchConfig() && point.kernel.kernel == row.name) point.kernel.launch = row.usual;
        axis.set(point, value);
        point.x = value == 0 ? kAutoPlace : static_cast<double>(value);
        points.push_back(std::move(point));
    }
    return points;
}

std::vector<SweepPoint> pointsOver(const SweepAxis& columns, const SweepAxis& rows, const KernelRow& row,
                                   const SweepPoint& base) {
    std::vector<SweepPoint> points;
    for (SweepPoint& line : pointsAlong(rows, row, base)) {
        line.series = axisText(line.x);
        for (SweepPoint& point : pointsAlong(columns, row, line)) points.push_back(std::move(point));
    }
    return points;
}

Plot sweepPlot(std::string title, const SweepAxis& axis, std::span<const SweepResult> results, const SweepMeasure& measure) {
    Plot plot{.title = std::move(title),
              .x = {.label = std::string(axis.label), .logarithmic = axis.logarithmic},
              .y = {.label = std::string(measure.label)}};
    double best = 0;
    for (const SweepResult& result : results) {
        PlotSeries& series = seriesNamed(plot, result.point.series);
        if (std::find(plot.x.ticks.begin(), plot.x.ticks.end(), result.point.x) == plot.x.ticks.end())
            plot.x.ticks.push_back(result.point.x);
        if (!result.row.verified) continue;
        const double value = measure.value(result.row);
        series.add(result.point.x, value, measure.spread(result.row));
        series.hollow.push_back(isExtrapolated(result));
        if (value > best) {
            best = value;
            plot.markX = result.point.x;
        }
    }
    std::sort(plot.x.ticks.begin(), plot.x.ticks.end());
    for (const double tick : plot.x.ticks) {
        const auto at = std::ranges::find_if(results, [&](const SweepResult& result) { return result.point.x == tick; });
        plot.x.names.push_back(axis.kernels ? nameOf(at->point.kernel) : axisText(tick));
    }
    plot.marked = axis.tunable && plot.series.size() == 1 && best > 0;
    return plot;
}

HeatMap sweepMap(std::string title, const SweepAxis& columns, const SweepAxis& rows, std::span<const SweepResult> results,
                 const SweepMeasure& measure) {
    HeatMap map;
    map.title = std::move(title);
    map.xLabel = columns.label;
    map.yLabel = rows.name;
    map.unit = measure.label;
    std::vector<double> xs;
    for (const SweepResult& result : results) {
        if (std::find(xs.begin(), xs.end(), result.point.x) == xs.end()) xs.push_back(result.point.x);
        if (std::find(map.rows.begin(), map.rows.end(), result.point.series) == map.rows.end())
            map.rows.push_back(result.point.series);
    }
    std::sort(xs.begin(), xs.end());
    for (const double x : xs) map.columns.push_back(axisText(x));
    map.values.assign(map.rows.size() * xs.size(), std::numeric_limits<double>::quiet_NaN());
    for (const SweepResult& result : results) {
        if (!result.row.verified) continue;
        const auto row =
            static_cast<std::size_t>(std::find(map.rows.begin(), map.rows.end(), result.point.series) - map.rows.begin());
        const auto column = static_cast<std::size_t>(std::find(xs.begin(), xs.end(), result.point.x) - xs.begin());
        map.values[row * xs.size() + column] = measure.value(result.row);
    }
    return map;
}

}  // namespace gravlab
