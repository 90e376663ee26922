// Figures of many rungs: the ladder, its scaling over threads, its limits, and a map over two factors.
#include "app/bench/figure_parts.h"
#include "app/bench/kernel_source.h"
#include "app/tables/format.h"
#include "sim/backends/backend.h"
#include "sim/backends/devices.h"

#include <algorithm>
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

constexpr SweepColumn kLadderColumns[] = {
    {"best", [](auto results, const SweepResult& of) { return bestOfRung(results, of) == &of ? 1.0 : 0.0; }},
    {"factor", factorOf},
    {"share_of_bound", [](auto, const SweepResult& of) { return shareOf(of); }},
    {"lines", [](auto, const SweepResult& of) { return of.refused ? 0.0 : static_cast<double>(linesOfKernel(rowOf(of))); }},
};

/// The rate of one thread: that of the same curve on the fewest threads, divided by their number.
double oneThread(std::span<const SweepResult> results, const SweepResult& of) {
    const SweepResult* fewest = nullptr;
    for (const SweepResult& result : results)
        if (result.row.verified && result.point.series == of.point.series && (!fewest || result.point.x < fewest->point.x))
            fewest = &result;
    return fewest ? fewest->row.interactionsPerSecond / fewest->point.x : 0;
}
/// By whole steps; a tree's devices compute other numbers of pairs.
double stepsSpeedUp(std::span<const SweepResult> results, const SweepResult& of) {
    for (const SweepResult& one : results)
        if (one.point.x == 1 && one.point.series == of.point.series && one.row.verified && of.row.verified &&
            of.row.msPerStep > 0)
            return one.row.msPerStep / of.row.msPerStep;
    return 0;
}
double speedUp(std::span<const SweepResult> results, const SweepResult& of) {
    const double one = oneThread(results, of);
    return one > 0 && of.row.verified ? of.row.interactionsPerSecond / one : 0;
}

/// The speed-up, and its ratio to an ideal one.
template <auto speedUp>
constexpr SweepColumn kScaling[] = {
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

constexpr SweepColumn kRooflineColumns[] = {
    {"flop_per_byte", [](auto, const SweepResult& of) { return of.row.verified ? flopPerByte(of) : 0; }},
    {"peak_multiply_adds_per_second", [](auto, const SweepResult& of) { return of.peaks.multiplyAdds; }},
    {"peak_inverse_roots_per_second", [](auto, const SweepResult& of) { return of.peaks.inverseRoots; }},
    {"peak_bytes_per_second", [](auto, const SweepResult& of) { return of.peaks.bandwidth; }},
};

}  // namespace

std::span<const SweepColumn> ladderColumns() { return kLadderColumns; }
std::span<const SweepColumn> threadsColumns() { return kScaling<speedUp>; }
std::span<const SweepColumn> deviceColumns() { return kScaling<stepsSpeedUp>; }
std::span<const SweepColumn> rooflineColumns() { return kRooflineColumns; }

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
            const SweepPoint point = basePoint(request, row, requestedOr(request.bodies, {kUsual}).front(),
                                               std::string(row.backend) + " " + std::string(row.name));
            for (SweepPoint& launch : launchesOf(row, point)) {
                launch.x = static_cast<double>(points.size() + 1);
                points.push_back(std::move(launch));
            }
        }
    }
    return points;
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

namespace {
/// The devices to compare: those that the options name, else all here; a processor has parts.
std::vector<int> comparedDevices(const FigureRequest& request) {
    BackendOptions options = request.options;
    if (options.helpers.empty() && backend(request.backend).usesCores)
        options.helpers = {0, 0, 0};
    else if (options.helpers.empty())
        takeDevices(options, "all");
    std::vector<int> devices{options.device};
    devices.insert(devices.end(), options.helpers.begin(), options.helpers.end());
    return devices;
}
}  // namespace

Reason needsDevices(const FigureRequest& request) {
    const BackendRow& by = backend(request.backend);
    if (!by.onDevice && !by.usesCores) return "the " + request.backend + " backend has one device";
    if (comparedDevices(request).size() > 1) return {};
    return "one CUDA device is here, and there is nothing to compare it with; --device 0,0 tests the division on it, and "
           "--backend cpu divides among parts of the processor";
}

std::string sharedDeviceNote(const FigureRequest& request) {
    std::vector<int> devices = comparedDevices(request);
    std::ranges::sort(devices);
    const bool shared = std::ranges::adjacent_find(devices) != devices.end();
    return shared ? "a test: parts of one device divide the forces, so no speed-up is to be expected" : "";
}

std::vector<SweepPoint> devicesPoints(const FigureRequest& request) {
    const std::vector<int> devices = comparedDevices(request);
    const bool onDevice = backend(request.backend).onDevice;
    struct Curve {
        const char* kernel;
        double accuracy;
        std::vector<std::size_t> bodies;
    };
    using Sizes = std::vector<std::size_t>;
    const Curve curves[] = {
        {onDevice ? "tiled-registers" : "simd-threads", 0, onDevice ? Sizes{65536, 262144} : Sizes{8192}},
        {"tree", 1e-3, onDevice ? Sizes{1048576, 10485760} : Sizes{65536}}};
    std::vector<SweepPoint> points;
    for (const Curve& curve : curves) {
        const KernelRow& row = kernel(request.backend, request.kernel.empty() ? curve.kernel : request.kernel);
        if (row.approximates != (curve.accuracy > 0)) continue;
        for (const std::size_t count : requestedOr(request.bodies, curve.bodies))
            for (std::size_t many = 1; many <= devices.size(); many *= 2) {
                SweepPoint point = basePoint(request, row, count, std::string(row.name) + ", " + bodiesText(count),
                                             static_cast<double>(many));
                if (row.approximates) point.kernel.allowedError = requestedOr(request.accuracies, {curve.accuracy}).front();
                point.options.device = devices.front();
                point.options.helpers.assign(devices.begin() + 1, devices.begin() + static_cast<std::ptrdiff_t>(many));
                points.push_back(std::move(point));
            }
    }
    return points;
}

std::vector<SweepPoint> rooflinePoints(const FigureRequest& request) {
    const BackendRow& by = backend(request.backend);
    const std::size_t usual = by.onDevice ? 65536 : 4096;
    std::vector<SweepPoint> points;
    const auto add = [&](const KernelChoice& choice) {
        SweepPoint point{.backend = request.backend,
                         .options = request.options,
                         .bodies = request.bodies.empty() ? usual : request.bodies.front(),
                         .kernel = choice,
                         .plan = kPointPlan};
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

std::vector<SweepPoint> blockSplitPoints(const FigureRequest& request) {
    constexpr const char* kAxes[] = {"block", "split"};
    const KernelRow& row = *rowFor(request, kAxes);
    const SweepPoint base = basePoint(request, row, requestedOr<std::size_t>(request.bodies, {4096}).front());
    std::vector<SweepPoint> points;
    for (SweepPoint& line : pointsAlong(sweepAxis("split"), row, base, given(request.splits))) {
        line.series = std::to_string(std::llround(line.x));
        for (SweepPoint& point : pointsAlong(sweepAxis("block"), row, line, given(request.blocks)))
            points.push_back(std::move(point));
    }
    return points;
}

std::vector<SweepPoint> wavesPoints(const FigureRequest& request) {
    constexpr const char* kAxes[] = {"block"};
    const KernelRow& row = *rowFor(request, kAxes);
    std::vector<SweepPoint> points;
    for (const int block : requestedOr(request.blocks, {64, 128, 256, 512}))
        for (const std::size_t count :
             requestedOr<std::size_t>(request.bodies, {1024, 4096, 8192, 16384, 32768, 65536, 131072})) {
            const auto size = static_cast<std::size_t>(block);
            points.push_back(basePoint(request, row, count, "p = " + std::to_string(block),
                                       static_cast<double>((count + size - 1) / size)));
            points.back().kernel.launch.block = block;
        }
    return points;
}

// Trees: errors and rates over the accuracy, and the number of bodies from which a tree wins.

namespace {

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

}  // namespace

Reason needsTree(const FigureRequest& request) {
    if (treeOf(request)) return {};
    return request.kernel.empty() ? "the " + request.backend + " backend has no tree"
                                  : "kernel '" + request.kernel + "' has no accuracy; use 'tree'";
}

std::vector<SweepPoint> accuracyPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    for (const std::size_t count : treeBodies(request, 8))
        for (const double accuracy : requestedOr(request.accuracies, {1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5})) {
            points.push_back(basePoint(request, *treeOf(request), count, bodiesText(count), accuracy));
            points.back().kernel.allowedError = accuracy;
        }
    return points;
}

std::vector<SweepPoint> crossoverPoints(const FigureRequest& request) {
    std::vector<SweepPoint> points;
    for (const double accuracy : {0.0, 1e-3, 1e-4})
        for (const std::size_t count : treeBodies(request, 2)) {
            const std::string series = accuracy > 0 ? formatted("tree, 99 %% within %.0e", accuracy) : "every pair";
            SweepPoint& point =
                points.emplace_back(basePoint(request, *treeOf(request), count, series, static_cast<double>(count)));
            point.kernel.allowedError = accuracy;
            if (accuracy == 0) point.kernel = {};  // the backend's choice for every pair
        }
    return points;
}

}  // namespace figures_detail
}  // namespace gravlab
