// The panels for which the window has room, and strips under the picture.
#include "app/plots/plot.h"
#include "app/services/instruments.h"
#include "app/ui/panels.h"
#include "app/ui/parameter_widgets.h"

#include <string>

namespace gravlab {
namespace {

constexpr Control kControlsTab{"controls_tab", "Controls", "Scene, forces, physics, pace and look"};
constexpr Control kMeasurementsTab{"measurements_tab", "Measurements", "Rate, accuracy and device"};
constexpr Control kLessonTab{"measurements_tab", "Lesson", "Text and task"};

}  // namespace

void placePanel(ImVec2 at, ImVec2 pivot, float width, float most) {
    ImGui::SetNextWindowPos(at, ImGuiCond_Always, pivot);
    ImGui::SetNextWindowSizeConstraints(ImVec2(width, 0), ImVec2(width, most));
}

PanelPlan planPanels(const Document& document, const UiState& state, ImVec2 surface, float scale) {
    constexpr float kBetween = 300, kStrip = 420;
    PanelPlan plan;
    if (!state.visible || !state.panel) return plan;
    const float wide = surface.x / scale;
    // The card of the first start replaces the measurements, beside the panel that it introduces.
    plan.welcome =
        state.welcome && !document.lesson.shown() && wide - kControlWidth - kWelcomeWidth - 4 * kMargin > kBetween;
    const float sidesWidth = kControlWidth + (plan.welcome ? kWelcomeWidth : rightWidth(document)) + 2 * kMargin;
    const bool both = plan.welcome || wide - sidesWidth > kBetween, all = wide - sidesWidth - 2 * kMargin >= kStrip;
    // For an audience plots take precedence over controls; the lab needs the width. A lesson always stays visible.
    const float right = plan.welcome ? kWelcomeWidth : rightWidth(document);
    const bool sides = document.lesson.shown() ? wide - right - 2 * kMargin >= kBetween
                                               : !(state.projector && !all) && !(document.labPanel.open && !all);
    plan.tabs = sides && !both;
    plan.controls = sides && (both || !state.measurements);
    plan.measurements = sides && (both || state.measurements) && !plan.welcome;
    plan.left = sides ? ((plan.tabs && plan.measurements ? right : kControlWidth) + kMargin) * scale : 0;
    plan.right = sides && both ? (right + kMargin) * scale : 0;
    const float between = (surface.x - plan.left - plan.right) / scale - 2 * kMargin;
    const bool high = !document.labPanel.open && surface.y >= kStrip * scale;
    const bool room = high && between >= kStrip;
    if (!room && high && sides && document.lesson.lesson)
        plan.stripUnder = wide - (both ? kControlWidth + kMargin : 0) - 2 * kMargin >= kStrip;
    if (room || plan.stripUnder) {
        using Strip = PanelPlan::Strip;
        // A profile of few bodies has no curves.
        if (state.inWindow && state.instruments && document.facts.configuration.bodies >= Instruments::kFewest)
            plan.strip = Strip::instruments;
        else if (state.conservation && document.facts.twin.on)
            plan.strip = Strip::twin;
        else if (state.conservation && state.inWindow)
            plan.strip = Strip::conservation;
        constexpr float kHeights[] = {-kMargin, 150, 172, 168};  // pixels at scale 1
        plan.stripHeight = (kHeights[static_cast<std::size_t>(plan.strip)] + kMargin) * scale;
    }
    constexpr float kLabPart = 0.62f;
    if (document.labPanel.open)
        plan.labHeight = kLabPart * (surface.y - menuHeight(state, scale) - bottomHeight(state) * scale) + kMargin * scale;
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
    tab(p.document.lesson.shown() ? kLessonTab : kMeasurementsTab, true);
}

bool beginStrip(PanelContext& p, const char* name) {
    const float s = p.widgets.scale(), height = p.plan.stripHeight - kMargin * s;
    const float left = (p.plan.stripUnder && p.plan.tabs ? 0 : p.plan.left) + kMargin * s;
    const float right = p.surface.x - (p.plan.stripUnder ? 0 : p.plan.right) - kMargin * s;
    ImGui::SetNextWindowPos(ImVec2(left, p.surface.y - bottomHeight(p.state) * s - p.plan.stripHeight));
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
