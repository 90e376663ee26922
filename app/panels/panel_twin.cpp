// Rule: a control that waits for a twin says so; numbers and curves have the units of the scene.
#include "app/panels/panel_twin.h"

#include "app/panels/panel_strip.h"
#include "app/plots/plot.h"
#include "app/plots/twin_plot.h"
#include "app/session/twin.h"
#include "sim/forces/law.h"
#include "sim/forces/precision.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gravlab {
namespace {

constexpr float kStripHeight = 168;

constexpr Control kFold{"twin", "Twin", "The same start a second time in other settings, on the same clock"};
constexpr Control kOn{"twin_on", "A second run",
                      "Run the same start in other settings too: from the start, or from here when it is switched on later. "
                      "Key: Ctrl T"};
constexpr Control kView{"twin_view", "Shown", "Side by side, or one over the other in two hues. Key: Alt T"};
constexpr Control kIntegrator{"twin_integrator", "Integrator", "How forces become motion in the twin"};
constexpr Control kTimeStep{"twin_time_step", "Time step",
                            "Of the twin. Both meet whenever whole steps of both end together; it is changed a little where "
                            "they never would"};
constexpr Control kPrecision{"twin_precision", "Precision", "Of the twin: fp32 against fp64 shows what rounding does"};
constexpr Control kSoftening{"twin_softening", "Softening", "Of the twin: the length that blunts close encounters"};
constexpr Control kLaw{"twin_law", "Law", "How two bodies act on each other in the twin"};
constexpr Control kBackend{"twin_backend", "Backend", "What computes the twin's forces"};
constexpr Control kSame{"twin_same", "The first's settings",
                        "The twin differs in nothing: then both stay the same to the last bit"};
constexpr Control kFirstLabel{"twin_label_first", "", "What the first run does otherwise than the twin"};
constexpr Control kTwinLabel{"twin_label", "", "What the twin does otherwise than the first run"};
constexpr Control kApart{
    "twin_apart", "Apart",
    "Distance between the same bodies of both runs: root mean square and largest. A straight line here is "
    "exponential growth: chaos, or an instability"};
constexpr Control kEnergies{"twin_energies", "Energies",
                            "Change of the total energy since the start over the energy of the start, of both runs"};
constexpr Control kNumbers{"twin_numbers", "Numbers", "Over times that both runs have reached. Key J hides the curves"};

constexpr const char* kAsTheFirst = "as the first";

/// A list whose first row is "as the first"; `rows` makes the others, of the names that the command line has.
template <class Rows>
void drawList(PanelContext& p, const Control& control, std::string_view key, std::string_view now, const Reason& off,
              Rows rows) {
    TwinChoice& twin = p.session.intent.twin;
    const bool named = twin.names(key);
    if (!p.widgets.beginCombo(control, named ? now : std::string_view(kAsTheFirst), off)) return;
    if (p.widgets.choice(kAsTheFirst, "Whatever the first run has.", !named)) twin.release(key);
    if (const auto name = p.widgets.chosenOf(rows()); !name.empty()) setTwin(twin, key, name);
    p.widgets.endCombo();
}

ImU32 hueOf(std::size_t run) { return seriesColour(run, false); }

/// A dark plate with a dot in the run's hue and a few words.
void drawLabel(PanelContext& p, const Control& control, std::size_t run, ImVec2 at, float most, const std::string& text) {
    const float s = p.widgets.scale();
    ImGui::SetNextWindowPos(at, ImGuiCond_Always, ImVec2(0.5f, 0));
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(9 * s, 4 * s));
    char name[40];
    std::snprintf(name, sizeof name, "gravlab twin label %zu", run);
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoInputs |
                            ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing |
                            ImGuiWindowFlags_NoBringToFrontOnFocus;
    if (ImGui::Begin(name, nullptr, kFlags)) {
        const float line = ImGui::GetTextLineHeight(), dot = 0.28f * line;
        const ImVec2 corner = ImGui::GetCursorScreenPos();
        ImGui::GetWindowDrawList()->AddCircleFilled(ImVec2(corner.x + dot, corner.y + 0.53f * line), dot, hueOf(run));
        ImGui::Dummy(ImVec2(2 * dot + 2 * s, line));
        ImGui::SameLine();
        // Words that are too many for a narrow picture go on in the next line.
        const bool wide = ImGui::CalcTextSize(text.c_str()).x > most;
        if (wide) ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + most);
        ImGui::TextUnformatted(text.c_str());
        if (wide) ImGui::PopTextWrapPos();
        p.widgets.finish(control);
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

void showPlot(PanelContext& p, const Control& control, Plot plot, float width, float height, bool legend) {
    const std::vector<double>& changes = p.session.twin().watch().changes();
    plot.changes.insert(plot.changes.end(), changes.begin(), changes.end());
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, height));
    p.widgets.finish(control);
    drawPlot(*ImGui::GetWindowDrawList(), from, ImVec2(from.x + width, from.y + height), plot,
             {.lineWidth = palette::line(1.4f * p.widgets.scale()), .legend = legend});
}

}  // namespace

void drawTwinControls(PanelContext& p) {
    TwinChoice& wanted = p.session.intent.twin;
    const Twin& twin = p.session.twin();
    if (!p.widgets.fold(kFold, twin.on() || !wanted.keys.empty())) return;
    bool on = wanted.on;
    if (p.widgets.toggle(kOn, on)) wanted = toggledTwin(wanted, p.facts.configuration);
    const Reason off = twin.on() ? Reason() : Reason("There is no twin: switch it on first.");
    const RunConfiguration& now = twin.on() ? twin.simulation().configuration() : p.facts.configuration;
    if (p.widgets.beginCombo(kView, twinViews()[static_cast<std::size_t>(wanted.view)], off)) {
        if (p.widgets.choice(twinViews()[0], "The first at the left, the twin at the right.", wanted.view == TwinView::side))
            wanted.view = TwinView::side;
        if (p.widgets.choice(twinViews()[1], "One over the other: blue the first, orange the twin, white both.",
                             wanted.view == TwinView::overlaid))
            wanted.view = TwinView::overlaid;
        p.widgets.endCombo();
    }
    drawList(p, kIntegrator, "integrator", now.integrator, off,
             [&] { return integratorChoices(now, !wanted.names("backend")); });
    double step = now.timeStep;  // both go the same way in time: a sign that is typed says nothing
    if (p.widgets.drag(kTimeStep, step,
                       {.least = 1e-12, .most = 1e6, .floor = 1e-7, .format = "%.5g", .onRelease = true, .bothSigns = true},
                       off)) {
        RunRequest values;
        values.timeStep = std::abs(step);
        wanted.take("time_step", values);
    }
    drawList(p, kPrecision, "precision", nameOf(now.force.precision), off, [&] { return precisionChoices(now); });
    double softening = now.force.softening;
    if (p.widgets.drag(kSoftening, softening, {.least = 0, .most = 1e6, .floor = 1e-4, .format = "%.4g", .onRelease = true},
                       off)) {
        RunRequest values;
        values.softening = softening;
        wanted.take("softening", values);
    }
    drawList(p, kLaw, "law", lawRow(now.force.law).name, off, [&] { return lawChoices(now); });
    drawList(p, kBackend, "backend", now.backend, off, [&] { return backendChoices(now); });
    const Reason same = !off.empty() ? off : wanted.keys.empty() ? Reason("The twin differs in nothing already.") : Reason();
    if (p.widgets.button(kSame, ImGui::GetContentRegionAvail().x, same)) {
        wanted.keys.clear();
        wanted.values = RunRequest();
    }
}

void drawTwinLabels(PanelContext& p) {
    const Twin& twin = p.session.twin();
    if (!twin.on()) return;
    const float s = p.widgets.scale();
    const auto panes = twin.panes(static_cast<int>(p.surface.x), static_cast<int>(p.surface.y));
    std::string other = twin.labels().second;
    if (const double behind = p.facts.time - twin.simulation().time();
        std::abs(behind) > 1e-9 * std::max(std::abs(p.facts.time), std::abs(p.facts.configuration.timeStep))) {
        char text[60];
        std::snprintf(text, sizeof text, ", waits at t = %.4g", twin.simulation().time());
        other += text;
    }
    const auto middle = [](const TwinPane& pane) {
        return static_cast<float>(pane.part.left) + 0.5f * static_cast<float>(pane.part.width);
    };
    const float top = static_cast<float>(panes[0].part.top) + 12 * s;
    const bool side = twin.choice().view == TwinView::side;
    const float most = static_cast<float>(panes[0].part.width) - 60 * s;
    const float offset = side ? 0 : ImGui::GetTextLineHeight() + 14 * s;
    drawLabel(p, kFirstLabel, 0, ImVec2(middle(panes[0]), top), most, twin.labels().first);
    drawLabel(p, kTwinLabel, 1, ImVec2(middle(panes[1]), top + offset), most, other);
}

float twinStripHeight(const Session& session, const UiState& state, ImVec2 surface, float scale) {
    if (!session.twin().on() || !state.visible || !state.panel || !state.conservation) return 0;
    if (instrumentsHeight(session, state, surface, scale) > 0) return 0;
    return stripFits(surface, scale) ? (kStripHeight + kMargin) * scale : 0;
}

void drawTwinStrip(PanelContext& p) {
    const float s = p.widgets.scale();
    if (beginStrip(p, "divergence", kStripHeight)) {
        const Twin& twin = p.session.twin();
        const Divergence& curve = twin.watch().curve();
        const SceneUnits& units = p.facts.scene->units;
        std::string text = divergenceText(curve, units.length, units.lengthScale, units.time, units.timeScale);
        if (!twin.watch().sampling().empty()) text += "; " + twin.watch().sampling();
        p.widgets.text(kNumbers, palette::kText, text.c_str());
        const float gap = 6 * s, tall = ImGui::GetContentRegionAvail().y;
        Plot apart = separationPlot(curve), energy = twinEnergyPlot(curve, twin.labels());
        apart.title = "Apart [L] over t";
        energy.title = "|dE/E0| of both over t";
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
