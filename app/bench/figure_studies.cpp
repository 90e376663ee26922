// Figures that are not sweeps over force kernels: the matrix of all pairs, and the error of the energy.
#include "app/bench/benchmark_text.h"
#include "app/bench/figure_parts.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/backends/backend.h"
#include "sim/backends/pair_matrix.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"
#include "sim/run/simulation.h"
#include "sim/scenes/scene.h"

#include <cmath>

namespace gravlab::figures_detail {
namespace {

/// A sink that leaves the levels on the device.
class NoSink final : public FloatSink {
public:
    MemorySpace space() const override { return MemorySpace::cudaDevice; }
    float* open(std::size_t, void*) override { return nullptr; }
    void close(void*) override {}
};

/// Device time of one whole matrix [s]; empty when the device cannot make it.
std::optional<PairMatrixResult> matrixOf(Backend& device, int block, bool columns) {
    NoSink sink;
    const int edge = static_cast<int>(std::lround(std::sqrt(block)));
    const PairMatrixRequest request =
        columns ? PairMatrixRequest{.columns = block, .whole = true} : PairMatrixRequest{.edge = edge, .whole = true};
    if (!device.pairMatrix()->enqueue(request, sink)) return std::nullopt;
    device.wait();
    return device.pairMatrix()->take();
}

/// The strongest force of all pairs, in fp64 on one thread.
double strongestForce(std::span<const Double4> bodies, const ForceSettings& force) {
    const LawRow& law = laws()[static_cast<std::size_t>(force.law)];
    double strongest = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = i + 1; j < bodies.size(); ++j) {
            const Double4 &a = bodies[i], &b = bodies[j];
            const double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, squared = dx * dx + dy * dy + dz * dz;
            strongest =
                std::max(strongest, std::abs(a.w * b.w * law.forceOverDistance(force, squared)) * std::sqrt(squared));
        }
    return strongest;
}

struct EnergyError {
    double first = 0, last = 0, largest = 0;  ///< E0; (E - E0) / |E0| at the end; the largest absolute value during the run
    std::int64_t steps = 0;
};

/// Steps of `request` up to about `until`, with some measurements during the run.
EnergyError energyErrorOf(const RunRequest& request, double until, const std::function<void()>& look) {
    constexpr std::int64_t kSamples = 64, kMostSteps = 10'000'000;
    Simulation simulation(request);
    const double step = std::abs(simulation.configuration().timeStep);
    const double wanted = std::max(1.0, std::round(until / step));
    if (!(wanted <= static_cast<double>(kMostSteps)))
        throw UsageError(formatted("a time step of %.3g makes %.3g steps until %.3g; at most %lld are made", step, wanted,
                                   until, static_cast<long long>(kMostSteps)));
    EnergyError error{.first = simulation.measure().energy(), .steps = static_cast<std::int64_t>(wanted)};
    const double scale = error.first != 0 ? std::abs(error.first) : 1;
    std::int64_t done = 0;
    for (std::int64_t sample = 1; sample <= kSamples; ++sample) {
        const std::int64_t target = error.steps * sample / kSamples;
        while (done < target) {
            const AdvanceStatus status = simulation.advance({.seconds = 0.2, .steps = target - done}, nullptr);
            done += status.stepsCompleted;
            look();
        }
        error.last = (simulation.measure().energy() - error.first) / scale;
        // Keep a NaN.
        if (!(std::abs(error.last) <= error.largest)) error.largest = std::abs(error.last);
    }
    return error;
}

// Smaller errors are rounding, larger ones mean that the run failed: neither has a slope.
constexpr double kRounding = 1e-12, kLost = 0.1;

/// A curve: the varied parameter, and its name.
struct EnergyCurve {
    std::string name;
    RunRequest run;
};

void energyStudy(const FigureRequest& request, const std::vector<EnergyCurve>& curves, std::span<const double> values,
                 void (*set)(RunRequest&, double), const FigureProgress& progress, FigureStudy& into) {
    // A panel for each precision.
    std::vector<Precision> precisions{Precision::fp32, Precision::mixed, Precision::fp64};
    if (request.run.precision) precisions = {*request.run.precision};
    into.csv =
        "series,x,integrator,time_step,softening,precision,scene,bodies,until,steps,energy,signed_error,largest_error,slope,"
        "device,driver,date\n";
    const std::size_t all = precisions.size() * curves.size() * values.size();
    const std::unique_ptr<Backend> device = backend(request.backend).make(request.options);
    for (const Precision precision : precisions)
        for (const EnergyCurve& curve : curves) {
            const std::string before = into.csv;
            std::vector<std::string> lines;
            std::vector<double> errors;
            for (const double value : values) {
                RunRequest run = curve.run;
                run.precision = precision;
                set(run, value);
                const EnergyError error = energyErrorOf(run, request.until, [&] { progress(into.points, all); });
                errors.push_back(error.largest);
                const Simulation made(run);  // to know the configuration in force
                const RunConfiguration& in = made.configuration();
                lines.push_back(csvCell(curve.name) + formatted(",%.10g,", value) + in.integrator +
                                formatted(",%.10g,%.10g,", in.timeStep, in.force.softening) +
                                std::string(nameOf(in.force.precision)) + "," + csvCell(in.scene) +
                                formatted(",%zu,%.10g,%lld,%.12g,%.6e,%.6e", in.bodies, request.until,
                                          static_cast<long long>(error.steps), error.first, error.last, error.largest));
                // All points so far have their slope, also where an interrupt ends the study.
                const double slope = slopeOf(values.first(errors.size()), errors, kRounding, kLost);
                into.csv = before;
                for (const std::string& line : lines)
                    into.csv +=
                        line + "," + (slope != 0 ? formatted("%.4g", slope) : "") + "," + deviceCells(*device) + "\n";
                progress(++into.points, all);
            }
        }
}

/// The request, with the study's defaults.
RunRequest studiedRun(const FigureRequest& request) {
    RunRequest run = request.run;
    run.backend = request.backend;
    run.backendOptions = request.options;
    const Scene& scene = sceneNamed(run.scene);
    if (!request.bodies.empty()) run.bodies = request.bodies.front();
    constexpr std::size_t kMostUsual = 256;  // seconds for a figure
    if (scene.fixedBodies == 0 && !run.bodies) run.bodies = std::min(scene.bodiesCpu, kMostUsual);
    return run;
}

}  // namespace

Reason needsMatrix(const FigureRequest& request) {
    return backend(request.backend).onDevice ? Reason() : onlyOnDevice(request, "tiles of a matrix");
}

void matrixStudy(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    constexpr double kTolerance = 1e-4;
    constexpr int kSquares[] = {64, 256, 1024}, kMostThreads = 1024;
    const std::vector<std::size_t> bodies = requestedOr(request.bodies, {4096, 16384});
    std::vector<int> blocks = request.blocks;
    if (blocks.empty())
        for (int block = 1; block <= kMostThreads; block *= 2) blocks.push_back(block);
    for (const int block : blocks)
        if (block < 1 || block > kMostThreads)
            throw UsageError("a block of the matrix has 1 to 1,024 threads, not " + std::to_string(block));
    const std::unique_ptr<Backend> device = backend(request.backend).make(request.options);
    const Scene& scene = sceneNamed(request.run.scene);
    const ForceSettings force{.law = scene.law,
                              .precision = request.run.precision.value_or(Precision::fp32),
                              .softening = request.run.softening.value_or(scene.softening)};
    const DevicePeaks peaks = device->peaks();
    into.csv =
        "series,shape,n,block,seconds,spread,pairs_per_second,bytes_per_second,share_of_bandwidth,strongest,verified,device,"
        "driver,"
        "date\n";
    const std::size_t all = bodies.size() * 2 * blocks.size();
    std::size_t done = 0;
    for (const std::size_t count : bodies) {
        const ParticleSet start = scene.build({count, request.run.seed});
        device->load(start, {force, {}});
        const double right = strongestForce(start.position, force);
        for (const bool columns : {true, false})
            for (const int block : blocks) {
                progress(done++, all);
                if (!columns && std::ranges::find(kSquares, block) == std::end(kSquares)) continue;
                std::vector<double> seconds;
                double strongest = 0;
                for (int k = -3; k < 4 * request.repeats; ++k) {  // the first repetitions warm up
                    const std::optional<PairMatrixResult> result = matrixOf(*device, block, columns);
                    if (!result) throw UsageError("the device computes no matrix of " + std::to_string(count) + " bodies");
                    strongest = static_cast<double>(result->strongest);
                    if (k >= 0) seconds.push_back(result->seconds);
                }
                ++into.points;
                const bool verified = std::abs(strongest - right) <= kTolerance * right;
                into.right = into.right && verified;
                const double time = median(seconds), n = static_cast<double>(count);
                const double spread = (std::ranges::max(seconds) - std::ranges::min(seconds)) / time;
                const double rate = n * n / time, flow = sizeof(float) * rate;
                const char* const shape = columns ? "columns" : "squares";
                const std::string name = bodiesText(count) + ", " + shape;
                into.csv += csvCell(name) + formatted(",%s,%zu,%d,%.6g,%.4g,", shape, count, block, time, spread) +
                            (verified ? formatted("%.6g,%.6g,", rate, flow) : std::string(",,")) +
                            (verified && peaks.bandwidth > 0 ? formatted("%.4g", flow / peaks.bandwidth) : std::string()) +
                            formatted(",%.6g,%s,", strongest, verified ? "true" : "false") + deviceCells(*device) + "\n";
            }
    }
}

void energyOverTimeStep(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    const RunRequest run = studiedRun(request);
    std::vector<EnergyCurve> curves;
    // Integrators of orders 1, 2 and 4, unless one is requested.
    constexpr const char* kUsual[] = {"euler", "symplectic-euler", "leapfrog", "yoshida4"};
    if (run.integrator) curves.push_back({*run.integrator, run});
    for (const char* name : kUsual) {
        if (run.integrator) break;
        curves.push_back({name, run});
        curves.back().run.integrator = name;
    }
    std::vector<double> steps = request.timeSteps;
    if (steps.empty())
        for (double part = 8; part <= 2048; part *= 2) steps.push_back(request.until / part);
    energyStudy(
        request, curves, steps, [](RunRequest& to, double value) { to.timeStep = value; }, progress, into);
}

void energyOverSoftening(const FigureRequest& request, const FigureProgress& progress, FigureStudy& into) {
    const RunRequest run = studiedRun(request);
    std::vector<EnergyCurve> curves;
    for (const double step :
         requestedOr(request.timeSteps, {request.until / 128, request.until / 512, request.until / 2048})) {
        curves.push_back({formatted("dt %.3g", step), run});
        curves.back().run.timeStep = step;
    }
    const std::vector<double> softenings =
        requestedOr(request.softenings, {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5});
    energyStudy(
        request, curves, softenings, [](RunRequest& to, double value) { to.softening = value; }, progress, into);
}

}  // namespace gravlab::figures_detail
