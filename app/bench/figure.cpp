// The figures. Rule: a figure takes its kernels and factors from the kernel table, and omits what cannot be measured.
#include "app/bench/benchmark_text.h"
#include "app/bench/figure_parts.h"

#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>

namespace gravlab {

using namespace figures_detail;

namespace {

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
    return backend(request.backend).onDevice ? needs<kBlock>(request) : onlyOnDevice(request, "multiprocessors");
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
        SweepPoint base = basePoint(request, row, 0, series);
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
            SweepPoint point{.backend = std::string(by.name), .options = request.options, .bodies = count};
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

constexpr SweepColumn kCpuGpuColumns[] = {{"factor_over_serial", factorOverSerial}};

std::string noGpuNote(const FigureRequest& request) {
    const Reason reason = deviceBackend().unavailable(request.options);
    return reason.empty() ? reason : "there is nothing of a GPU: " + reason;
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

constexpr FigurePlot ratesOver(std::string_view label) {
    return {"x", label, "interactions_per_second", "G interactions/s, forces only", 1e-9, false, "spread"};
}
constexpr FigurePlot stepsOver(std::string_view label) {
    return {.x = "x",
            .xLabel = label,
            .y = "ms_per_step",
            .yLabel = "steps/s",
            .scale = 1e3,
            .yLogarithmic = true,
            .inverse = true};
}
constexpr FigurePlot millisecondsOver(std::string_view label) {
    return {"x", "bodies", "ms_per_step", label, 1, true, "step_spread"};
}
constexpr FigurePlot energyErrorOver(std::string_view label) {
    return {"x", label, "largest_error", "largest |E - E0| / |E0|", 1, true, {}, "series,precision"};
}

constexpr std::string_view kExtrapolated = "hollow: extrapolated from measured steps";
constexpr std::string_view kLadderProtocol =
    "each rung with its fastest launch; bound: instructions that the device can issue; lines of the kernel's text, without "
    "comments";
constexpr std::string_view kRooflineProtocol =
    "20 floating-point operations per pair; a GPU: bytes that the launch requests, mostly from caches, peaks of units x "
    "clock and of the memory bus; a processor: each body read once, peaks measured";
constexpr std::string_view kMatrixProtocol =
    "columns: a thread has a column of a tile of p x p cells, as in paper 001; squares: a thread has a cell; median, bars: "
    "range; strongest force compared with fp64";
constexpr std::string_view kEnergyProtocol =
    "largest error of 64 measurements during a run; slopes between 1e-12 and 0.1; the signed error at the end is in the CSV";
constexpr std::string_view kGroupsProtocol =
    "friends of friends at 0.2 mean distances; results of every rung were checked before they were timed";
constexpr std::string_view kBondsProtocol =
    "a net with four bonds per body, of which ever more lead to one body; fp32; each row is checked against fp64";

constexpr FigureRow kFigures[] = {
    {.name = "unroll",
     .idea = "rate over the unroll factor",
     .title = "Rate over the unroll factor",
     .refuses = needs<kUnroll>,
     .points = unrollPoints,
     .plots = {{ratesOver("unroll factor")}},
     .walks = {"--unroll"}},
    {.name = "block",
     .idea = "rate over the block size",
     .title = "Rate over the block size",
     .refuses = needs<kBlock>,
     .points = blockPoints,
     .plots = {{ratesOver("block size [threads]")}},
     .walks = {"--block"}},
    {.name = "bodies",
     .idea = "rate over the number of bodies: the compiler's unrolling, 16 times, and none",
     .title = "Rate over the number of bodies",
     .refuses = neverRefuses,
     .points = bodiesPoints,
     .plots = {{ratesOver("bodies")}}},
    {.name = "split",
     .idea = "rate over the split of the sources, for few bodies",
     .title = "Splitting a body's sources",
     .refuses = needs<kSplit>,
     .points = splitPoints,
     .page = true,
     .plots = {{ratesOver("split [parts of the sources]")}},
     .walks = {"--split"}},
    {.name = "block-split",
     .idea = "map of the rate over block size and split, for few bodies",
     .title = "Block size and split together",
     .refuses = needs<kBlockAndSplit>,
     .points = blockSplitPoints,
     .page = true,
     .plots = {{ratesOver("block size [threads]; a curve for each split")}},
     .walks = {"--block", "--split"},
     .oneNumberOfBodies = true},
    {.name = "waves",
     .idea = "the N/p table: blocks against multiprocessors",
     .title = "Enough blocks for all multiprocessors",
     .refuses = needsMultiprocessors,
     .points = wavesPoints,
     .page = true,
     .plots = {{ratesOver("blocks N/p")}},
     .walks = {"--block"}},
    {.name = "ladder",
     .idea = "every rung of the CPU and the GPU: factor over one thread, share of the bound, lines, registers",
     .title = "The ladder: one idea per rung",
     .refuses = neverRefuses,
     .points = ladderPoints,
     .page = true,
     .plots = {{{"x", "rung", "factor", "times the first rung", 1, true, {}, "backend"}}},
     .protocol = kLadderProtocol,
     .note = noGpuNote,
     .unused = {{{"--backend,--kernel,--accuracy", kAllRungs}, {kLaunchOptions, kAllRungs}}},
     .oneNumberOfBodies = true,
     .columns = ladderColumns},
    {.name = "threads",
     .idea = "strong scaling: speed-up and efficiency over CPU threads",
     .title = "The same work on more threads",
     .refuses = needsCores,
     .points = threadsPoints,
     .page = true,
     .plots = {{{"x", "CPU threads", "speed_up", "speed-up over one thread", 1, false, "spread"},
                {"x", "CPU threads", "efficiency", "efficiency: speed-up over threads [%]", 100, false, "spread"}}},
     .walks = {"--threads"},
     .columns = threadsColumns},
    {.name = "devices",
     .idea = "strong scaling: speed-up and efficiency over devices that divide each force, whole steps",
     .title = "The same forces on more devices",
     .refuses = needsDevices,
     .points = devicesPoints,
     .page = true,
     .plots = {{{"x", "devices", "speed_up", "speed-up over one device", 1, false, "step_spread"},
                {"x", "devices", "efficiency", "efficiency: speed-up over devices [%]", 100, false, "step_spread"}}},
     .note = sharedDeviceNote,
     .columns = deviceColumns},
    {.name = "roofline",
     .idea = "launches and the limits of the device: multiply-adds, inverse roots, memory",
     .title = "What limits a launch",
     .refuses = neverRefuses,
     .points = rooflinePoints,
     .page = true,
     .plots =
         {{{"flop_per_byte", "operations per byte read", "interactions_per_second", "GFLOP/s", 20e-9, true, {}, "kernel"}}},
     .protocol = kRooflineProtocol,
     .oneNumberOfBodies = true,
     .columns = rooflineColumns},
    {.name = "matrix",
     .idea = "the matrix of all pairs over its tile: pairs and bytes per second",
     .title = "The matrix of all pair forces, written to memory",
     .refuses = needsMatrix,
     .plots = {{{"block", "threads per block", "pairs_per_second", "G pairs/s", 1e-9, false, "spread"},
                {"block", "threads per block", "share_of_bandwidth", "bytes written, share of the memory's bandwidth [%]",
                 100, false, "spread"}}},
     .protocol = kMatrixProtocol,
     .walks = {"--block"},
     .unused = {{{"--kernel,--unroll,--split,--bodies-per-thread,--accuracy", "the matrix has a kernel of its own"}}},
     .study = matrixStudy},
    {.name = "cpu-gpu",
     .idea = "time of 1,000 steps on one core, all cores and the GPU, with factors over the serial run",
     .title = "Time of 1,000 steps",
     .refuses = neverRefuses,
     .points = cpuGpuPoints,
     .page = true,
     .plots = {{millisecondsOver("seconds for 1,000 steps")}},
     .protocol = kExtrapolated,
     .note = noGpuNote,
     .unused = {{{"--backend,--kernel", kOwnCurves}, {kLaunchOptions, kOwnCurves}}},
     .columns = [] { return std::span<const SweepColumn>(kCpuGpuColumns); }},
    {.name = "accuracy",
     .idea = "errors and steps per second of the tree over the accuracy",
     .title = "Error and cost of an accuracy",
     .refuses = needsTree,
     .points = accuracyPoints,
     .page = true,
     .plots = {{{"x", "accuracy", "rel_error_p99", "relative error of the force, 99 %", 1, true}, stepsOver("accuracy")}},
     .walks = {"--accuracy"},
     .unused = {kNoLaunch}},
    {.name = "crossover",
     .idea = "steps per second over the number of bodies, every pair and the tree",
     .title = "Every pair, or a tree",
     .refuses = needsTree,
     .points = crossoverPoints,
     .page = true,
     .plots = {{stepsOver("bodies")}},
     .unused = {{{"--accuracy", "its curves have accuracies of their own"}, kNoLaunch}}},
    {.name = "energy-dt",
     .idea = "error of the energy over the time step, with slopes",
     .title = "The energy error over the time step",
     .refuses = neverRefuses,
     .page = true,
     .plots = {{energyErrorOver("time step [T]")}},
     .protocol = kEnergyProtocol,
     .walks = {"--dt"},
     .unused = {kComputed},
     .oneNumberOfBodies = true,
     .computed = true,
     .study = energyOverTimeStep},
    {.name = "energy-softening",
     .idea = "error of the energy over the softening, with slopes",
     .title = "The energy error over the softening",
     .refuses = neverRefuses,
     .page = true,
     .plots = {{energyErrorOver("softening [L]")}},
     .protocol = kEnergyProtocol,
     .walks = {"--softening", "--dt"},
     .unused = {kComputed},
     .oneNumberOfBodies = true,
     .computed = true,
     .study = energyOverSoftening},
    {.name = "groups",
     .idea = "time to find groups, friends of friends, over the number of bodies, for every rung of the backend",
     .title = "Finding groups of bodies",
     .refuses = whyNoGroups,
     .plots = {{millisecondsOver("milliseconds from positions to the result")}},
     .protocol = kGroupsProtocol,
     .unused = {{{"--kernel,--accuracy", kGroupRungs}, {kLaunchOptions, kGroupRungs}}},
     .study = groupStudy},
    {.name = "bonds",
     .idea = "rate of each kernel for bonds over the imbalance of the rows, from a cloth to one hub",
     .title = "Bonds: a thread a row, a thread an element, and both",
     .refuses = whyNoBonds,
     .page = true,
     .plots = {{{"imbalance", "longest row over the mean one", "ends_per_second", "G ends of bonds per second", 1e-9, true,
                 "spread", "kernel"}}},
     .protocol = kBondsProtocol,
     .unused = {{{"--kernel,--accuracy", kBondRows}, {kLaunchOptions, kBondRows}}},
     .oneNumberOfBodies = true,
     .study = bondStudy},
    {.name = "depth",
     .idea =
         "time and work to find the depth of each body in the graph of friends, for a thread a node and a thread an edge",
     .title = "Depths in the graph of friends",
     .refuses = whyNoGroups,
     .plots = {{millisecondsOver("milliseconds from positions to the result"),
                {"x", "bodies", "visits_per_body", "visits of nodes and edges per body", 1, true}}},
     .protocol = kGroupsProtocol,
     .unused = {{{"--kernel,--accuracy", kDepthRungs}, {kLaunchOptions, kDepthRungs}}},
     .study = depthStudy},
};

}  // namespace

std::span<const FigureRow> figures() { return kFigures; }

const FigureRow& figure(std::string_view name) { return findRow(figures(), "figure", name); }

std::string figureCsv(const FigureRow& row, std::span<const SweepResult> results) {
    return sweepCsv(results, row.columns ? row.columns() : std::span<const SweepColumn>());
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
    const auto name = [](const char* axis) { return std::string_view(axis); };
    return onlyOnDevice(request, "a " + joined(axes, name, " and ") + " to vary");
}

Reason onlyOnDevice(const FigureRequest& request, const std::string& what) {
    const BackendRow& device = deviceBackend();
    const Reason cuda = device.unavailable(request.options);
    return "no " + request.backend + " kernel has " + what + "; CUDA kernels have" +
           (cuda.empty() ? "" : ", but the " + std::string(device.name) + " backend cannot run here: " + cuda);
}

std::vector<SweepPoint> curvesByBodies(const FigureRequest& request, const KernelRow& row, const char* axis,
                                       std::vector<std::size_t> bodies, std::span<const int> values) {
    if (!request.bodies.empty()) bodies = request.bodies;
    std::vector<SweepPoint> points;
    for (const std::size_t count : bodies)
        for (SweepPoint& point :
             pointsAlong(sweepAxis(axis), row, basePoint(request, row, count, bodiesText(count)), given(values)))
            points.push_back(std::move(point));
    return points;
}

LaunchConfig launchOf(const FigureRequest& request, const KernelRow& row) {
    return request.kernel.empty() && request.launch == LaunchConfig() ? row.usual : request.launch;
}

SweepPoint basePoint(const FigureRequest& request, const KernelRow& row, std::size_t bodies, std::string series, double x) {
    SweepPoint point{.backend = std::string(row.backend),
                     .options = request.options,
                     .bodies = bodies,
                     .kernel = {std::string(row.name), launchOf(request, row)},
                     .plan = kPointPlan,
                     .series = std::move(series),
                     .x = x};
    point.plan.repeats = request.repeats;
    return point;
}

std::string bodiesText(std::size_t bodies) { return std::string("N = ") + grouped(bodies).text; }

std::string deviceCells(Backend& device) {
    const LaunchFacts facts = device.launchFacts();
    const std::string name = facts.device.substr(0, facts.device.find(',')), text = device.description();
    return csvCell((text.find(name) == std::string::npos ? name + ": " : "") + text) + "," + csvCell(facts.driver) + "," +
           dateOfToday();
}

}  // namespace figures_detail
}  // namespace gravlab
