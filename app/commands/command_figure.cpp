// `gravlab bench --figure`: measures a study of the table of figures and writes it as a picture or as numbers.
#include "app/commands/options.h"
#include "app/commands/sweep_progress.h"
#include "app/interrupt.h"
#include "app/lab/figure.h"
#include "app/progress.h"
#include "sim/core/error.h"
#include "sim/integrators/integrator.h"
#include "sim/io/file/atomic_file.h"

#include <cstdio>

namespace gravlab {
namespace {

FigureRequest requestOf(const Options& options, const BackendRow& row) {
    FigureRequest request;
    request.backend = row.name;
    request.options = options.simulation.backendOptions;
    if (!options.benchKernels.empty() && options.benchKernels.front() != "auto" && options.benchKernels.front() != "all")
        request.kernel = options.benchKernels.front();
    request.launch = options.simulation.kernel.launch.config();
    if (!options.benchBlocks.empty()) request.launch.block = options.benchBlocks.front();
    if (!options.benchUnrolls.empty()) request.launch.unroll = options.benchUnrolls.front();
    request.bodies = options.benchBodies;
    request.repeats = options.benchRepeats;
    return request;
}

}  // namespace

int figureCommand(const Options& options) {
    const InterruptWatch watch;
    const FigureRow& row = figure(options.benchFigure);
    const RunRequest& wanted = options.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const FigureRequest request = requestOf(options, *chosen.row);
    if (const Reason reason = row.refuses(request); !reason.empty())
        throw NoDeviceError("figure '" + std::string(row.name) + "' cannot be made: " + reason);
    { const AtomicFile probe(options.output); }  // a folder that is not there is known at once

    const SweepSettings settings{.scene = wanted.scene,
                                 .seed = wanted.seed,
                                 .integrator = wanted.integrator.value_or(std::string(usualIntegrator().name)),
                                 .precision = wanted.precision.value_or(Precision::fp32),
                                 .timeStep = wanted.timeStep,
                                 .softening = wanted.softening,
                                 .tuning = wanted.tuning};
    const std::vector<SweepPoint> points = row.points(request);
    std::vector<SweepResult> results;
    bool right = true;
    if (row.measure) {
        ProgressLine progress("point", static_cast<std::int64_t>(points.size()), true);
        results = row.measure(points, settings, [&](std::size_t done) {
            InterruptWatch::check();
            progress.show(static_cast<std::int64_t>(done));
        });
        progress.finish();
        right = allRight(results);
    } else {
        Sweep sweep(points, settings);
        right = measureAll(sweep);
        results.assign(sweep.results().begin(), sweep.results().end());
    }
    const std::string note = row.note ? row.note(request) : "";
    if (options.output.ends_with(".csv")) {
        writeFileAtomically(options.output, sweepCsv(results));
    } else {
        const Picture picture = figurePicture(row, results, note);
        writePng(options.output, picture.rgb, picture.width, picture.height, picture.texts);
    }
    if (!note.empty()) std::fprintf(stderr, "gravlab: %s\n", note.c_str());
    std::printf("%s: %zu points\n", options.output.c_str(), results.size());
    return static_cast<int>(right ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
