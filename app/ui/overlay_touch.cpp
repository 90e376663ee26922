// Marks of single bodies. Rule: colours that differ with any common colour blindness, and shapes as well: a ring for
// selected, a diamond for held.
#include "app/ui/overlay_space.h"

#include "app/services/trajectory_prediction.h"
#include "app/tables/drop.h"
#include "app/tables/format.h"
#include "app/ui/widgets.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>

namespace gravlab {
namespace {

constexpr ImU32 kSelected = IM_COL32(106, 176, 243, 255), kHeld = IM_COL32(240, 178, 70, 255);
constexpr ImU32 kArrow = IM_COL32(240, 178, 70, 255);

void drawHeld(const Document& document, const SpaceView& view, const OverlayArea& area, ImDrawList& list) {
    const float r = 7 * area.scale;
    for (const HeldBody& body : document.facts.held) {
        const std::optional<ImVec2> at = onSurface(view, glm::vec3(body.at(document.facts.time)));
        if (!at) continue;
        const ImVec2 corners[] = {{at->x, at->y - r}, {at->x + r, at->y}, {at->x, at->y + r}, {at->x - r, at->y}};
        list.AddPolyline(corners, 4, kHeld, ImDrawFlags_Closed, 1.6f * area.scale);
    }
}

/// Writes lines of at most 300 pixels as close to `at` as picture and panels allow, on a shade that keeps them readable over
/// bodies.
void write(ImDrawList& list, ImVec2 at, const SpaceView& view, const OverlayArea& area, bool paper, const std::string& text,
           ImU32 colour) {
    const float s = area.scale, gap = 4 * s;
    const ImVec2 from(std::max(view.from.x, area.from.x) + gap, std::max(view.from.y, area.from.y) + gap);
    const ImVec2 to(std::min(view.from.x + view.size.x, area.to.x) - gap,
                    std::min(view.from.y + view.size.y, area.to.y) - gap);
    const float wrap = std::clamp(to.x - from.x, 80 * s, 300 * s);
    const std::string lines = linesWithin(text, wrap);
    const ImVec2 size = ImGui::CalcTextSize(lines.c_str());
    if (at.x + size.x > to.x) at.y -= size.y;  // above the marked body
    at.x = std::clamp(at.x, from.x, std::max(to.x - size.x, from.x));
    at.y = std::clamp(at.y, from.y, std::max(to.y - size.y, from.y));
    list.AddRectFilled({at.x - gap, at.y - 0.5f * gap}, {at.x + size.x + gap, at.y + size.y + 0.5f * gap},
                       paper ? IM_COL32(255, 255, 255, 190) : IM_COL32(0, 0, 0, 170), gap);
    list.AddText(at, colour, lines.c_str());
}

/// Draws the predicted path, fading with time, without the past of the run's clock.
void drawTrajectory(const Document& document, const Trajectory& path, const SpaceView& view, const OverlayArea& area,
                    ImDrawList& list, ImU32 colour, const char* note = "") {
    if (path.points.size() < 2) return;
    const double now = document.facts.time, whole = path.until - now;
    const TrajectoryPoint* before = nullptr;
    std::optional<ImVec2> end;
    const auto place = [](const TrajectoryPoint& p) {
        return glm::vec3(static_cast<float>(p.place.x), static_cast<float>(p.place.y), static_cast<float>(p.place.z));
    };
    for (const TrajectoryPoint& point : path.points) {
        const double share = whole != 0 ? (point.time - now) / whole : 1;
        if (before && share > 0) {
            const auto alpha = static_cast<ImU32>(std::clamp(235 - 190 * share, 45.0, 235.0));
            const ImU32 faded = (colour & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT;
            drawSegment(list, view, place(*before), place(point), faded, 1.6f * area.scale);
        }
        before = &point;
    }
    end = onSurface(view, place(path.points.back()));
    if (!end) return;
    list.AddCircleFilled(*end, 2.5f * area.scale, colour);
    const std::string clock = clockText(path.points.back().time - now, document.facts.scene->units);
    write(list, {end->x + 10 * area.scale, end->y - ImGui::GetTextLineHeight()}, view, area, document.look.paper,
          (path.complete ? "in" : "computed to") + clock.substr(clock.find('=') + 1) + "\n" + trajectoryText(path) + note,
          colour);
}

void drawArrow(const Document& document, const SpaceView& view, const OverlayArea& area, ImDrawList& list) {
    const DropTool& tool = document.drop;
    const DropOrder& order = tool.pending();
    const std::optional<ImVec2> from = onSurface(view, glm::vec3(order.place)), to = onSurface(view, tool.arrowEnd());
    if (!from || !to) return;
    const float s = area.scale;
    const ImVec2 way(to->x - from->x, to->y - from->y);
    const float length = std::hypot(way.x, way.y);
    list.AddCircle(*from, 6 * s, kArrow, 24, 2 * s);
    if (length > 1) {
        const ImVec2 u(way.x / length, way.y / length);
        const float head = std::min(12 * s, length);
        const ImVec2 base(to->x - head * u.x, to->y - head * u.y);
        list.AddLine(*from, base, kArrow, 2.5f * s);
        list.AddTriangleFilled(*to, {base.x - 0.45f * head * u.y, base.y + 0.45f * head * u.x},
                               {base.x + 0.45f * head * u.y, base.y - 0.45f * head * u.x}, kArrow);
    }
    const SceneUnits& units = document.facts.scene->units;
    const double speed = glm::length(order.velocity) * units.speedScale;
    const std::string text =
        formatted("%s  %.4g %s", std::string(dropRows()[static_cast<std::size_t>(order.row)].label).c_str(), speed,
                  units.speed.empty() ? "L/T" : std::string(units.speed).c_str());
    write(list, {to->x + 12 * s, to->y + 4 * s}, view, area, document.look.paper, text.c_str(), kArrow);
}

/// The spring by which the selected body is pulled.
void drawPull(const Document& document, const SpaceView& view, const OverlayArea& area, ImDrawList& list) {
    const BodyPull& pull = document.pull;
    const glm::vec3 end(pull.place());
    const std::optional<ImVec2> at = onSurface(view, end);
    if (at) list.AddCircleFilled(*at, 3.5f * area.scale, kArrow);
    if (document.selected && document.selected->placed && document.selected->id == pull.body())
        drawSegment(list, view, document.selected->position, end, kArrow, 2 * area.scale);
}

}  // namespace

bool touchDraws(const Document& document) {
    return document.selected || !document.facts.held.empty() || document.drop.dragging() || document.aim.dragging() ||
           document.pull.on();
}

void drawTouch(const Document& document, const OverlayPaths& paths, const OverlayArea& area, const SpaceView& view,
               ImDrawList& list) {
    drawHeld(document, view, area, list);
    if (document.drop.dragging()) {
        drawTrajectory(document, paths.dropped, view, area, list, kArrow,
                       document.drop.pending().bodies > 1 ? "; the galaxy as one body" : "");
        drawArrow(document, view, area, list);
    }
    drawTrajectory(document, paths.selected, view, area, list, kSelected);
    if (document.pull.on()) drawPull(document, view, area, list);
    if (!document.selected || !document.selected->placed) return;
    const std::optional<ImVec2> at = onSurface(view, document.selected->position);
    if (!at) return;
    list.AddCircle(*at, 11 * area.scale, kSelected, 32, 1.6f * area.scale);
    if (const std::string& failure = paths.selected.failure; !failure.empty())
        write(list, {at->x + 16 * area.scale, at->y}, view, area, document.look.paper, "no path ahead: " + failure,
              kSelected);
}

}  // namespace gravlab
