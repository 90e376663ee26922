// Sweeps in the window: the axis, the progress, the curve or map, and the actions on it.
#include "app/bench/sweep_axis.h"
#include "app/tables/format.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <cmath>

namespace gravlab {
namespace {

constexpr Control kProgress{"lab_progress", "Progress", "Progress of the measurement"};
constexpr Control kStruck{"lab_struck", "No rate",
                          "Measured speed of a kernel that is wrong on purpose. It is not a rate, even when its forces "
                          "happen to be right: a rate needs a kernel that passes every check"};
constexpr Control kPlot{
    "lab_plot", "Plot",
    "Rate over the varied parameter; bars are the range of the repetitions, the dashed line is the best point"};

void drawProgress(PanelContext& p) {
    const ServiceResults::Measured& lab = p.readouts.measured;
    const float s = p.widgets.scale();
    const ImVec2 from = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, 5 * s);
    ImGui::Dummy(size);
    p.widgets.finish(kProgress);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, ImVec2(from.x + size.x, from.y + size.y), palette::veil(18), 2 * s);
    if (lab.busy)
        list.AddRectFilled(from, ImVec2(from.x + size.x * static_cast<float>(lab.progress), from.y + size.y),
                           palette::kAccent, 2 * s);
    const Letters letters(p.widgets.fonts().small);
    std::string line(lab.status);
    if (const SweepResult* best = lab.best; best && !lab.tuning) {
        const SweepMeasure& measure = lab.shown.wholeSteps ? kStepRate : kForceRate;
        line += formatted(
            "%sbest: %s, N = %s: %s interactions/s", line.empty() ? "" : "; ",
            launchSentence(best->point.backend, best->point.kernel, best->point.options.threads, best->point.term).c_str(),
            grouped(best->row.bodies).text, withPrefix(1e9 * measure.value(best->row)).text);
        if (const std::size_t others = asFastAs(*best, lab.shown.results, measure); others > 0)
            line += formatted("; %zu other%s as fast within the spread", others, others == 1 ? " is" : "s are");
    }
    p.widgets.wrapped(palette::kMuted, line.empty() ? "nothing measured yet" : line);
}

/// Kernels that are wrong on purpose: the measured speed, struck through, and why it is not a rate.
void drawStruck(PanelContext& p) {
    const float s = p.widgets.scale();
    for (const SweepResult& result : p.readouts.measured.shown.results) {
        const BenchmarkRow& row = result.row;
        if (row.trap.empty()) continue;
        const std::string rate = row.struckRate > 0 ? withPrefix(row.struckRate).text + std::string("interactions/s") : "-";
        p.widgets.wrapped(palette::kText, row.kernel);
        ImGui::SameLine(130 * s);
        p.widgets.text(kStruck, palette::kBad, rate);
        const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
        const float y = std::floor(0.5f * (from.y + to.y));
        if (row.struckRate > 0)
            ImGui::GetWindowDrawList()->AddLine(ImVec2(from.x - 2, y), ImVec2(to.x + 2, y), palette::kBad, 2 * s);
        ImGui::SameLine();
        p.widgets.wrapped(palette::kMuted, row.note);
    }
}

}  // namespace

void drawLabSweep(PanelContext& p) {
    const ServiceResults::Measured& lab = p.readouts.measured;
    const float s = p.widgets.scale(), button = 66 * s;
    if (!p.facts.configuration.others().empty()) {
        const std::string_view term = rowOf(p.facts, p.document.labPanel.term).term;
        parameter(p, "lab.term", {.now = Value(std::string(term)), .width = 110 * s});
        ImGui::SameLine();
    }
    parameter(p, "lab.sweep", {.now = Value(std::string(lab.sweep.name)), .width = 130 * s});
    ImGui::SameLine();
    action(p, lab.busy ? "lab-cancel" : "lab-measure", button, lab.busy ? "Cancel" : "Start");
    ImGui::SameLine();
    action(p, "lab-tune", button);
    ImGui::SameLine();
    const Control rate = controlOf(parameter("lab.whole_steps"), lab.shown.wholeSteps ? "Whole steps" : "Forces only");
    if (p.widgets.button(rate, 96 * s)) set(p, "lab.whole_steps", !lab.shown.wholeSteps);
    ImGui::SameLine();
    action(p, "lab-use-best", 72 * s, "Use best");
    ImGui::SameLine();
    action(p, "lab-csv", 44 * s, "CSV");
    ImGui::SameLine();
    action(p, "lab-png", 44 * s, "PNG");
    drawProgress(p);
    ImGui::PushFont(p.widgets.fonts().small);
    drawStruck(p);
    ImGui::PopFont();

    const ImVec2 from = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    if (size.x < 40 || size.y < 40) return;
    ImGui::Dummy(size);
    p.widgets.finish(kPlot);
    const PlotStyle style{.light = palette::light, .fontScale = 1, .lineWidth = palette::line(2 * s), .legend = true};
    const Letters letters(p.widgets.fonts().small);
    ImDrawList& ink = *ImGui::GetWindowDrawList();
    drawResults(ink, from, ImVec2(from.x + size.x, from.y + size.y), lab.shown, style);
}

}  // namespace gravlab
