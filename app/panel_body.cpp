// The body that was clicked: what it is, what it does, and what can be done with it.
#include "app/format.h"
#include "app/panels.h"

#include <cmath>

namespace gravlab {
namespace {

constexpr Control kFollow{"follow", "Follow", "Keep this body in the middle. Key: F"};
constexpr Control kRemove{"remove", "Remove", "Take this body out; Ctrl Z brings it back. Key: Delete"};
constexpr Control kUnselect{"unselect", "Close", "Select nothing. Key: Esc, or a click on the empty sky"};

void row(PanelContext& p, const char* name, const std::string& value) {
    p.widgets.wrapped(palette::kMuted, name);
    ImGui::SameLine(86 * p.widgets.scale());
    ImGui::TextUnformatted(value.c_str());
}

std::string number(double value, std::string_view unit, std::string_view own) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4g ", value);
    return text + std::string(unit.empty() ? own : unit);
}

}  // namespace

void drawBodyPanel(PanelContext& p) {
    const std::optional<BodyReadout>& body = p.session.selected();
    if (!body) return;
    const float s = p.widgets.scale();
    ImGui::SetNextWindowPos(ImVec2(p.surface.x - kMargin * s, p.surface.y - (bottomHeight(p.state) + 44) * s),
                            ImGuiCond_Always, ImVec2(1, 1));
    ImGui::SetNextWindowSizeConstraints(ImVec2(kMeasureWidth * s, 0), ImVec2(kMeasureWidth * s, 0.6f * p.surface.y));
    constexpr auto kFlags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoTitleBar |
                            ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse |
                            ImGuiWindowFlags_NoFocusOnAppearing;
    if (ImGui::Begin("gravlab body", nullptr, kFlags)) {
        const ScenarioUnits& units = p.facts.scene->units;
        char title[64];
        std::snprintf(title, sizeof title, "Body %u", body->id);
        p.widgets.section(title);
        if (body->dark) row(p, "kind", "dark matter");
        if (p.session.galaxies() > 1) row(p, "origin", std::to_string(body->galaxy + 1));
        row(p, "mass", number(body->mass * units.massScale, units.mass, "M"));
        if (body->placed)
            row(p, "distance",
                number(static_cast<double>(std::hypot(body->position.x, body->position.y, body->position.z)) *
                           units.lengthScale,
                       units.length, "L"));
        if (body->speed) row(p, "speed", number(*body->speed * units.speedScale, units.speed, "L/T"));
        if (body->energy)
            row(p, "energy",
                number(*body->energy * units.speedScale * units.speedScale, units.speed.empty() ? "" : "(km/s)^2",
                       "L^2/T^2") +
                    (*body->energy < 0 ? ", bound" : ", escapes"));
        const float gap = ImGui::GetStyle().ItemSpacing.x, width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
        static constexpr Control kStay{"follow", "Let go", "No longer keep this body in the middle. Key: F"};
        if (p.widgets.button(p.session.follow ? kStay : kFollow, width)) p.session.follow = !p.session.follow;
        ImGui::SameLine();
        const bool remove = p.widgets.button(kRemove, width);
        ImGui::SameLine();
        if (p.widgets.button(kUnselect, width)) p.session.clearSelection();
        if (remove) p.session.intent.touch = Touch::remove;
    }
    ImGui::End();
}

}  // namespace gravlab
