// What the files of the figures share: where one is drawn, which row it takes, and points along an axis.
#pragma once
#include "app/bench/figure.h"
#include "app/bench/sweep_axis.h"
#include "app/plots/canvas.h"

#include <algorithm>
#include <functional>

namespace gravlab {

struct FigureArea {
    Canvas& canvas;
    ImVec2 from, to;
    PlotStyle style;
    bool papers = false;  ///< rates of papers beside those of this machine
};

namespace figures_detail {

constexpr ImU32 kFigureQuiet = IM_COL32(90, 90, 90, 255);
constexpr BenchmarkPlan kPointPlan{.repeats = 5, .warmUpSeconds = 0.1, .repetitionSeconds = 0.12, .mostSeconds = 2};

/// The row asked for, or the first of the ladder that has all of these axes, with `tiled` before others.
const KernelRow* rowFor(const FigureRequest& request, std::span<const char* const> axes);
/// Why there is none: names what is missing, and why there is no CUDA where that is the reason.
Reason whyNoRow(const FigureRequest& request, std::span<const char* const> axes);
/// The launch asked for; the row's usual one where nobody asked.
LaunchConfig launchOf(const FigureRequest& request, const KernelRow& row);
SweepPoint basePoint(const FigureRequest& request, const KernelRow& row);
std::string bodiesText(std::size_t bodies);
/// Values that were given for an axis, as axes take them.
std::vector<std::size_t> given(std::span<const int> values);
PlotAxis logarithmicAxis(const char* label);

// The rows of the table that are in files of their own.
std::vector<SweepPoint> ladderPoints(const FigureRequest& request);
void drawLadder(const FigureArea& area, std::span<const SweepResult> results);
std::string ladderNote(const FigureRequest& request);
std::span<const FigureColumn> ladderColumns();

Reason needsCores(const FigureRequest& request);
std::vector<SweepPoint> threadsPoints(const FigureRequest& request);
void drawThreads(const FigureArea& area, std::span<const SweepResult> results);
std::span<const FigureColumn> threadsColumns();

std::vector<SweepPoint> rooflinePoints(const FigureRequest& request);
void drawRoofline(const FigureArea& area, std::span<const SweepResult> results);
std::string rooflineNote(const FigureRequest& request);
std::span<const FigureColumn> rooflineColumns();

std::vector<SweepPoint> blockSplitPoints(const FigureRequest& request);
void drawBlockSplit(const FigureArea& area, std::span<const SweepResult> results);

Reason needsMatrix(const FigureRequest& request);
FigureStudy matrixStudy(const FigureRequest& request, const FigureProgress& progress);

FigureStudy energyOverTimeStep(const FigureRequest& request, const FigureProgress& progress);
FigureStudy energyOverSoftening(const FigureRequest& request, const FigureProgress& progress);

}  // namespace figures_detail
}  // namespace gravlab
