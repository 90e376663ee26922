// Strips under the picture.
#include "app/panels/panel_strip.h"

#include <string>

namespace gravlab {

bool stripFits(ImVec2 surface, float scale) {
    const float wide = surface.x - (kControlWidth + kMeasureWidth + 4 * kMargin) * scale;
    return wide >= 420 * scale && surface.y >= 420 * scale;
}

bool beginStrip(PanelContext& p, const char* name, float height) {
    const float s = p.widgets.scale();
    const float left = (kControlWidth + 2 * kMargin) * s, right = p.surface.x - (rightWidth(p.workspace) + 2 * kMargin) * s;
    ImGui::SetNextWindowPos(ImVec2(left, p.surface.y - (bottomHeight(p.state) + kMargin + height) * s));
    ImGui::SetNextWindowSize(ImVec2(right - left, height * s));
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

void endStrip() {
    ImGui::PopFont();
    ImGui::End();
}

}  // namespace gravlab
