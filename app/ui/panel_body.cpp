// The panel of the selected body: its facts, its motion, and the actions on it.
#include "app/services/trajectory_prediction.h"
#include "app/tables/drop.h"
#include "app/tables/format.h"
#include "app/ui/parameter_widgets.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gravlab {
namespace {

constexpr Control kNear[] = {{"near_1", "", "The nearest body: select it"},
                             {"near_2", "", "The second nearest body: select it"},
                             {"near_3", "", "The third nearest body: select it"}};
constexpr Control kFind{"find_body", "Find",
                        "The name or the number of a body; part of the name suffices. Enter selects it"};
constexpr Control kUnselect{"unselect", "Close", "Select nothing. Key: Esc, or a click on the empty sky"};
constexpr Control kMore{"body_more", "All numbers", "Mass, orbit, neighbours, and what can be done with this body"};
constexpr Control kStop{"launch_stop", "Done", "Stop adding bodies. Key: Esc"};

void row(PanelContext& p, const char* name, const std::string& value) {
    p.widgets.wrapped(palette::kMuted, name);
    ImGui::SameLine(86 * p.widgets.scale());
    ImGui::TextUnformatted(value.c_str());
}

std::string number(double value, std::string_view unit, std::string_view own) {
    return formatted("%.4g ", value) + std::string(unit.empty() ? own : unit);
}

/// The name of a body for people.
std::string nameText(const RunFacts& facts, std::uint32_t id) {
    const std::string_view name = facts.names->nameOf(id);
    return name.empty() ? "body " + std::to_string(id) : std::string(name);
}

/// The nearest bodies as buttons, for moving from body to body.
void drawNeighbours(PanelContext& p, const BodyReadout& body, const SceneUnits& units) {
    for (std::size_t k = 0; k < std::size(kNear) && k < body.nearest.size(); ++k) {
        const BodyNeighbour& near = body.nearest[k];
        p.widgets.wrapped(palette::kMuted, k == 0 ? "nearest" : "");
        ImGui::SameLine(86 * p.widgets.scale());
        const std::string_view called = p.facts.names->nameOf(near.id);
        const std::string name =
            (called.empty() ? std::to_string(near.id) : std::string(called)) + "##near" + std::to_string(k);
        if (p.widgets.button({kNear[k].name, name.c_str(), kNear[k].tip}, 72 * p.widgets.scale()))
            set(p, "view.selected", std::int64_t{near.id});
        ImGui::SameLine();
        ImGui::TextUnformatted(("at " + number(near.distance * units.lengthScale, units.length, "L")).c_str());
    }
}

/// Chooses the bodies that the arrow adds.
void drawArrowChoice(PanelContext& p) {
    const DropTool& tool = p.document.drop;
    if (!tool.on) return;
    const DropScene scene = p.document.dropScene();
    const SceneUnits& units = p.facts.scene->units;
    p.widgets.section("Drop by an arrow");
    parameter(p, "drop.kind", {.label = "Drop"});
    parameter(p, "drop.mass");
    if (dropRows()[static_cast<std::size_t>(tool.row)].galaxy) {
        parameter(p, "drop.size");
        parameter(p, "drop.bodies");
    }
    const DropOrder order = tool.usual(scene);
    std::string facts = number(order.mass * units.massScale, units.mass, "M");
    if (order.bodies > 1)
        facts += ", " + std::string(grouped(order.bodies)) + " bodies, " +
                 number(order.size * units.lengthScale, units.length, "L");
    p.widgets.wrapped(palette::kMuted, facts);
    p.widgets.wrapped(palette::kMuted, "Press in the picture, drag the arrow, release.");
    if (p.widgets.button(kStop, ImGui::GetContentRegionAvail().x)) set(p, "drop.on", false);
}

/// The motion of these two bodies if they were alone.
void drawOrbit(PanelContext& p, const BodyReadout& body, const SceneUnits& units) {
    if (!body.orbit) return;
    const Orbit& orbit = body.orbit->orbit;
    row(p, orbit.closed() ? "orbits" : "flies past", nameText(p.facts, body.orbit->around));
    row(p, "semi-axis", number(orbit.semiMajorAxis * units.lengthScale, units.length, "L"));
    row(p, "eccentricity", formatted("%.4f", orbit.eccentricity));
    row(p, "inclination", formatted("%.2f deg", orbit.inclination * 180 / std::numbers::pi));
    if (orbit.period) row(p, "period", number(*orbit.period * units.timeScale, units.time, "T"));
    row(p, "pericentre", number(orbit.pericentre * units.lengthScale, units.length, "L"));
}

std::string distanceOf(const BodyReadout& body, const SceneUnits& units) {
    const auto from = static_cast<double>(std::hypot(body.position.x, body.position.y, body.position.z));
    return number(from * units.lengthScale, units.length, "L");
}

void drawBody(PanelContext& p) {
    const std::optional<BodyReadout>& body = p.document.selected;
    if (!body) return;
    const SceneUnits& units = p.facts.scene->units;
    const std::string_view name = p.facts.names->nameOf(body->id), tag = p.facts.names->tagOf(body->id);
    if (p.plan.lesson) {  // the lesson needs the room
        std::string line = nameText(p.facts, body->id);
        if (body->placed) line += "   " + distanceOf(*body, units);
        if (body->speed) line += "   " + number(*body->speed * units.speedScale, units.speed, "L/T");
        p.widgets.wrapped(palette::kText, line);
        if (!p.widgets.fold(kMore, false)) return;
    } else {
        p.widgets.section((name.empty() ? "Body " + std::to_string(body->id) : std::string(name)).c_str());
    }
    std::string typed;
    p.widgets.label(kFind);
    if (p.widgets.field(kFind, -1, "", typed) && !typed.empty()) invoke(p, "select-body", {typed});
    if (!name.empty()) row(p, "number", std::to_string(body->id));
    if (!tag.empty()) row(p, "tag", std::string(tag));
    if (body->dark) row(p, "kind", "dark matter");
    if (p.facts.galaxies > 1) row(p, "origin", std::to_string(body->galaxy + 1));
    const std::string_view source = lawRow(p.facts.configuration.force.law).source;
    if (body->mass) row(p, "mass", number(*body->mass * units.massScale, units.mass, "M"));
    if (source != "mass") row(p, std::string(source).c_str(), formatted("%.4g", body->source));
    if (body->placed) row(p, "distance", distanceOf(*body, units));
    if (body->speed) row(p, "speed", number(*body->speed * units.speedScale, units.speed, "L/T"));
    if (body->energy)
        row(p, "energy",
            number(*body->energy * units.speedScale * units.speedScale, units.speed.empty() ? "" : "(km/s)^2", "L^2/T^2") +
                (body->bound ? ", bound" : ", escapes"));
    drawOrbit(p, *body, units);
    if (body->held) row(p, "held", body->coasting ? "moves straight" : "at its place");
    drawNeighbours(p, *body, units);
    parameter(p, "view.ahead");
    if (p.document.ahead.wanted) {
        DragSpec far = parameter("view.ahead_time").dragged;
        far.floor = 0.1 * std::abs(p.facts.configuration.timeStep);
        parameter(p, "view.ahead_time", {.label = "Ahead", .dragged = far});
    }
    const float gap = ImGui::GetStyle().ItemSpacing.x, width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    action(p, "follow", width, p.document.follow ? "Let go" : "Follow");
    ImGui::SameLine();
    action(p, "remove", width, "Remove");
    ImGui::SameLine();
    if (p.widgets.button(kUnselect, width)) set(p, "view.selected", std::string("none"));
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    action(p, "hold", half, body->held && !body->coasting ? "Let fall" : "Hold");
    ImGui::SameLine();
    action(p, "coast", half, body->coasting ? "Let free" : nullptr);
}

}  // namespace

void drawBodyPanel(PanelContext& p) {
    p.bodyPanel = 0;
    if (!p.document.selected && !p.document.drop.on) return;
    const float s = p.widgets.scale(), bottom = p.surface.y - (kBottomHeight + kBodyPanelGap) * s;
    // Beside a lesson it stands in the picture.
    const ImVec2 corner = p.plan.lesson ? ImVec2(p.plan.left + kMargin * s, bottom - p.plan.stripHeight)
                                        : ImVec2(p.surface.x - kMargin * s, bottom);
    const float free = p.surface.x - p.plan.left - p.plan.right - 2 * kMargin * s;
    placePanel(corner, ImVec2(p.plan.lesson ? 0 : 1, 1), std::min(kSideWidth * s, free),
               p.plan.measurements ? 0.6f * p.surface.y : bottom - p.top - kMargin * s);
    constexpr auto kFlags = kFittedPanel | ImGuiWindowFlags_NoFocusOnAppearing;
    if (const PanelWindow window(p, "body", kFlags); window) {
        drawArrowChoice(p);
        drawBody(p);
        p.bodyPanel = p.plan.lesson ? 0 : ImGui::GetWindowHeight();
    }
}

}  // namespace gravlab
