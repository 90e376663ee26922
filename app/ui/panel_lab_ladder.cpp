// The ladder for reading on any machine: every rung with its idea and text, and recorded rates of a named device. Rule:
// recorded rates are dashed and hollow, have device and date, and never appear in a plot with rates of this machine.
#include "app/bench/figure.h"
#include "app/bench/papers.h"
#include "app/bench/sweep_axis.h"
#include "app/model/recorded.h"
#include "app/plots/plot.h"
#include "app/tables/format.h"
#include "app/tables/lab_sweep.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "sim/backends/backend.h"
#include "sim/core/value.h"

#include <algorithm>
#include <map>
#include <set>

namespace gravlab {
namespace {

constexpr Control kRungs{
    "ladder_rungs", "Rungs",
    "All kernels of all backends, each with one more idea than the previous one; click to read its text"};
constexpr Control kRecordedPlot{"recorded_plot", "Recorded",
                                "Measured on the device above, on that date: dashed and hollow, not from this machine"};

/// The shown row: the chosen one, or the one in use.
const KernelRow& rungOf(const PanelContext& p) {
    const std::string& name = p.document.labPanel.rung;
    for (const KernelRow* row : listedKernels())
        if (rungName(*row) == name) return *row;
    return *p.facts.kernel;
}

std::string deviceShown(const PanelContext& p) {
    const Value now = parameter("lab.recorded").get(p.document);
    const auto* name = std::get_if<std::string>(&now);
    return name ? *name : std::string();
}

/// Rates at one N of a device's ladder, or of its table, by rung: the fastest launch of each.
struct RecordedRungs {
    std::string heading;
    std::map<std::string, std::string, std::less<>> rates;
};
const RecordedRungs& recordedRungs(const std::string& device) {
    static std::map<std::string, RecordedRungs> known;
    if (const auto found = known.find(device); found != known.end()) return found->second;
    RecordedRungs made;
    const bool ladder = !benchmarkFile(device + "-ladder.csv").empty();
    const std::string file = ladder ? device + "-ladder" : device, bodies = ladder ? "" : "65536";
    std::map<std::string, double, std::less<>> fastest;
    std::string host;
    if (!benchmarkFile(file + ".csv").empty())
        for (const RecordedRow& row : recordedRows(file)) {
            const auto n = row.find("n"), kernel = row.find("kernel"), rate = row.find("interactions_per_second");
            if (n == row.end() || kernel == row.end() || rate == row.end() || recordedRate(row).empty()) continue;
            if (!bodies.empty() && n->second != bodies) continue;
            const double value = numberOf(valueOf(rate->second)).value_or(0);
            if (row.at("backend") == hostBackend().name) host = "; of cpu: " + row.at("device");
            const std::string rung = row.at("backend") + ":" + kernel->second;
            double& best = fastest[rung];
            if (value > best) best = value, made.rates[rung] = recordedRate(row);
            const std::uint64_t count = static_cast<std::uint64_t>(numberOf(valueOf(n->second)).value_or(0));
            if (made.heading.empty() && row.at("backend") == deviceBackend().name)
                made.heading = "G/s: recorded, " + deviceAndDate(row) + ", N = " + grouped(count).text + ", fastest launch";
        }
    if (!made.heading.empty()) made.heading += host;
    return known.emplace(device, std::move(made)).first->second;
}

void drawRungs(PanelContext& p, const KernelRow& read) {
    const RecordedRungs& recorded = recordedRungs(deviceShown(p));
    if (!recorded.heading.empty()) p.widgets.wrapped(palette::kMuted, recorded.heading);
    constexpr auto kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingStretchProp;
    if (!ImGui::BeginTable("rungs", 3, kFlags)) return;
    ImGui::TableSetupColumn("rung", 0, 3);
    ImGui::TableSetupColumn("lines", 0, 1);
    ImGui::TableSetupColumn("G/s", 0, 1.4f);
    ImGui::TableHeadersRow();
    const std::string chosen = rungName(read);
    for (const KernelRow* listed : listedKernels()) {
        const KernelRow& row = *listed;
        if (row.backend != deviceBackend().name && row.backend != hostBackend().name) continue;
        ImGui::TableNextColumn();
        const std::string rung = rungName(row);
        std::string name = rung;
        std::ranges::replace(name, ':', ' ');
        if (ImGui::Selectable(name.c_str(), rung == chosen, ImGuiSelectableFlags_SpanAllColumns)) set(p, "lab.rung", rung);
        ImGui::TableNextColumn();
        const int lines = linesOfKernel(row);
        ImGui::TextUnformatted(lines > 0 ? std::to_string(lines).c_str() : "-");
        ImGui::TableNextColumn();
        const auto rate = row.term == kPairLawTerm ? recorded.rates.find(rung) : recorded.rates.end();
        ImGui::TextUnformatted(rate != recorded.rates.end() ? rate->second.c_str() : "");
    }
    ImGui::EndTable();
    p.widgets.finish(kRungs);
}

}  // namespace

void drawLabLadder(PanelContext& p) {
    const KernelRow& read = rungOf(p);
    const float s = p.widgets.scale(), wide = ImGui::GetContentRegionAvail().x;
    if (ImGui::BeginChild("ladder rungs", ImVec2(std::clamp(0.36f * wide, 230 * s, 420 * s), 0))) {
        const Letters letters(p.widgets.fonts().small);
        parameter(p, "lab.rung");
        drawRungs(p, read);
    }
    ImGui::EndChild();
    ImGui::SameLine();
    if (ImGui::BeginChild("ladder text", ImVec2(0, 0))) {
        ImGui::PushFont(p.widgets.fonts().small);
        p.widgets.wrapped(palette::kText, std::string(read.name) + ": " + std::string(read.idea));
        const Reason reason = backend(read.backend).unavailable({});
        if (!reason.empty()) p.widgets.wrapped(palette::kMuted, "To read; it cannot run here: " + reason + ".");
        ImGui::PopFont();
        drawKernelText(p, read);
    }
    ImGui::EndChild();
}

void drawLabRecorded(PanelContext& p) {
    const float s = p.widgets.scale();
    ImGui::PushFont(p.widgets.fonts().small);
    parameter(p, "lab.recorded", {.width = 130 * s});
    ImGui::SameLine();
    parameter(p, "lab.recorded_figure", {.width = 110 * s});
    ImGui::SameLine();
    parameter(p, "lab.papers");
    const std::string device = deviceShown(p);
    const RecordedFigure& figure = recordedFigure(device, p.document.labPanel.recordedFigure);
    p.widgets.wrapped(palette::kWarning, figure.missing.empty() ? figure.heading : figure.missing);
    const ImVec2 from = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    if (!figure.missing.empty() || size.x < 40 || size.y < 40) return ImGui::PopFont();
    Plot plot;
    const std::string& figureName = p.document.labPanel.recordedFigure;
    const std::string axis = figureName.substr(0, figureName.find('-'));
    plot.x.label = axis == "waves" ? "blocks N/p" : std::string(sweepAxis(axis).label);
    plot.x.logarithmic = true;
    plot.y.label = "G interactions/s, forces only, recorded";
    for (const RecordedCurve& curve : figure.curves) {
        PlotSeries series{.label = curve.label, .x = curve.x, .y = curve.y, .error = curve.halfSpread};
        series.hollow.assign(curve.x.size(), true);
        series.dashed = true;
        plot.series.push_back(std::move(series));
    }
    if (p.document.labPanel.besidePapers)
        for (PlotSeries& series : paperCurves(axis, PaperMeasure::gigaRate)) {
            plot.series.push_back(std::move(series));
            plot.y.logarithmic = true;  // their devices differ by decades
        }
    std::set<double> ticks;
    for (const PlotSeries& series : plot.series) ticks.insert(series.x.begin(), series.x.end());
    plot.x.ticks.assign(ticks.begin(), ticks.end());
    ImGui::Dummy(size);
    p.widgets.finish(kRecordedPlot);
    drawPlot(*ImGui::GetWindowDrawList(), from, ImVec2(from.x + size.x, from.y + size.y), plot,
             {.light = palette::light, .lineWidth = palette::line(2 * s)});
    ImGui::PopFont();
}

}  // namespace gravlab
