// `gravlab bench --figure`: measures a study of the table of figures and writes it as a picture or as numbers.
#include "app/bench/figure.h"
#include "app/bench/sweep.h"
#include "app/commands/options.h"
#include "app/model/recorded.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "sim/core/error.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gravlab {
namespace {

FigureRequest requestOf(const Options& options, const BackendRow& row) {
    FigureRequest request;
    request.backend = row.name;
    request.options = options.simulation.backendOptions;
    if (!options.bench.kernels.empty() && options.bench.kernels.front() != "auto" && options.bench.kernels.front() != "all")
        request.kernel = options.bench.kernels.front();
    request.launch = options.simulation.pairs().kernel.launch.config(
        usualLaunch(request.kernel.empty() ? std::nullopt : std::optional(request.kernel)));
    if (!options.bench.blocks.empty()) request.launch.block = options.bench.blocks.front();
    if (!options.bench.unrolls.empty()) request.launch.unroll = options.bench.unrolls.front();
    if (!options.bench.splits.empty()) request.launch.split = options.bench.splits.front();
    request.blocks = options.bench.blocks;
    request.unrolls = options.bench.unrolls;
    request.splits = options.bench.splits;
    request.threads = options.bench.threads;
    request.accuracies = options.bench.accuracies;
    request.timeSteps = options.bench.timeSteps;
    request.softenings = options.bench.softenings;
    request.run = options.simulation;
    if (options.until > 0) request.until = options.until;
    request.bodies = options.bench.bodies;
    request.repeats = options.bench.repeats;
    return request;
}

/// Destinations of picture and numbers; a missing folder is found at once.
struct Outputs {
    std::string picture, numbers;
    bool papers = false;
    explicit Outputs(const Options& options) : papers(options.bench.besidePapers) {
        (options.output.ends_with(".csv") ? numbers : picture) = options.output;
        if (!options.csv.empty()) numbers = options.csv;
        for (const std::string& file : {picture, numbers})
            if (!file.empty()) const AtomicFile probe(file);
    }
    /// `csv` is kept where the picture cannot be drawn.
    void draw(const FigureRow& row, const std::string& csv, const std::string& note, bool keep) const {
        const Page page = figurePage(row, csv, note, papers);
        const bool png = !papers && pictureFormat(picture) == "png";
        if (!png) return writePage(picture, page, keep && numbers.empty());
        if (row.page) {
            const DrawnPages drawn = drawnPages({page}, "png");
            if (drawn.why.empty()) return writeFileAtomically(picture, drawn.files.front());
            std::fprintf(stderr, "gravlab: plain curves, without all that this figure shows: %s\n", drawn.why.c_str());
        }
        const Picture drawn = figurePicture(row, page);
        writePng(picture, drawn.rgb, drawn.width, drawn.height, drawn.texts);
    }
    void write(const FigureRow& row, const std::string& csv) const {
        if (!numbers.empty()) writeFileAtomically(numbers, csv);
        if (!picture.empty()) draw(row, csv, {}, true);
    }
    /// The points of a measurement that has been interrupted; the name of their file.
    std::string keepPartial(const std::string& csv) const {
        AtomicFile file(numbers.empty() ? std::filesystem::path(picture).replace_extension(".csv")
                                        : std::filesystem::path(numbers));
        file.write(csv);
        return file.keepPartial();
    }
};

/// Measures all of a study, with a line of progress and with Ctrl-C.
void studied(const FigureRow& row, const FigureRequest& request, FigureStudy& into) {
    std::optional<ProgressLine> line;
    const auto progress = [&](std::size_t done, std::size_t all) {
        InterruptWatch::check();
        if (!line) line.emplace("point", static_cast<std::int64_t>(all), ProgressLine::Where::everyTenth);
        line->show(static_cast<std::int64_t>(done));
    };
    row.study(request, progress, into);
    if (line) line->finish();
}

constexpr std::size_t kMostCsvBytes = 1 << 20;

/// Draws recorded numbers without a measurement.
int drawnAgain(const FigureRow& row, const Options& options) {
    Source source = Source::open(options.file);
    std::string csv(kMostCsvBytes, '\0');
    csv.resize(source.read(csv.data(), csv.size()));
    try {
        Outputs(options).draw(row, csv, "drawn from " + std::filesystem::path(options.file).filename().string(), false);
    } catch (const InputError& error) {
        throw InputError(options.file + ": " + error.what());
    }
    std::printf("%s: %zu points\n", options.output.c_str(), rowsOf(csv).size());
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

int figureCommand(const Options& options) {
    const InterruptWatch watch;
    const FigureRow& row = figure(options.bench.figure);
    if (options.has("--from")) return drawnAgain(row, options);
    const RunRequest& wanted = options.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const FigureRequest request = requestOf(options, *chosen.row);
    if (const Reason reason = row.refuses(request); !reason.empty())
        throw NoDeviceError("figure '" + std::string(row.name) + "' cannot be made: " + reason);
    const Outputs outputs(options);
    const std::string note = row.note ? row.note(request) : "";
    FigureStudy found;
    std::optional<Sweep> sweep;
    if (!row.study) sweep.emplace(row.points(request), sweepSettings(wanted));
    try {
        if (row.study) studied(row, request, found);
        if (sweep) found.right = measureAll(*sweep);
    } catch (const Error& error) {
        if (sweep) found.csv = figureCsv(row, sweep->results());
        if (InterruptWatch::signal() == 0 || rowsOf(found.csv).empty()) throw;
        throw Error(error.code(),
                    std::string(InterruptWatch::word()) + "; the points so far are in " + outputs.keepPartial(found.csv));
    }
    if (sweep) {
        found.csv = figureCsv(row, sweep->results());
        found.points = sweep->results().size();
    }
    outputs.write(row, found.csv);
    if (!note.empty()) std::fprintf(stderr, "gravlab: %s\n", note.c_str());
    std::printf("%s: %zu points\n", options.output.c_str(), found.points);
    return static_cast<int>(found.right ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
