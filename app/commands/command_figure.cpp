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
    FigurePage draw(const FigureRow& row, const FigureStudy& study, const std::string& note) const {
        return figurePage(row, study, note, pageFormat(picture));
    }
    FigurePage draw(const FigureRow& row, std::span<const SweepResult> results, const std::string& note) const {
        return figurePage(row, results, note, papers, pageFormat(picture));
    }
    template <class What, class Numbers>
    void write(const FigureRow& row, const What& what, const std::string& note, const Numbers& csv) const {
        if (!numbers.empty()) writeFileAtomically(numbers, csv());
        if (picture.empty()) return;
        const FigurePage page = draw(row, what, note);
        MemorySink bytes;
        page.canvas->write(bytes, page.texts);
        writeFileAtomically(picture, bytes.take());
    }
};

/// Measures all of a study, with a line of progress and with Ctrl-C.
FigureStudy studied(const FigureRow& row, const FigureRequest& request) {
    std::optional<ProgressLine> line;
    const FigureStudy study = row.study(request, [&](std::size_t done, std::size_t all) {
        InterruptWatch::check();
        if (!line) line.emplace("point", static_cast<std::int64_t>(all), ProgressLine::Where::everyTenth);
        line->show(static_cast<std::int64_t>(done));
    });
    if (line) line->finish();
    return study;
}

constexpr std::size_t kMostCsvBytes = 1 << 20;

/// Draws recorded numbers without a measurement.
int drawnAgain(const FigureRow& row, const Options& options) {
    Source source = Source::open(options.file);
    std::string csv(kMostCsvBytes, '\0');
    csv.resize(source.read(csv.data(), csv.size()));
    const std::vector<SweepResult> results = sweepResultsOf(csv, options.file);
    std::string note = "drawn from " + std::filesystem::path(options.file).filename().string();
    if (const std::string date = rowsOf(csv).front()["date"]; !date.empty()) note += ", measured on " + date;
    if (std::ranges::any_of(results, isExtrapolated)) note += "; hollow circles: extrapolated from measured steps";
    Outputs(options).write(row, std::span<const SweepResult>(results), note, [] { return std::string(); });
    std::printf("%s: %zu points\n", options.output.c_str(), results.size());
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
    bool right = true;
    std::size_t points = 0;
    if (row.study) {
        const FigureStudy study = studied(row, request);
        right = study.right;
        points = study.points;
        outputs.write(row, study, note, [&] { return study.csv; });
    } else {
        Sweep sweep(row.points(request), sweepSettings(wanted));
        right = measureAll(sweep);
        points = sweep.results().size();
        outputs.write(row, sweep.results(), note, [&] { return figureCsv(row, sweep.results()); });
    }
    if (!note.empty()) std::fprintf(stderr, "gravlab: %s\n", note.c_str());
    std::printf("%s: %zu points\n", options.output.c_str(), points);
    return static_cast<int>(right ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
