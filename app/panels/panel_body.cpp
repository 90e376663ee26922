// The body that was clicked: what it is, what it does, and what can be done with it.
#include "app/format.h"
#include "app/model/launch.h"
#include "app/panels/panels.h"
#include "app/services/trajectory_prediction.h"
#include "sim/forces/law.h"

#include <cmath>

namespace gravlab {
namespace {

constexpr Control kFollow{"follow", "Follow", "Keep this body in the middle. Key: F"};
constexpr Control kRemove{"remove", "Remove", "Take this body out; Ctrl Z brings it back. Key: Delete"};
constexpr Control kHold{"hold", "Hold",
                        "Keep this body where it is: it feels no force and goes on pulling the others. Key: V"};
constexpr Control kFall{"hold", "Let fall",
                        "Let this body feel forces again, from rest; Ctrl Z gives back its speed. Key: V"};
constexpr Control kCoast{"coast", "Coast", "Let this body go straight on: it feels no force. Key: Ctrl V"};
constexpr Control kFree{"coast", "Let free", "Let this body feel forces again, from its present speed. Key: Ctrl V"};
constexpr Control kNear[] = {{"near_1", "", "The nearest body: select it"},
                             {"near_2", "", "The second nearest body: select it"},
                             {"near_3", "", "The third nearest body: select it"}};
constexpr Control kUnselect{"unselect", "Close", "Select nothing. Key: Esc, or a click on the empty sky"};

constexpr Control kAhead{
    "ahead", "Path ahead",
    "Draw where this body will go. Few bodies are copied and moved by the run's own integrator; of many, "
    "galaxies move as wholes and keep their shapes. Key: O"};
constexpr Control kHowFar{"how_far", "Ahead", "How far, in the scene's time; 0 is about a turn and a half"};
constexpr Control kWhat{"launch_what", "Drop", "What is dropped. Key: Ctrl I goes through the list"};
constexpr Control kMass{"launch_mass", "Mass", "Times its usual mass"};
constexpr Control kSize{"launch_size", "Size", "Times its usual size"};
constexpr Control kBodies{"launch_bodies", "Bodies", "Times its usual number of bodies"};
constexpr Control kStop{"launch_stop", "Done", "No longer drop bodies. Key: Esc"};

void row(PanelContext& p, const char* name, const std::string& value) {
    p.widgets.wrapped(palette::kMuted, name);
    ImGui::SameLine(86 * p.widgets.scale());
    ImGui::TextUnformatted(value.c_str());
}

std::string number(double value, std::string_view unit, std::string_view own) {
    return formatted("%.4g ", value) + std::string(unit.empty() ? own : unit);
}

/// The nearest bodies as buttons, so that one can go from body to body.
void drawNeighbours(PanelContext& p, const BodyReadout& body, const SceneUnits& units) {
    std::optional<std::size_t> chosen;
    for (std::size_t k = 0; k < std::size(kNear) && k < body.nearest.size(); ++k) {
        const BodyNeighbour& near = body.nearest[k];
        p.widgets.wrapped(palette::kMuted, k == 0 ? "nearest" : "");
        ImGui::SameLine(86 * p.widgets.scale());
        char name[32];
        std::snprintf(name, sizeof name, "%u##near%zu", near.id, k);
        if (p.widgets.button({kNear[k].name, name, kNear[k].tip}, 72 * p.widgets.scale())) chosen = near.index;
        ImGui::SameLine();
        ImGui::TextUnformatted(("at " + number(near.distance * units.lengthScale, units.length, "L")).c_str());
    }
    if (chosen) p.session.select(*chosen);
}

/// Chooses what the arrow drops.
void drawLaunch(PanelContext& p) {
    LaunchTool& tool = p.session.launch();
    if (!tool.on) return;
    const auto rows = launchRows();
    const LaunchScene scene = p.session.launchScene();
    const SceneUnits& units = p.facts.scene->units;
    p.widgets.section("Drop by an arrow");
    if (p.widgets.beginCombo(kWhat, rows[static_cast<std::size_t>(tool.row)].label)) {
        for (std::size_t k = 0; k < rows.size(); ++k) {
            LaunchTool other = tool;
            other.row = static_cast<int>(k);
            if (p.widgets.choice(rows[k].label, rows[k].idea, static_cast<int>(k) == tool.row, other.refusal(scene)))
                tool.row = static_cast<int>(k);
        }
        p.widgets.endCombo();
    }
    const DragRange factor{.least = 0.001, .most = 1000, .speed = 0.02, .format = "%.3g x"};
    p.widgets.drag(kMass, tool.massFactor, factor);
    if (rows[static_cast<std::size_t>(tool.row)].galaxy) {
        p.widgets.drag(kSize, tool.sizeFactor, factor);
        p.widgets.drag(kBodies, tool.bodiesFactor, factor);
    }
    const LaunchOrder order = tool.usual(scene);
    std::string facts = number(order.mass * units.massScale, units.mass, "M");
    if (order.bodies > 1)
        facts += ", " + std::string(grouped(order.bodies)) + " bodies, " +
                 number(order.size * units.lengthScale, units.length, "L");
    p.widgets.wrapped(palette::kMuted, facts.c_str());
    p.widgets.wrapped(palette::kMuted, "Press in the picture, drag the arrow, let go.");
    if (p.widgets.button(kStop, ImGui::GetContentRegionAvail().x)) tool.on = false;
}

void drawBody(PanelContext& p) {
    const std::optional<BodyReadout>& body = p.session.selected();
    if (!body) return;
    const SceneUnits& units = p.facts.scene->units;
    char title[64];
    std::snprintf(title, sizeof title, "Body %u", body->id);
    p.widgets.section(title);
    if (body->dark) row(p, "kind", "dark matter");
    if (p.session.galaxies() > 1) row(p, "origin", std::to_string(body->galaxy + 1));
    const std::string_view source = lawRow(p.facts.configuration.force.law).source;
    if (body->mass) row(p, "mass", number(*body->mass * units.massScale, units.mass, "M"));
    if (source != "mass") row(p, std::string(source).c_str(), formatted("%.4g", body->source));
    if (body->placed)
        row(p, "distance",
            number(static_cast<double>(std::hypot(body->position.x, body->position.y, body->position.z)) * units.lengthScale,
                   units.length, "L"));
    if (body->speed) row(p, "speed", number(*body->speed * units.speedScale, units.speed, "L/T"));
    if (body->energy)
        row(p, "energy",
            number(*body->energy * units.speedScale * units.speedScale, units.speed.empty() ? "" : "(km/s)^2", "L^2/T^2") +
                (body->bound ? ", bound" : ", escapes"));
    if (body->held) row(p, "held", body->coasting ? "goes straight on" : "at its place");
    const BodyReadout shown = *body;  // choosing a neighbour changes what is selected
    drawNeighbours(p, shown, units);
    if (!p.session.selected()) return;
    p.widgets.toggle(kAhead, p.session.orbit().wanted);
    if (p.session.orbit().wanted)
        p.widgets.drag(kHowFar, p.session.orbit().duration,
                       {.least = 0, .most = 1e9, .speed = 0.02, .floor = 0.1 * std::abs(p.facts.configuration.timeStep)});
    const float gap = ImGui::GetStyle().ItemSpacing.x, width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    static constexpr Control kStay{"follow", "Let go", "No longer keep this body in the middle. Key: F"};
    if (p.widgets.button(p.session.follow ? kStay : kFollow, width)) p.session.follow = !p.session.follow;
    ImGui::SameLine();
    const bool remove = p.widgets.button(kRemove, width);
    ImGui::SameLine();
    if (p.widgets.button(kUnselect, width)) p.session.clearSelection();
    const float half = (ImGui::GetContentRegionAvail().x - gap) / 2;
    if (p.widgets.button(shown.held && !shown.coasting ? kFall : kHold, half)) p.session.intent.touch = Touch::hold;
    ImGui::SameLine();
    if (p.widgets.button(shown.coasting ? kFree : kCoast, half)) p.session.intent.touch = Touch::coast;
    if (remove) p.session.intent.touch = Touch::remove;
}

}  // namespace

void drawBodyPanel(PanelContext& p) {
    p.state.bodyPanel = 0;
    if (!p.session.selected() && !p.session.launch().on) return;
    const float s = p.widgets.scale();
    ImGui::SetNextWindowPos(ImVec2(p.surface.x - kMargin * s, p.surface.y - (bottomHeight(p.state) + kBodyPanelGap) * s),
                            ImGuiCond_Always, ImVec2(1, 1));
    ImGui::SetNextWindowSizeConstraints(ImVec2(kMeasureWidth * s, 0), ImVec2(kMeasureWidth * s, 0.6f * p.surface.y));
    constexpr auto kFlags = kPanelWindow | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;
    if (ImGui::Begin("gravlab body", nullptr, kFlags)) {
        p.widgets.panel("body");
        drawLaunch(p);
        drawBody(p);
        p.state.bodyPanel = ImGui::GetWindowHeight();
    }
    ImGui::End();
}

}  // namespace gravlab
