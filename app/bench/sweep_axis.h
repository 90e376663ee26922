// Axes of sweeps: a table made from the kernel rows, so that a new row or factor appears by itself.
#pragma once
#include "app/bench/sweep.h"
#include "app/plots/plot.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// A row of the table of axes.
struct SweepAxis {
    std::string_view name;   ///< stable: "unroll"
    std::string_view label;  ///< label of a plot's axis, with its unit
    bool logarithmic;
    bool tunable;  ///< users can choose the value, so a best value exists
    /// The usual values for this N, ascending.
    std::vector<std::size_t> (*values)(const KernelRow& row, std::size_t bodies);
    void (*set)(SweepPoint& point, std::size_t value);
    bool kernels = false;  ///< values are kernels, and labels are their names

    /// Why this axis does not apply to the row; empty when it does.
    Reason refuses(const KernelRow& row) const;
};

/// unroll, block, split, bodies-per-thread, bodies, threads, traps.
std::span<const SweepAxis> sweepAxes();
/// The axis of that name. Throws UsageError naming the valid ones.
const SweepAxis& sweepAxis(std::string_view name);

/// The label of a value on an axis; the compiler's choice is left of 1, see pointsAlong().
std::string axisText(double x);

/// Values of an axis in the type of axes.
std::vector<std::size_t> given(std::span<const int> values);

/// `base` at each value of the axis that suits `row`, or at `values` when given.
std::vector<SweepPoint> pointsAlong(const SweepAxis& axis, const KernelRow& row, const SweepPoint& base,
                                    std::span<const std::size_t> values = {});
/// `base` at each pair of values: series have the value of `rows`, x is that of `columns`.
std::vector<SweepPoint> pointsOver(const SweepAxis& columns, const SweepAxis& rows, const KernelRow& row,
                                   const SweepPoint& base);

/// The drawn number of a result.
struct SweepMeasure {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< with its unit
    double (*value)(const BenchmarkRow& row);
    double (*spread)(const BenchmarkRow& row);  ///< (largest - smallest) / median
};
extern const SweepMeasure kForceRate, kStepRate;

/// Number of other results whose bars reach those of `best`: no difference from it was measured.
std::size_t asFastAs(const SweepResult& best, std::span<const SweepResult> results, const SweepMeasure& measure);

/// Curves of results, one per series, in the order in which series first appear. Bars extend from the slowest to the fastest
/// repetition; results without a rate are omitted. On a tunable axis a single curve has its best point marked.
Plot sweepPlot(std::string title, const SweepAxis& axis, std::span<const SweepResult> results, const SweepMeasure& measure);
/// A map of results over two axes.
HeatMap sweepMap(std::string title, const SweepAxis& columns, const SweepAxis& rows, std::span<const SweepResult> results,
                 const SweepMeasure& measure);

}  // namespace gravlab
