// Functions that the files of the figures use: rows of kernels, and points along an axis.
#pragma once
#include "app/bench/figure.h"
#include "app/bench/sweep_axis.h"

namespace gravlab {

namespace figures_detail {

constexpr BenchmarkPlan kPointPlan{.repeats = 5, .warmUpSeconds = 0.1, .repetitionSeconds = 0.12, .mostSeconds = 2};

/// The requested row, or the first row of the ladder with all of these axes, `tiled` before others.
const KernelRow* rowFor(const FigureRequest& request, std::span<const char* const> axes);
/// Why there is no such row: names the missing axes, or says why there is no CUDA.
Reason whyNoRow(const FigureRequest& request, std::span<const char* const> axes);
/// "no cpu kernel has multiprocessors; CUDA kernels have", and why there is no CUDA here.
Reason onlyOnDevice(const FigureRequest& request, const std::string& what);
/// The requested launch; the row's usual one when none is requested.
LaunchConfig launchOf(const FigureRequest& request, const KernelRow& row);
SweepPoint basePoint(const FigureRequest& request, const KernelRow& row, std::size_t bodies = 0, std::string series = {},
                     double x = 0);
/// The requested values, or the figure's own.
template <class Value>
std::vector<Value> requestedOr(const std::vector<Value>& requested, std::vector<Value> own) {
    return requested.empty() ? own : requested;
}
/// One curve along `axis` for each number of bodies.
std::vector<SweepPoint> curvesByBodies(const FigureRequest& request, const KernelRow& row, const char* axis,
                                       std::vector<std::size_t> bodies, std::span<const int> values);
std::string bodiesText(std::size_t bodies);
/// Cells of a CSV: device, driver and the present date.
std::string deviceCells(Backend& device);

/// Launches of a rung: its usual one, and values of the factor that is its idea. Without them `tiled-registers` holds one
/// body, and a split has one part: all like `tiled`.
std::vector<SweepPoint> launchesOf(const KernelRow& row, const SweepPoint& usual);

// Rows of the table whose functions are in other files.
std::vector<SweepPoint> ladderPoints(const FigureRequest& request);
std::span<const SweepColumn> ladderColumns();

std::vector<SweepPoint> wavesPoints(const FigureRequest& request);

Reason needsCores(const FigureRequest& request);
std::vector<SweepPoint> threadsPoints(const FigureRequest& request);
std::span<const SweepColumn> threadsColumns();

Reason needsDevices(const FigureRequest& request);
/// Why a device that several parts share gives no speed-up; empty: each part has its own.
std::string sharedDeviceNote(const FigureRequest& request);
std::vector<SweepPoint> devicesPoints(const FigureRequest& request);
std::span<const SweepColumn> deviceColumns();

std::vector<SweepPoint> rooflinePoints(const FigureRequest& request);
std::span<const SweepColumn> rooflineColumns();

std::vector<SweepPoint> blockSplitPoints(const FigureRequest& request);

Reason needsTree(const FigureRequest& request);
std::vector<SweepPoint> accuracyPoints(const FigureRequest& request);
std::vector<SweepPoint> crossoverPoints(const FigureRequest& request);

Reason needsMatrix(const FigureRequest& request);
void matrixStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into);

void energyOverTimeStep(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into);
void energyOverSoftening(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into);

}  // namespace figures_detail

// The rate of each kernel for bonds over the imbalance of the rows, from a cloth to one hub.

Reason whyNoBonds(const FigureRequest& request);
/// Checks each row for bonds on nets of equal size, in which ever more bonds lead to one body, and times it.
void bondStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into);

// The time of each rung for finding groups, or depths in the graph of friends, over the number of bodies.

Reason whyNoGroups(const FigureRequest& request);
/// Checks the groups of each rung of the backend and times it: the median of the repetitions. Omits a rung that does not fit
/// into memory or took too long for the previous number of bodies.
void groupStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into);
/// The same for depths from the first body.
void depthStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into);

}  // namespace gravlab
