// Labels and arrows. Rule: velocity and force differ in colour and in letters; of overlapping labels the heavier body's
// stays.
#include "app/tables/format.h"
#include "app/ui/overlay_space.h"

#include <glm/geometric.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gravlab {
namespace {

struct ArrowInk {
    ImU32 velocity, force;
};
ArrowInk arrowInk(bool paper) {
    if (paper) return {IM_COL32(0, 110, 70, 255), IM_COL32(176, 40, 120, 255)};
    return {IM_COL32(80, 210, 150, 255), IM_COL32(226, 140, 190, 255)};
}

struct Box {
    ImVec2 from, to;
    bool touches(const Box& b) const { return from.x < b.to.x && b.from.x < to.x && from.y < b.to.y && b.from.y < to.y; }
};

constexpr std::size_t kMostLabels = 50;
constexpr float kLeastArrow = 14;  // pixels: a weaker force still shows its direction

/// The end of an arrow of that length [L]; at least kLeastArrow long if `least` says so.
std::optional<ImVec2> tipOf(const SpaceView& view, const glm::dvec3& place, const glm::dvec3& way, ImVec2 from,
                            float least) {
    const std::optional<ImVec2> tip = onSurface(view, glm::vec3(place + way));
    if (!tip) return std::nullopt;
    const float x = tip->x - from.x, y = tip->y - from.y, length = std::hypot(x, y);
    // An arrow towards the viewer must stay short.
    if (length >= least || length < 0.5f) return tip;
    return ImVec2(from.x + x * least / length, from.y + y * least / length);
}

std::string measureText(const char* symbol, double value, std::string_view unit, std::string_view own) {
    return formatted("%s %.4g %s", symbol, value, std::string(unit.empty() ? own : unit).c_str());
}

}  // namespace

std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelWish>& wishes, ImVec2 from, ImVec2 to, float apart) {
    std::vector<std::size_t> order(wishes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wishes[a].weight > wishes[b].weight; });
    std::vector<Box> taken;
    for (const LabelWish& wish : wishes) {
        const float r = std::max(0.5f * apart, wish.disc);
        taken.push_back({{wish.at.x - r, wish.at.y - r}, {wish.at.x + r, wish.at.y + r}});
    }
    std::vector<std::optional<ImVec2>> places(wishes.size());
    for (const std::size_t i : order) {
        const LabelWish& wish = wishes[i];
        const float gap = std::max(apart, wish.disc + 0.5f * apart);
        if (wish.at.x < from.x || wish.at.y < from.y || wish.at.x > to.x || wish.at.y > to.y) continue;
        const ImVec2 size = wish.size;
        ImVec2 ways[] = {{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
        std::ranges::stable_partition(ways, [trail = wish.trail](const ImVec2& way) {
            return trail.x * way.x + trail.y * way.y <= 0.3f * std::hypot(trail.x, trail.y) * std::hypot(way.x, way.y);
        });
        for (const ImVec2& way : ways) {
            const float far = way.x != 0 && way.y != 0 ? 0.7f * gap : gap;
            const ImVec2 at(wish.at.x + way.x * far + 0.5f * (way.x - 1) * size.x,
                            wish.at.y + way.y * far + 0.5f * (way.y - 1) * size.y);
            const Box box{at, {at.x + size.x, at.y + size.y}};
            const bool inside = box.from.x >= from.x && box.from.y >= from.y && box.to.x <= to.x && box.to.y <= to.y;
            if (!inside || std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return other.touches(box); }))
                continue;
            const float by = 0.5f * apart;  // space between words
            taken.push_back({{at.x - by, at.y - by}, {at.x + size.x + by, at.y + size.y + by}});
            places[i] = at;
            break;
        }
    }
    return places;
}

void drawLabels(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list, ImU32 ink) {
    const RunFacts& facts = document.facts;
    const float s = area.scale;
    std::vector<LabelWish> wishes;
    std::vector<std::string> texts;
    std::vector<const BodyMark*> named;
    for (const BodyMark& mark : facts.marks)
        if (!facts.names->nameOf(mark.id).empty()) named.push_back(&mark);
    const auto massOf = [&](const BodyMark* mark) {
        return mark->index < facts.bodies->size() ? static_cast<double>(facts.bodies->mass[mark->index]) : 0;
    };
    std::stable_sort(named.begin(), named.end(), [&](auto* a, auto* b) { return massOf(a) > massOf(b); });
    if (named.size() > kMostLabels) named.resize(kMostLabels);
    const glm::dvec3 eye(view.camera.eye());
    for (const BodyMark* mark : named) {
        const std::optional<ImVec2> at = onSurface(view, glm::vec3(mark->place));
        if (!at) continue;
        texts.emplace_back(facts.names->nameOf(mark->id));
        const double distance = std::max(glm::length(mark->place - eye), 1e-300);
        // The selected body's label has priority.
        const bool selected = document.selected && document.selected->id == mark->id;
        // After mergers a mark has the place of another body.
        const auto& ids = facts.bodies->id;
        const bool here = mark->index < ids.size() && ids[mark->index] == mark->id;
        const auto index = here ? mark->index : static_cast<std::size_t>(std::ranges::find(ids, mark->id) - ids.begin());
        const double radius = index < facts.bodies->radius.size() ? facts.bodies->radius[index] : 0;
        const double pixel = view.camera.lengthPerPixel({view.size.x, view.size.y}) * distance / view.camera.distance;
        const double back = 10 * pixel / std::max(glm::length(mark->velocity), 1e-300);
        const auto behind = onSurface(view, glm::vec3(mark->place - back * mark->velocity));
        wishes.push_back(
            {.at = *at,
             .size = ImGui::CalcTextSize(texts.back().c_str()),
             .weight = selected ? 1e300 : massOf(mark) / distance,
             .disc = static_cast<float>(radius / pixel),
             .trail = document.look.trails > 0 && behind ? ImVec2(behind->x - at->x, behind->y - at->y) : ImVec2()});
    }
    const ImVec2 from(std::max(view.from.x, area.from.x), std::max(view.from.y, area.from.y));
    const ImVec2 to(std::min(view.from.x + view.size.x, area.to.x), std::min(view.from.y + view.size.y, area.to.y));
    const auto places = placeLabels(wishes, from, to, 12 * s);
    for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i]) drawShaded(list, *places[i], texts[i], ink, document.look.paper, s);
}

void drawArrowLine(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float scale) {
    const float x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
    if (!(length > 1)) return;
    const float ux = x / length, uy = y / length, head = std::min(9 * scale, length);
    const ImVec2 base(to.x - head * ux, to.y - head * uy);
    list.AddLine(from, base, colour, 2 * scale);
    list.AddTriangleFilled(to, {base.x - 0.42f * head * uy, base.y + 0.42f * head * ux},
                           {base.x + 0.42f * head * uy, base.y - 0.42f * head * ux}, colour);
}

void drawArrows(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list) {
    const OverlayChoice& wanted = document.overlay;
    if (!wanted.velocities && !wanted.forces && !document.aim.dragging()) return;
    const ArrowScale scale = document.arrowScale();
    const ArrowInk ink = arrowInk(document.look.paper);
    const SceneUnits& units = document.facts.scene->units;
    const float s = area.scale;
    const bool all = document.facts.bodies->size() <= Document::kFewBodies;
    for (const BodyMark& each : document.facts.marks) {
        const bool selected = document.selected && document.selected->id == each.id;
        if (!all && !selected) continue;
        const BodyMark mark = selected ? document.selectedArrow().value_or(each) : each;
        const std::optional<ImVec2> from = onSurface(view, glm::vec3(mark.place));
        if (!from) continue;
        if (wanted.forces && !(selected && document.aim.dragging()))
            if (const auto tip = tipOf(view, mark.place, scale.force * mark.acceleration, *from, kLeastArrow * s)) {
                drawArrowLine(list, *from, *tip, ink.force, s);
                const double value = glm::length(mark.acceleration) * units.speedScale / units.timeScale;
                const std::string unit = units.speed.empty() ? "" : std::string(units.speed) + "/" + std::string(units.time);
                if (selected && value > 0) {
                    const std::string text =
                        measureText("a", units.speed.empty() ? glm::length(mark.acceleration) : value, unit, "L/T^2");
                    // Place the text beyond the tip, away from the body's name and the arrow.
                    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
                    const bool left = tip->x < from->x;
                    const ImVec2 at(left ? tip->x - size.x - 8 * s : tip->x + 8 * s,
                                    tip->y < from->y ? tip->y - size.y - 6 * s : tip->y + 6 * s);
                    drawShaded(list, at, text, ink.force, document.look.paper, s);
                }
            }
        if (!wanted.velocities && !(selected && document.aim.dragging())) continue;
        const auto tip = tipOf(view, mark.place, scale.velocity * mark.velocity, *from, 0);
        if (!tip) continue;
        drawArrowLine(list, *from, *tip, ink.velocity, s);
        if (!selected) continue;
        // A handle shows that the user can drag this tip.
        list.AddCircle(*tip, 7 * s, ink.velocity, 20, 1.6f * s);
        drawShaded(list, {tip->x + 11 * s, tip->y - 0.5f * ImGui::GetTextLineHeight()},
                   measureText("v", glm::length(mark.velocity) * units.speedScale, units.speed, "L/T"), ink.velocity,
                   document.look.paper, s);
    }
}

}  // namespace gravlab
