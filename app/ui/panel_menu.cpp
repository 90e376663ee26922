// The menu bar: draws the table of actions, without knowing any single action.
#include "app/control/action.h"
#include "app/ui/panel_input.h"
#include "app/ui/parameter_widgets.h"

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr float kBarPadding = 9, kItemGap = 6;

void drawChoices(PanelContext& p, const Action& action, const std::string& name) {
    const Reason reason = action.unavailable ? action.unavailable(p.document) : Reason();
    if (!p.widgets.beginMenu(name, action.label, reason.empty())) return;
    int which = 0;
    for (const SettingChoice& choice : choicesOf(action, p.document)) {
        const std::string item = name + "/" + choice.name;
        if (p.widgets.menuItem(item, choice.name, keyText(action, which), choice.chosen, choice.idea, choice.refused))
            p.post({invokeOf(action, which)});
        ++which;
    }
    p.widgets.endMenu();
}

void drawAction(PanelContext& p, const Action& action, const std::string& menu) {
    const std::string name = menu + "/" + std::string(action.name);
    if (hasChoices(action)) {
        drawChoices(p, action, name);
        return;
    }
    const Reason reason = action.unavailable ? action.unavailable(p.document) : Reason();
    const bool checked = isOn(action, p.document);
    if (p.widgets.menuItem(name, action.label, keyText(action), checked, action.idea, reason)) p.post({invokeOf(action)});
}

/// Left and Right open the neighbouring menu. Dear ImGui does so only when the bar had the focus before.
void walk(PanelContext& p, std::size_t place) {
    const std::size_t count = menus().size();
    const bool right = panelKeyPressed(ImGuiKey_RightArrow) && !p.widgets.listOpen && !p.widgets.listFocused;
    const bool left = panelKeyPressed(ImGuiKey_LeftArrow) && !p.widgets.listOpen;
    if (!right && !left) return;
    p.menu.toggled = true;
    p.menu.wanted = (place + (right ? 1 : count - 1)) % count;
    ImGui::CloseCurrentPopup();
}

void drawMenu(PanelContext& p, std::size_t place) {
    const Menu& menu = menus()[place];
    const std::string name = "menu/" + std::string(menu.name);
    if (!p.widgets.beginMenu(name, menu.name)) return;
    p.widgets.listOpen = p.widgets.listFocused = false;
    // A second request closes the menus.
    if (p.menu.toggled) {
        p.menu.toggled = false;
        ImGui::CloseCurrentPopup();
    }
    for (std::size_t i = 0; i < menu.rows.size();) {
        if (menu.rows[i].client) {
            ++i;
            continue;
        }
        const std::string_view list = menu.rows[i].list;
        if (menu.rows[i].line) ImGui::Separator();
        if (list.empty()) {
            drawAction(p, menu.rows[i++], name);
            continue;
        }
        const bool open = p.widgets.beginMenu(name + "/" + std::string(list), list);
        for (; i < menu.rows.size() && menu.rows[i].list == list; ++i)
            if (open) drawAction(p, menu.rows[i], name);
        if (open) p.widgets.endMenu();
    }
    walk(p, place);
    p.widgets.endMenu();
}

/// Half the gap between two titles: smaller for large letters in a narrow window, so that the last title stays visible.
float titleGap(float width, float depths, float scale) {
    width -= 2 * kBarPadding * scale;
    for (const Menu& menu : menus()) width -= ImGui::CalcTextSize(menu.name.data(), menu.name.data() + menu.name.size()).x;
    const float free = (width > depths ? width - depths : width) / (2 * static_cast<float>(menus().size()));
    return std::floor(std::clamp(free, 1.0f, 2 * kBarPadding * scale));
}

float depthWidth(float scale) { return ImGui::CalcTextSize("Measure").x + 18 * scale; }

constexpr Control kDepthButtons[] = {{"depth/watch", "Watch", "The picture, its scene and the play bar"},
                                     {"depth/teach", "Teach", "Lessons, and the error of the energy in words"},
                                     {"depth/measure", "Measure", "Every setting, every curve, and the rate"}};

}  // namespace

void drawDepths(PanelContext& p) {
    const float s = p.widgets.scale(), width = depthWidth(s);
    const float left = p.surface.x - 3 * width - (kMargin + 4) * s;
    if (ImGui::GetCursorPosX() > left) return;  // the menu Window has them, too
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, s));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(2 * s, 0));
    for (int i = 0; i < 3; ++i) {
        ImGui::SetCursorPos(
            ImVec2(left + static_cast<float>(i) * (width + 2 * s), std::floor(0.5f * (p.top - ImGui::GetFrameHeight()))));
        if (p.widgets.litButton(kDepthButtons[i], width, static_cast<int>(p.state.depth) == i))
            set(p, "window.depth", parameter("window.depth").choices()[static_cast<std::size_t>(i)]);
    }
    ImGui::PopStyleVar(2);
}

float menuHeight(const UiState& state, float scale) {
    return state.inWindow && state.visible ? std::floor(kMenuHeight * scale) : 0;
}

void drawMenuBar(PanelContext& p) {
    if (p.top == 0) return;
    const float s = p.widgets.scale();
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                        ImVec2(kBarPadding * s, std::floor(0.5f * (p.top - ImGui::GetFontSize()))));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing,
                        ImVec2(titleGap(p.surface.x, 3 * depthWidth(s) + 30 * s, s), 2 * kItemGap * s));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(kBarPadding * s, 1.5f * kItemGap * s));
    if (ImGui::BeginMainMenuBar()) {
        p.widgets.panel("menu");
        const bool open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
        if (p.menu.toggled && !open) {
            p.menu.toggled = false;
            ImGui::OpenPopup(std::string(menus()[p.menu.wanted % menus().size()].name).c_str());
            p.menu.wanted = 0;
        }
        for (std::size_t i = 0; i < menus().size(); ++i) drawMenu(p, i);
        drawDepths(p);
        ImGui::EndMainMenuBar();
    }
    ImGui::PopStyleVar(4);
}

}  // namespace gravlab
