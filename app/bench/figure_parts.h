// Functions that the files of the figures use: the area of a figure, its row, and points along an axis.
#pragma once
#include "app/bench/figure.h"
#include "app/bench/sweep_axis.h"
#include "app/plots/canvas.h"

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

/// The requested row, or the first row of the ladder with all of these axes, `tiled` before others.
const KernelRow* rowFor(const FigureRequest& request, std::span<const char* const> axes);
/// Why there is no such row: names the missing axes, or says why there is no CUDA.
Reason whyNoRow(const FigureRequest& request, std::span<const char* const> axes);
/// The requested launch; the row's usual one when none is requested.
LaunchConfig launchOf(const FigureRequest& request, const KernelRow& row);
SweepPoint basePoint(const FigureRequest& request, const KernelRow& row);
/// One curve along `axis` for each number of bodies.
std::vector<SweepPoint> curvesByBodies(const FigureRequest& request, const KernelRow& row, const char* axis,
                                       std::vector<std::size_t> bodies, std::span<const int> values);
/// Draws two plots of the same curves, with one legend: beside the right one, or in the left one. `share`: of the left.
void drawTwo(const FigureArea& area, const Plot& left, const Plot& right, float share, PlotStyle style);
std::string bodiesText(std::size_t bodies);
/// "15.1 x", "5,870 x".
std::string timesText(double factor);
PlotAxis logarithmicAxis(const char* label);

/// Launches of a rung: its usual one, and values of the factor that is its idea. Without them `tiled-registers` holds one
/// body, and a split has one part: all like `tiled`.
std::vector<SweepPoint> launchesOf(const KernelRow& row, const SweepPoint& usual);

// Rows of the table whose functions are in other files.
std::vector<SweepPoint> ladderPoints(const FigureRequest& request);
void drawLadder(const FigureArea& area, std::span<const SweepResult> results);
std::string ladderNote(const FigureRequest& request);
std::span<const FigureColumn> ladderColumns();

std::vector<SweepPoint> wavesPoints(const FigureRequest& request);
void drawWaves(const FigureArea& area, std::span<const SweepResult> results);

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

Reason needsTree(const FigureRequest& request);
std::vector<SweepPoint> accuracyPoints(const FigureRequest& request);
void drawAccuracy(const FigureArea& area, std::span<const SweepResult> results);
std::vector<SweepPoint> crossoverPoints(const FigureRequest& request);
void drawCrossover(const FigureArea& area, std::span<const SweepResult> results);

Reason needsMatrix(const FigureRequest& request);
FigureStudy matrixStudy(const FigureRequest& request, const FigureProgress& progress);

FigureStudy energyOverTimeStep(const FigureRequest& request, const FigureProgress& progress);
FigureStudy energyOverSoftening(const FigureRequest& request, const FigureProgress& progress);

}  // namespace figures_detail

// The rate of each kernel for bonds over the imbalance of the rows, from a cloth to one hub.

Reason whyNoBonds(const FigureRequest& request);
/// Checks each row for bonds on nets of equal size, in which ever more bonds lead to one body, and times it. Beside the
/// curves is the factor of paper 004 for equal rows. Omits a row that refuses a net.
FigureStudy bondStudy(const FigureRequest& request, const FigureProgress& progress);

// The time of each rung for finding groups, or depths in the graph of friends, over the number of bodies.

Reason whyNoGroups(const FigureRequest& request);
/// Checks the groups of each rung of the backend and times it: the median of the repetitions. Omits a rung that does not fit
/// into memory or took too long for the previous number of bodies.
FigureStudy groupStudy(const FigureRequest& request, const FigureProgress& progress);
/// The same for depths from the first body, with the visits of nodes and edges beside the times.
FigureStudy depthStudy(const FigureRequest& request, const FigureProgress& progress);

}  // namespace gravlab
