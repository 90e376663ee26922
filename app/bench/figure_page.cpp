// What a figure shows of its CSV: the same for a new measurement and for a recorded one.
#include "app/bench/figure_parts.h"
#include "app/bench/papers.h"
#include "app/model/recorded.h"
#include "app/plots/canvas.h"
#include "app/system/built_in.h"
#include "app/tables/format.h"
#include "app/tables/text_values.h"
#include "sim/api/errors.h"
#include "sim/core/names.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

using FigureRows = std::span<const RecordedRow>;

/// Whether a row passed its check; without that column, whether there is nothing to say of it.
bool isVerified(const RecordedRow& row) {
    return row.contains("verified") ? textIn(row, "verified") == "true" : textIn(row, "note").empty();
}

double largestIn(FigureRows rows, std::string_view column) {
    double most = 0;
    for (const RecordedRow& row : rows) most = std::max(most, numberIn(row, column));
    return most;
}

/// Names of the columns `series`, with commas, as one.
std::string curveOf(const RecordedRow& row, std::string_view series) {
    std::string name;
    for (const std::string& column : splitList({std::string(series)}))
        name += (name.empty() ? "" : ", ") + textIn(row, column);
    return name;
}

Plot plotOf(const FigurePlot& from, FigureRows rows) {
    Plot plot{.x = {.label = std::string(from.xLabel), .logarithmic = true},
              .y = {.label = std::string(from.yLabel), .logarithmic = from.yLogarithmic}};
    for (const RecordedRow& row : rows) {
        const double x = numberIn(row, from.x), value = numberIn(row, from.y);
        if (!isVerified(row) || !(x > 0) || !(value > 0) || !std::isfinite(value)) continue;
        const double y = from.inverse ? from.scale / value : from.scale * value;
        PlotSeries& series = seriesNamed(plot, curveOf(row, from.series));
        series.add(x, y, from.spread.empty() ? 0 : numberIn(row, from.spread));
        series.hollow.push_back(textIn(row, "extrapolated") == "true");
        if (std::ranges::find(plot.x.ticks, x) == plot.x.ticks.end()) plot.x.ticks.push_back(x);
    }
    std::ranges::sort(plot.x.ticks);
    // The compiler's choice of a factor has a name.
    if (from.xLabel == sweepAxis("unroll").label)
        for (const double tick : plot.x.ticks) plot.x.names.push_back(axisText(tick));
    return plot;
}

/// "NVIDIA H200, 132 multiprocessors, ..., driver 580.95; AVX-512, 2 threads; measured on 2026-11-26".
std::string devicesText(FigureRows rows) {
    std::vector<std::string> seen;
    const auto note = [&](const std::string& text) {
        if (!text.empty() && std::ranges::find(seen, text) == seen.end()) seen.push_back(text);
    };
    for (const RecordedRow& row : rows) {
        const std::string &device = textIn(row, "device"), &driver = textIn(row, "driver"),
                          &processor = textIn(row, "processor");
        if (!device.empty())
            note((processor.empty() ? "" : processor + ": ") + device + (driver.empty() ? "" : ", driver " + driver));
    }
    for (const RecordedRow& row : rows)
        if (!textIn(row, "date").empty()) note("measured on " + textIn(row, "date"));
    return joined(seen, {}, "; ");
}

std::string kernelsText(FigureRows rows) {
    std::vector<std::string> seen;
    for (const RecordedRow& row : rows)
        if (isVerified(row) && !textIn(row, "kernel").empty() &&
            std::ranges::find(seen, textIn(row, "kernel")) == seen.end())
            seen.push_back(textIn(row, "kernel"));
    constexpr std::size_t kMostNamed = 8;  // more do not fit a line; their figure names them itself
    if (seen.size() > kMostNamed) return std::to_string(seen.size()) + " kernels";
    return seen.empty() ? "" : "kernels: " + joined(seen, {}, ", ");
}

std::string protocolText(const FigureRow& figure, FigureRows rows) {
    std::size_t omitted = 0, failed = 0;
    double worst = 0;
    std::string why;
    for (const RecordedRow& row : rows) {
        worst = std::max(worst, isVerified(row) ? numberIn(row, "rel_error_p999") : 0);
        if (isVerified(row)) continue;
        // Where forces of it were checked, or nothing says why it was not run, it was wrong.
        const std::string& text = textIn(row, "note");
        const bool wrong = numberIn(row, "rel_error_p999") > 0 || text.empty() || text.find("FAILED") != text.npos;
        failed += wrong, omitted += !wrong;
        if (!wrong && why.empty()) why = textIn(row, "note");
    }
    std::string all(figure.protocol);
    const auto say = [&](const std::string& text) { all += (all.empty() ? "" : "; ") + text; };
    if (const double repeats = largestIn(rows, "repeats"); repeats > 0)
        say(formatted("median of up to %.0f repetitions after a warm-up, bars: range of the repetitions", repeats));
    if (worst > 0) say(formatted("99.9 %% of checked forces within %.0e of fp64", worst));
    constexpr std::size_t kMostOfReason = 80;
    if (why.size() > kMostOfReason) why = why.substr(0, why.rfind(' ', kMostOfReason)) + " ...";
    if (omitted > 0) say(std::to_string(omitted) + " points are omitted (" + why + ")");
    if (failed > 0) say(std::to_string(failed) + " POINTS FAILED THEIR CHECK and are omitted");
    return all;
}

/// Numbers of papers beside the plots of figures.py: rates and fractions of the bound, times, or factors over a plain loop.
std::vector<std::vector<PlotSeries>> besidePapers(std::string_view figure) {
    if (figure == "cpu-gpu") return {paperCurves(figure, PaperMeasure::thousandSteps)};
    if (figure != "ladder") return {paperCurves(figure, PaperMeasure::gigaRate), paperCurves(figure, PaperMeasure::share)};
    std::vector<PlotSeries> factors;
    for (const PaperFactor& paper : paperFactors()) {
        factors.push_back({.label = paper.paper + " " + paper.kernel, .x = {}, .y = {}, .error = {}, .hollow = {}});
        factors.back().add(0, paper.factor);
    }
    return {factors};
}

}  // namespace

std::vector<Plot> figurePlots(const FigureRow& row, std::string_view csv) {
    const std::vector<RecordedRow> rows = rowsOf(csv);
    std::vector<Plot> plots;
    for (const FigurePlot& plot : row.plots) {
        if (!plot.y.empty()) plots.push_back(plotOf(plot, rows));
        if (!plots.empty() && plots.back().series.empty()) plots.pop_back();
    }
    return plots;
}

Page figurePage(const FigureRow& row, const std::string& csv, const std::string& note, bool papers) {
    const std::vector<RecordedRow> rows = rowsOf(csv);
    if (figurePlots(row, csv).empty())
        throw InputError("there is no point to draw for the figure '" + std::string(row.name) +
                         "'; its columns are those that 'bench --figure' writes into a CSV");
    const std::string program = "gravlab " + std::string(version()), kernels = kernelsText(rows),
                      devices = devicesText(rows);
    Page page{.name = std::string(row.name), .title = std::string(row.title), .csv = csv};
    for (const std::string& line : {note, papers ? papersNote() : std::string(), protocolText(row, rows),
                                    devices + "; " + (kernels.empty() ? "" : kernels + "; ") + program})
        if (!line.empty()) page.notes.push_back(line);
    page.texts = {{"Software", program}, {"gravlab:figure", page.name}, {"Description", devices}};
    if (papers) page.papers = besidePapers(row.name);
    return page;
}

Picture figurePicture(const FigureRow& row, const Page& page) {
    constexpr float kFontSize = 30, kMargin = 40;
    Canvas canvas(page.width, page.height, kFontSize);
    canvas.list().AddRectFilled(ImVec2(0, 0), canvas.size(), paper::kPaper);
    const float wide = canvas.size().x - 2 * kMargin;
    canvas.text(canvas.large(), ImVec2(kMargin, 24), paper::kInk, page.title.c_str(), 0, wide);
    float bottom = canvas.size().y - 18;
    for (auto note = page.notes.rbegin(); note != page.notes.rend(); ++note) {
        bottom -= 1.35f * canvas.small()->FontSize;
        canvas.text(canvas.small(), ImVec2(kMargin, bottom), paper::kQuiet, note->c_str(), 0, wide);
    }
    const std::vector<Plot> plots = figurePlots(row, page.csv);
    const float part = wide / static_cast<float>(plots.size());
    for (std::size_t k = 0; k < plots.size(); ++k) {
        const float left = kMargin - 15 + part * static_cast<float>(k);
        drawPlot(canvas.list(), ImVec2(left, 40 + canvas.large()->FontSize), ImVec2(left + part, bottom - 10), plots[k],
                 {.light = true, .lineWidth = 4, .legendBeside = plots.size() == 1});
    }
    return {.width = page.width, .height = page.height, .rgb = canvas.finish(), .texts = page.texts};
}

}  // namespace gravlab
