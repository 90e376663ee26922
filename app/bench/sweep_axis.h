// What a sweep can walk along: a table of axes, read off the kernel rows, so that a new row or factor appears by itself.
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
    std::string_view label;  ///< of a plot's axis, with its unit
    bool logarithmic;
    bool tunable;  ///< something to choose, so that there is a best value
    /// Why that row has nothing to walk along; empty when it has.
    Reason (*refuses)(const KernelRow& row);
    /// The usual values for so many bodies, ascending.
    std::vector<std::size_t> (*values)(const KernelRow& row, std::size_t bodies);
    void (*set)(SweepPoint& point, std::size_t value);
    bool kernels = false;  ///< values are kernels, by whose names its places are called
};

/// unroll, block, split, bodies-per-thread, bodies, threads, traps.
std::span<const SweepAxis> sweepAxes();
/// The axis of that name. Throws UsageError naming the valid ones.
const SweepAxis& sweepAxis(std::string_view name);

/// A place on an axis as people read it: what the compiler chooses stands left of 1, see pointsAlong().
std::string axisText(double x);

/// `base` at each of the axis' values that suit `row`, or at `values` when there are any.
std::vector<SweepPoint> pointsAlong(const SweepAxis& axis, const KernelRow& row, const SweepPoint& base,
                                    std::span<const std::size_t> values = {});
/// `base` at each pair of values: series name the value of `rows`, x is that of `columns`.
std::vector<SweepPoint> pointsOver(const SweepAxis& columns, const SweepAxis& rows, const KernelRow& row,
                                   const SweepPoint& base);

/// Which number of a result is drawn.
struct SweepMeasure {
    std::string_view name;   ///< stable key
    std::string_view label;  ///< with its unit
    double (*value)(const BenchmarkRow& row);
    double (*spread)(const BenchmarkRow& row);  ///< (most - least) / median
};
extern const SweepMeasure kForceRate, kStepRate;

/// Curves of results, one a series, in the order in which series first appear. Bars go from the slowest to the fastest
/// repetition; results without a rate are left out. A single curve along something tunable has its best point marked.
Plot sweepPlot(std::string title, const SweepAxis& axis, std::span<const SweepResult> results, const SweepMeasure& measure);
/// A map of results over two axes.
HeatMap sweepMap(std::string title, const SweepAxis& columns, const SweepAxis& rows, std::span<const SweepResult> results,
                 const SweepMeasure& measure);

}  // namespace gravlab
