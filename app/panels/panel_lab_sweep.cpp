// Sweeps in the window: what to walk along, how far it is, the curve or map, and what to do with it.
#include "app/format.h"
#include "app/panels/panel_lab.h"

#include <algorithm>
#include <cstdio>

namespace gravlab {
namespace {

constexpr Control kOver{"lab_over", "Over",
                        "What the sweep walks along, from the kernel and launch in use. What the kernel "
                        "does not have is grey"};
constexpr Control kStart{"lab_start", "Start",
                         "Measure: each point is checked against double precision, warmed up and timed; the "
                         "picture goes on"};
constexpr Control kCancel{"lab_cancel", "Cancel", "End it; what was measured stays"};
constexpr Control kTune{"lab_tune", "Tune",
                        "Search kernels and launches for this device and number of bodies; what is found is "
                        "stored and taken up by kernel auto"};
constexpr Control kUse{"lab_use", "Use best", "Take the best point's launch for the running simulation"};
constexpr Control kForce{"lab_rate", "Forces only", "The rate over the time of the forces alone. Press for whole steps"};
constexpr Control kSteps{"lab_rate", "Whole steps",
                         "The rate over the time of whole steps, integration included. Press for "
                         "forces only"};
constexpr Control kCsv{"lab_csv", "CSV", "Write all points with both rates into the current folder"};
constexpr Control kPng{"lab_png", "PNG", "Write the plot as a picture into the current folder"};
constexpr Control kProgress{"lab_progress", "Progress", "How far the measurement is"};
constexpr Control kPlot{"lab_plot", "Plot",
                        "Rate over what was varied; bars are the range of the repetitions, the dashed line is "
                        "the best point"};

LabSubject subjectOf(const PanelContext& p) {
    const RunConfiguration& running = p.facts.configuration;
    return {.backend = running.backend,
            .options = running.backendOptions,
            .kernel = running.kernel,
            .bodies = running.bodies,
            .precision = running.force.precision};
}

void drawProgress(PanelContext& p) {
    const Lab& lab = p.session.lab;
    const float s = p.widgets.scale();
    const ImVec2 from = ImGui::GetCursorScreenPos(), size(ImGui::GetContentRegionAvail().x, 5 * s);
    ImGui::Dummy(size);
    p.widgets.finish(kProgress);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(from, ImVec2(from.x + size.x, from.y + size.y), IM_COL32(255, 255, 255, 18), 2 * s);
    if (lab.busy())
        list.AddRectFilled(from, ImVec2(from.x + size.x * static_cast<float>(lab.progress()), from.y + size.y),
                           palette::kAccent, 2 * s);
    ImGui::PushFont(p.widgets.fonts().small);
    std::string line = lab.status();
    if (const SweepResult* best = lab.best(); best && !lab.tuning()) {
        const double rate = lab.wholeSteps ? best->row.stepInteractionsPerSecond : best->row.interactionsPerSecond;
        char text[200];
        std::snprintf(text, sizeof text, "%sbest: %s, N = %s: %s interactions/s", line.empty() ? "" : "; ",
                      launchSentence(best->point.backend, best->point.kernel, best->point.options.threads).c_str(),
                      grouped(best->row.bodies).text, withPrefix(rate).text);
        line += text;
    }
    p.widgets.wrapped(palette::kMuted, line.empty() ? "nothing measured yet" : line.c_str());
    ImGui::PopFont();
}

}  // namespace

void drawLabSweep(PanelContext& p) {
    Lab& lab = p.session.lab;
    const KernelRow& row = *p.facts.kernel;
    const float s = p.widgets.scale(), button = 66 * s;
    const std::span<const LabSweep> sweeps = labSweeps();
    // What the kernel cannot do is not offered first.
    if (!refusal(sweeps[lab.sweepIndex], row).empty() && !lab.busy())
        for (std::size_t i = 0; i < sweeps.size(); ++i)
            if (refusal(sweeps[i], row).empty()) {
                lab.sweepIndex = i;
                break;
            }
    const LabSweep& chosen = sweeps[lab.sweepIndex];

    if (p.widgets.beginCombo(kOver, chosen.name, {}, 130 * s)) {
        for (std::size_t i = 0; i < sweeps.size(); ++i)
            if (p.widgets.choice(sweeps[i].name, sweeps[i].idea, i == lab.sweepIndex, refusal(sweeps[i], row)))
                lab.sweepIndex = i;
        p.widgets.endCombo();
    }
    ImGui::SameLine();
    if (lab.busy()) {
        if (p.widgets.button(kCancel, button)) lab.cancel();
    } else if (p.widgets.button(kStart, button, refusal(chosen, row))) {
        lab.startSweep(chosen, subjectOf(p));
    }
    ImGui::SameLine();
    if (p.widgets.button(kTune, button, lab.busy() ? "Something is being measured." : "")) lab.startTune(subjectOf(p));
    ImGui::SameLine();
    if (p.widgets.button(lab.wholeSteps ? kSteps : kForce, 96 * s)) lab.wholeSteps = !lab.wholeSteps;

    const SweepResult* const best = lab.best();
    const Reason nothing = best ? "" : "There are no results yet.";
    ImGui::SameLine();
    if (p.widgets.button(kUse, 72 * s, nothing)) {
        RunRequest& wanted = p.session.intent.request;
        wanted.kernel = requestOf(KernelChoice{best->row.kernel, best->point.kernel.launch});
        if (best->point.options.threads > 0) wanted.backendOptions.threads = best->point.options.threads;
    }
    ImGui::SameLine();
    if (p.widgets.button(kCsv, 44 * s, nothing)) lab.exportCsv();
    ImGui::SameLine();
    if (p.widgets.button(kPng, 44 * s, nothing)) lab.exportPng();
    drawProgress(p);

    const ImVec2 from = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
    if (size.x < 40 || size.y < 40) return;
    ImGui::Dummy(size);
    p.widgets.finish(kPlot);
    const PlotStyle style{.light = false, .fontScale = 1, .lineWidth = palette::line(2 * s), .legend = true};
    ImGui::PushFont(p.widgets.fonts().small);
    lab.drawResults(*ImGui::GetWindowDrawList(), from, ImVec2(from.x + size.x, from.y + size.y), style);
    ImGui::PopFont();
}

}  // namespace gravlab
