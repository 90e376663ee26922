// Draws lines and texts with ImGui's background list; points of space use the camera of the bodies.
#include "app/ui/overlay.h"

#include "app/plots/canvas.h"
#include "app/plots/diagram.h"
#include "app/tables/colour_mode.h"
#include "app/ui/overlay_space.h"
#include "app/ui/widgets.h"
#include "render/colour_map.h"

#include <glm/gtc/matrix_transform.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace gravlab {
namespace {

struct Ink {
    ImU32 text, line, faint;
};
Ink inkOf(bool paper) {
    if (paper) return {IM_COL32(20, 24, 30, 255), IM_COL32(20, 24, 30, 220), IM_COL32(20, 24, 30, 60)};
    return {IM_COL32(222, 226, 232, 235), IM_COL32(222, 226, 232, 200), IM_COL32(160, 175, 200, 50)};
}

void drawScaleBar(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list,
                  const Ink& ink) {
    const auto pixel = static_cast<double>(view.camera.lengthPerPixel({view.size.x, view.size.y}));
    const RoundLength bar = roundLength(pixel * 160 * static_cast<double>(area.scale), document.facts.scene->units);
    const auto width = static_cast<float>(bar.length / pixel);
    const float s = area.scale, tick = 4 * s;
    const ImVec2 at(area.from.x + 16 * s, area.to.y - 16 * s);
    list.AddLine(at, ImVec2(at.x + width, at.y), ink.line, 1.5f * s);
    list.AddLine(ImVec2(at.x, at.y - tick), ImVec2(at.x, at.y + tick), ink.line, 1.5f * s);
    list.AddLine(ImVec2(at.x + width, at.y - tick), ImVec2(at.x + width, at.y + tick), ink.line, 1.5f * s);
    const ImVec2 size = ImGui::CalcTextSize(bar.text.c_str());
    drawShaded(list, ImVec2(at.x + 0.5f * (width - size.x), at.y - size.y - 5 * s), bar.text, ink.text, document.look.paper,
               s);
}

void drawClock(const Document& document, const OverlayArea& area, ImDrawList& list, const Ink& ink) {
    const std::string text = clockText(document.facts.time, document.facts.scene->units);
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    drawShaded(list, ImVec2(area.to.x - size.x - 16 * area.scale, area.to.y - size.y - 12 * area.scale), text, ink.text,
               document.look.paper, area.scale);
}

void drawLegend(const Document& document, const OverlayArea& area, ImDrawList& list, const Ink& ink) {
    const ColourMode& mode = document.shownMode();
    if (mode.label.empty()) return;
    const float s = area.scale, width = 220 * s, height = 9 * s, line = ImGui::GetTextLineHeight();
    const int map = mapOf(mode, document.look.colourMap);
    const auto maps = colourMaps();
    const auto colours = linearColours(map < 0 ? categoryMap() : maps[static_cast<std::size_t>(map) % maps.size()]);
    std::string title(mode.label);
    ShownUnit unit;
    if (mode.ofGroups) title += "s, grey: none";
    if (mode.unit) {
        unit = mode.unit(document.facts.scene->units);
        title += " [" + unit.name + "]";
    }
    const float left = std::clamp(0.5f * (area.from.x + area.to.x - width), area.from.x, area.to.x);
    const float top = area.to.y - height - line - 14 * s;
    // Bodies lie under the letters.
    list.AddRectFilled(ImVec2(left - 8 * s, top - line - 6 * s), ImVec2(left + width + 8 * s, top + height + line + 5 * s),
                       document.look.paper ? IM_COL32(255, 255, 255, 220) : IM_COL32(0, 0, 0, 140), 4 * s);
    constexpr int kStrips = 128;
    // Show only the categories that the scene has.
    const int used = map < 0 ? std::clamp(document.facts.galaxies, 1, static_cast<int>(kCategories)) : 0;
    const int shown = mode.ofGroups ? static_cast<int>(kGroupBands) : used;
    for (int i = 0; i < kStrips; ++i) {
        const std::size_t place =
            shown > 0 ? (static_cast<std::size_t>(i * shown / kStrips) * 2 + 1) * kColourMapSize / (2 * kCategories)
                      : static_cast<std::size_t>(i) * (kColourMapSize - 1) / (kStrips - 1);
        const glm::vec3 c = srgbFromLinear(document.look.paper ? onPaper(colours[place]) : colours[place]);
        const ImU32 colour = ImGui::ColorConvertFloat4ToU32(ImVec4(c.x, c.y, c.z, 1));
        list.AddRectFilled(ImVec2(left + width * static_cast<float>(i) / kStrips, top),
                           ImVec2(left + width * static_cast<float>(i + 1) / kStrips + 0.5f, top + height), colour);
    }
    list.AddRect(ImVec2(left, top), ImVec2(left + width, top + height), ink.faint);
    const ImVec2 titleSize = ImGui::CalcTextSize(title.c_str());
    const bool paper = document.look.paper;
    drawShaded(list, ImVec2(left + 0.5f * (width - titleSize.x), top - titleSize.y - 3 * s), title, ink.text, paper, s);
    if (!mode.unit) return;
    const ValueRange range = document.shownRange();
    const double middle = mode.logarithmic ? std::sqrt(range.low * range.high) : 0.5 * (range.low + range.high);
    const struct {
        double value;
        float place;
    } ticks[] = {{range.low, 0}, {middle, 0.5f}, {range.high, 1}};
    for (const auto& tick : ticks) {
        const std::string text = threeDigits(tick.value * unit.scale);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        drawShaded(list, ImVec2(left + width * tick.place - size.x * tick.place, top + height + 2 * s), text, ink.text,
                   paper, s);
    }
}

void drawSpace(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list, const Ink& ink) {
    const SceneUnits& units = document.facts.scene->units;
    const RoundLength step = roundLength(0.35 * static_cast<double>(view.camera.distance), units);
    const auto cell = static_cast<float>(step.length);
    constexpr int kCells = 6;
    const float reach = cell * kCells;
    if (document.overlay.grid)
        for (int i = -kCells; i <= kCells; ++i) {
            const float at = cell * static_cast<float>(i);
            drawSegment(list, view, {at, -reach, 0}, {at, reach, 0}, ink.faint, area.scale);
            drawSegment(list, view, {-reach, at, 0}, {reach, at, 0}, ink.faint, area.scale);
        }
    if (!document.overlay.axes || document.fourViewed()) return;  // four views have axes of their own
    const bool paper = document.look.paper;
    const struct {
        glm::vec3 way;
        ImU32 colour;
        const char* name;
    } axes[] = {{{1, 0, 0}, axisColour(0, paper), "x"},
                {{0, 1, 0}, axisColour(1, paper), "y"},
                {{0, 0, 1}, axisColour(2, paper), "z"}};
    for (const auto& axis : axes) {
        const glm::vec3 end = axis.way * cell;
        drawSegment(list, view, {0, 0, 0}, end, axis.colour, 1.5f * area.scale);
        if (const std::optional<ImVec2> at = onSurface(view, end)) {
            const std::string text = std::string(axis.name) + " " + step.text;
            drawShaded(list, ImVec2(at->x + 4 * area.scale, at->y - 6 * area.scale), text, axis.colour, paper, area.scale);
        }
    }
}

/// The drawing of a lesson's step in place of the picture. Returns whether there is one.
bool drawLessonPicture(const Document& document, const OverlayArea& area, ImDrawList& list) {
    const LessonStep* const step = document.lesson.now();
    if (!step || !step->drawsLarge()) return false;
    constexpr float kMargin = 24, kLarge = 2, kNarrow = 26, kWide = 36;  // [px], and widths in lines
    const Diagram& which = diagram(step->picture);
    const ImVec2 room(area.to.x - area.from.x - 2 * kMargin * area.scale,
                      area.to.y - area.from.y - 2 * kMargin * area.scale);
    const Letters letters(area.large);
    const float line = std::min({kLarge * area.font->FontSize, room.y / which.lines, room.x / kNarrow});
    if (line < 6 * area.scale) return false;  // the lab leaves no room
    const float width = std::min(room.x, kWide * line);
    const bool paper = document.look.paper;
    list.AddRectFilled(area.from, area.to, paper ? paper::kPaper : IM_COL32(10, 12, 16, 255));
    drawDiagram(list, which,
                ImVec2(0.5f * (area.from.x + area.to.x - width), 0.5f * (area.from.y + area.to.y - which.lines * line)),
                width, paper, line);
    return true;
}

}  // namespace

void drawOverlay(const Document& document, const OverlayPaths& paths, const OverlayArea& area,
                 std::span<const Viewport> viewports) {
    const OverlayChoice& wanted = document.overlay;
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const Letters letters(area.font);
    if (drawLessonPicture(document, area, list) || (!document.overlayDraws() && !touchDraws(document))) return;
    const Ink ink = inkOf(document.look.paper);
    const std::vector<SpaceView> views = spaceViews(viewports);
    const bool four = document.fourViewed();  // these have axes with numbers instead of a scale bar
    for (const SpaceView& view : views) {
        list.PushClipRect(view.from, ImVec2(view.from.x + view.size.x, view.from.y + view.size.y), true);
        if (wanted.axes || wanted.grid) drawSpace(document, area, view, list, ink);
        drawTreeCells(document, area, view, list);
        drawArrows(document, area, view, list);
        if (wanted.labels) drawLabels(document, area, view, list, ink.text);
        if (four || &view == &views.front()) drawTouch(document, paths, area, view, list);
        list.PopClipRect();
    }
    if (wanted.scaleBar && !four) drawScaleBar(document, area, views.front(), list, ink);
    if (document.tree.boxes != TreeBoxes::none) {
        const bool bar = wanted.scaleBar && !four;
        drawTreeLegend(document, area, bar ? 36 * area.scale + ImGui::GetTextLineHeight() : 16 * area.scale, list, ink.text);
    }
    if (wanted.clock && area.clock) drawClock(document, area, list, ink);
    if (wanted.legend) drawLegend(document, area, list, ink);
}

}  // namespace gravlab
