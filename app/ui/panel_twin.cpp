// Rule: a control that needs a twin says so; numbers and curves have the units of the scene.
#include "app/plots/plot.h"
#include "app/tables/format.h"
#include "app/tables/lab_sweep.h"
#include "app/tables/unit_text.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"
#include "app/ui/twin_plot.h"
#include "app/ui/widgets.h"
#include "sim/io/run_settings.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab {
namespace {

constexpr Control kFold{"twin", "Twin", "A second run from the same start with other settings, at the same time"};
constexpr Control kFirstLabel{"twin_label_first", "", "Settings of the first run that differ from the twin"};
constexpr Control kTwinLabel{"twin_label", "", "Settings of the twin that differ from the first run"};
constexpr Control kApart{
    "twin_apart", "Apart",
    "Distance between the same bodies of both runs: root mean square and largest. A straight line here is "
    "exponential growth: chaos, or an instability"};
constexpr Control kEnergies{"twin_energies", "Energies",
                            "Change of the total energy of both runs since the start, relative to the energy of the start"};
constexpr Control kTwinNumbers{"twin_numbers", "Numbers", "At times that both runs have reached. Key J hides the curves"};

ImU32 hueOf(std::size_t run) { return seriesColour(run, palette::light); }

/// A dark plate with a dot in the run's hue and a short text.
void drawLabel(PanelContext& p, const Control& control, std::size_t run, ImVec2 at, float most, const std::string& text) {
    const float s = p.widgets.scale();
    ImGui::SetNextWindowPos(at, ImGuiCond_Always, ImVec2(0.5f, 0));
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(9 * s, 4 * s));
    const std::string name = formatted("gravlab twin label %zu", run);
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoInputs |
                            ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                            ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (ImGui::Begin(name.c_str(), nullptr, kFlags)) {
        const float line = ImGui::GetTextLineHeight(), dot = 0.28f * line;
        const ImVec2 corner = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(corner.x + dot, corner.y + 0.53f * line), dot, hueOf(run));
        ImGui::Dummy(ImVec2(2 * dot + 2 * s, line));
        ImGui::SameLine();
        // A text too wide for a narrow picture continues in the next line.
        ImGui::TextUnformatted(linesWithin(text, most).c_str());
        p.widgets.finish(control);
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

void showPlot(PanelContext& p, const Control& control, Plot plot, float width, float height, bool legend) {
    const std::vector<double>& changes = p.readouts.pair.changes;
    plot.changes.insert(plot.changes.end(), changes.begin(), changes.end());
    drawStripPlot(p, control, plot, width, height, legend);
}

}  // namespace

void drawTwinControls(PanelContext& p) {
    const TwinChoice& wanted = p.document.intent.twin;
    const TwinFacts& twin = p.facts.twin;
    if (!p.widgets.fold(kFold, twin.on || !wanted.values.empty())) return;
    parameter(p, "twin.on", {.label = "A second run", .action = "twin"});
    const Reason off = twin.on ? Reason() : Reason("There is no twin: switch it on first.");
    parameter(p, "twin.view", {.label = "Shown", .unavailable = off});
    const RunConfiguration& now = twin.on ? twin.configuration : p.facts.configuration;
    const KernelRow& kernelNow = kernel(now.backend, now.pairs().kernel.kernel);
    for (const char* key :
         {"integrator", "time_step", "precision", "softening", "law", "backend", "kernel", "block", "unroll", "split"}) {
        const bool ofLaunch = std::ranges::count(launchNumbers(), key, &LaunchNumber::key) > 0;
        if (ofLaunch && !backend(now.backend).onDevice) continue;
        // A number is the one in force, also where it comes from the first run.
        ParameterStyle style{.unavailable = off.empty() && ofLaunch ? axisRefusal(key, kernelNow) : off};
        if (ofSetting(key).kind != Kind::choice) style.now = valueOf(settingRow(key).text(requestOf(now)));
        parameter(p, "twin." + std::string(key), style);
    }
    action(p, "twin-same", ImGui::GetContentRegionAvail().x, "The first's settings");
}

void drawTwinLabels(PanelContext& p) {
    const TwinFacts& twin = p.facts.twin;
    if (!twin.on) return;
    const float s = p.widgets.scale();
    std::string other = p.readouts.pair.labels.second;
    if (const double behind = p.facts.time - twin.time;
        std::abs(behind) > 1e-9 * std::max(std::abs(p.facts.time), std::abs(p.facts.configuration.timeStep))) {
        other += ", waits at " + clockText(twin.time, p.facts.scene->units);
    }
    const auto middle = [](const Viewport& view) { return view.corner().x + 0.5f * view.size().x; };
    const float top = std::max(p.views[0].corner().y, p.top) + 12 * s;  // below the menus
    const bool side = twin.view == TwinView::side;
    const float most = p.views[0].size().x - 60 * s;
    const float offset = side ? 0 : ImGui::GetTextLineHeight() + 14 * s;
    drawLabel(p, kFirstLabel, 0, ImVec2(middle(p.views[0]), top), most, p.readouts.pair.labels.first);
    drawLabel(p, kTwinLabel, 1, ImVec2(middle(p.views[1]), top + offset), most, other);
}

void drawTwinStrip(PanelContext& p) {
    const float s = p.widgets.scale();
    if (beginStrip(p, "divergence")) {
        const ServiceResults::Pair& pair = p.readouts.pair;
        const Divergence& curve = pair.curve;
        const SceneUnits& units = p.facts.scene->units;
        std::string text = divergenceText(curve, units);
        if (!pair.sampling.empty()) text += "; " + std::string(pair.sampling);
        p.widgets.text(kTwinNumbers, palette::kText, text);
        const float gap = 6 * s, tall = ImGui::GetContentRegionAvail().y;
        Plot apart = separationPlot(curve), energy = twinEnergyPlot(curve, pair.labels);
        const ShownUnit time = unitOfTime(p.facts.time, units);
        rescale(apart, time.scale, units.lengthScale);
        rescale(energy, time.scale, 1);
        apart.title = "Apart [" + (units.length.empty() ? "L" : std::string(units.length)) + "] over t [" + time.name + "]";
        energy.title = "|dE/E0| of both over t [" + time.name + "]";
        const bool two = !energy.series.empty();
        const float width = (ImGui::GetContentRegionAvail().x - (two ? gap : 0)) / (two ? 2 : 1);
        showPlot(p, kApart, std::move(apart), width, tall, true);
        if (two) {
            ImGui::SameLine(0, gap);
            showPlot(p, kEnergies, std::move(energy), width, tall, false);  // hues are those of the labels
        }
        endStrip();
    }
}

}  // namespace gravlab
