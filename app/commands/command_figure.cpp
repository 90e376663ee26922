// `gravlab bench --figure`: measures a study of the table of figures and writes it as a picture or as numbers.
#include "app/bench/figure.h"
#include "app/bench/sweep.h"
#include "app/commands/command_bench.h"
#include "app/model/recorded.h"
#include "app/system/interrupt.h"
#include "app/system/progress.h"
#include "app/tables/format.h"
#include "sim/api/errors.h"
#include "sim/io/file/atomic_file.h"
#include "sim/io/file/source.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace gravlab {
namespace {

FigureRequest requestOf(const BenchCommand& command, const BackendRow& row) {
    FigureRequest request{.backend = std::string(row.name), .options = command.start.simulation.backendOptions};
    if (!command.kernels.empty() && command.kernels.front() != "auto" && command.kernels.front() != "all")
        request.kernel = command.kernels.front();
    request.launch = command.start.simulation.pairs().kernel.launch.config(
        usualLaunch(request.kernel.empty() ? std::nullopt : std::optional(request.kernel)));
    if (!command.blocks.empty()) request.launch.block = command.blocks.front();
    if (!command.unrolls.empty()) request.launch.unroll = command.unrolls.front();
    if (!command.splits.empty()) request.launch.split = command.splits.front();
    request.blocks = command.blocks;
    request.unrolls = command.unrolls;
    request.splits = command.splits;
    request.threads = command.threads;
    request.accuracies = command.accuracies;
    request.timeSteps = command.timeSteps;
    request.softenings = command.softenings;
    request.run = command.start.simulation;
    if (command.until > 0) request.until = command.until;
    request.bodies = command.counts;
    request.repeats = command.repeats;
    return request;
}

/// Destinations of picture and numbers; a missing folder is found at once.
struct Outputs {
    std::string picture, numbers;
    bool papers = false;
    explicit Outputs(const BenchCommand& command) : papers(command.besidePapers) {
        (command.output.ends_with(".csv") ? numbers : picture) = command.output;
        if (!command.csv.empty()) numbers = command.csv;
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
            notify(formatted("plain curves, without all that this figure shows: %s", drawn.why.c_str()));
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
int drawnAgain(const FigureRow& row, const BenchCommand& command) {
    Source source = Source::open(command.from);
    std::string csv(kMostCsvBytes, '\0');
    csv.resize(source.read(csv.data(), csv.size()));
    try {
        Outputs(command).draw(row, csv, "drawn from " + std::filesystem::path(command.from).filename().string(), false);
    } catch (const InputError& error) {
        throw InputError(command.from + ": " + error.what());
    }
    std::printf("%s: %zu points\n", command.output.c_str(), rowsOf(csv).size());
    return static_cast<int>(ExitCode::ok);
}

}  // namespace

int drawFigure(const BenchCommand& command) {
    const InterruptWatch watch;
    const FigureRow& row = figure(command.figure);
    if (!command.from.empty()) return drawnAgain(row, command);
    const RunRequest& wanted = command.start.simulation;
    const BackendChoice chosen = chooseBackend(wanted.backend, wanted.backendOptions);
    const FigureRequest request = requestOf(command, *chosen.row);
    if (const Reason reason = row.refuses(request); !reason.empty())
        throw NoDeviceError("figure '" + std::string(row.name) + "' cannot be made: " + reason);
    const Outputs outputs(command);
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
    notify(note);
    std::printf("%s: %zu points\n", command.output.c_str(), found.points);
    return static_cast<int>(found.right ? ExitCode::ok : ExitCode::checkFailed);
}

}  // namespace gravlab
