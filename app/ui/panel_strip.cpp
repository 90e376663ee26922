// The panels for which the window has room, and strips under the picture.
#include "app/bench/benchmark_text.h"
#include "app/plots/plot.h"
#include "app/services/instruments.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <string>

namespace gravlab {
namespace {

constexpr Control kControlsTab{"controls_tab", "Controls", "Scene, forces, physics, pace and look"};
constexpr Control kMeasurementsTab{"measurements_tab", "Measurements", "Rate, accuracy and device"};
constexpr Control kLessonTab{"measurements_tab", "Lesson", "Text and task"};

/// Width of the right column that a lesson wants [pixels at scale 1]: a quarter of the window, and half in large type.
float lessonWidth(const Document& document, float wide) {
    constexpr float kLeastBeside = 280;  // a strip has room below the picture
    const float wanted =
        document.lesson.large ? std::clamp(0.48f * wide, 480.0f, 760.0f) : std::clamp(0.26f * wide, 390.0f, 480.0f);
    return std::max(std::min(wanted, wide - kLeastBeside - 2 * kMargin), std::min(kSideWidth, wide - 2 * kMargin));
}

/// Whether the page of the lab has only buttons so far.
bool nothingIn(const ServiceResults& results, const Document& document) {
    const LabPage page = document.labPanel.page;
    const ServiceResults::Measured& lab = results.measured;
    if (page == LabPage::matrix) return document.facts.configuration.bodies > PairMatrix::kMostBodies;
    return !lab.busy && ((page == LabPage::sweep && lab.shown.results.empty()) ||
                         (page == LabPage::memory && memoryTables(lab.memory).empty()));
}

}  // namespace

void placePanel(ImVec2 at, ImVec2 pivot, float width, float most) {
    ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
    ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, most));
}

PanelPlan planPanels(const Document& document, const UiState& state, ImVec2 surface, float scale,
                     const ServiceResults* results) {
    constexpr float kBetween = 480, kPlots = 420, kWords = 260;  // pixels at scale 1
    PanelPlan plan;
    if (!state.visible || !state.panel) return plan;
    const float wide = surface.x / scale, high = surface.y / scale;
    constexpr float kWide = 1600;
    plan.side = wide >= kWide ? 1.1f * kSideWidth : kSideWidth;
    const bool measures = state.depth == Depth::measure, watches = state.depth == Depth::watch;
    plan.lesson = document.lesson.shown() || state.depth == Depth::teach;
    plan.welcome = state.welcome && !plan.lesson && wide - kWelcomeWidth - 4 * kMargin > 300;
    const float right = plan.welcome ? kWelcomeWidth : plan.lesson ? lessonWidth(document, wide) : watches ? 0 : plan.side;
    // A lesson always stays visible; the lab needs the width.
    const bool both = wide - plan.side - right - 4 * kMargin >= kBetween;
    const bool sides = plan.lesson || both || watches || !document.labPanel.open;
    plan.tabs = measures && sides && !both;
    plan.controls = sides && !plan.welcome && (both || (watches && right == 0) || (plan.tabs && !state.measurements));
    plan.measurements = sides && !plan.welcome && right > 0 && (both || !plan.controls);
    const bool below = watches && wide < 2 * plan.side;  // on a phone the picture is not beside a small panel
    plan.left = plan.tabs && sides        ? ((plan.measurements ? right : plan.side) + kMargin) * scale
                : plan.controls && !below ? (plan.side + kMargin) * scale
                                          : 0;
    plan.right = plan.welcome || (plan.measurements && !plan.tabs) ? (right + kMargin) * scale : 0;
    const float between = (surface.x - plan.left - plan.right) / scale - 2 * kMargin;
    plan.words = !measures || between < kPlots;
    using Strip = PanelPlan::Strip;
    constexpr float kLeastHeight = 400;
    if (!document.labPanel.open && !watches && high >= kLeastHeight && between >= kWords) {
        const bool plots = plan.lesson || between >= kPlots;
        // A profile of few bodies has no curves.
        if (plots && state.inWindow && state.instruments && document.facts.configuration.bodies >= Instruments::kFewest)
            plan.strip = Strip::instruments;
        else if (plots && state.conservation && document.facts.twin.on)
            plan.strip = Strip::twin;
        else if (state.conservation && state.inWindow)
            plan.strip = Strip::conservation;
        constexpr float kHeights[] = {-kMargin, 150, 172, 168}, kLine = 38, kHigh = 640;
        float height = kHeights[static_cast<std::size_t>(plan.strip)];
        // No empty boxes: before the first curve there is one line. A low window keeps its picture.
        if (plan.strip == Strip::conservation && results && results->conserved.points.size() < 2)
            height = kLine;
        else if (plan.strip == Strip::conservation && plan.words)
            height = high >= kHigh ? 162 : between < kBesideCurve ? 130 : 84;
        else if (plan.strip == Strip::conservation && high < kHigh)
            height = 116;
        plan.stripHeight = (height + kMargin) * scale;
    }
    constexpr float kLabPart = 0.62f, kLabButtons = 130;
    const float lab = kLabPart * (surface.y - menuHeight(state, scale) - kBottomHeight * scale);
    if (document.labPanel.open)
        plan.labHeight =
            (results && nothingIn(*results, document) ? std::min(lab, kLabButtons * scale) : lab) + kMargin * scale;
    return plan;
}

void drawTabs(PanelContext& p) {
    if (!p.plan.tabs) return;
    const float width = (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x) / 2;
    const auto tab = [&](const Control& control, bool measurements) {
        if (p.widgets.litButton(control, width, p.state.measurements == measurements))
            set(p, "window.measurements", measurements);
    };
    tab(kControlsTab, false);
    ImGui::SameLine();
    tab(p.plan.lesson ? kLessonTab : kMeasurementsTab, true);
}

bool beginStrip(PanelContext& p, const char* name) {
    const float s = p.widgets.scale(), height = p.plan.stripHeight - kMargin * s;
    const float left = p.plan.left + kMargin * s, right = p.surface.x - p.plan.right - kMargin * s;
    ImGui::SetNextWindowPos(ImVec2(left, p.surface.y - kBottomHeight * s - p.plan.stripHeight));
    ImGui::SetNextWindowSize(ImVec2(right - left, height));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8 * s, 6 * s));
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                            ImGuiWindowFlags_NoFocusOnAppearing;
    const bool shown = ImGui::Begin(("gravlab " + std::string(name)).c_str(), nullptr, kFlags);
    ImGui::PopStyleVar();
    if (!shown) {
        ImGui::End();
        return false;
    }
    p.widgets.panel(name);
    ImGui::PushFont(p.widgets.fonts().small);
    return true;
}

void drawStripPlot(PanelContext& p, const Control& control, const Plot& plot, float width, float height, bool legend) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, height));
    p.widgets.finish(control);
    drawPlot(*ImGui::GetWindowDrawList(), from, ImVec2(from.x + width, from.y + height), plot,
             {.light = palette::light,
              .lineWidth = palette::line(1.4f * p.widgets.scale()),
              .legend = legend,
              .legendAbove = true});
}

void endStrip() {
    ImGui::PopFont();
    ImGui::End();
}

}  // namespace gravlab
