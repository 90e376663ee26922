// Draws cells of a tree. Rule: each use of cells has a colour and a line of text; more boxes are fainter.
#include "app/ui/overlay_space.h"

#include "app/tables/format.h"

#include <glm/ext/vector_double3.hpp>
#include <glm/vec3.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace gravlab {
namespace {

struct UseRow {
    CellUse use;
    ImU32 dark, light;  ///< on a black and a white page; distinct with any common colour blindness
};
// In the order of drawing: near cells last.
constexpr UseRow kUses[] = {{CellUse::none, IM_COL32(86, 180, 233, 0), IM_COL32(0, 90, 160, 0)},
                            {CellUse::expanded, IM_COL32(0, 190, 140, 0), IM_COL32(0, 120, 85, 0)},
                            {CellUse::cell, IM_COL32(86, 180, 233, 0), IM_COL32(0, 90, 160, 0)},
                            {CellUse::bodies, IM_COL32(240, 165, 30, 0), IM_COL32(190, 95, 0, 0)}};

ImU32 inkOfUse(CellUse use, bool paper, float alpha) {
    const UseRow& row = *std::ranges::find(kUses, use, &UseRow::use);
    return (paper ? row.light : row.dark) | static_cast<ImU32>(std::lround(255 * alpha)) << IM_COL32_A_SHIFT;
}

/// The opacity of one box among `boxes`.
float lightOf(std::size_t boxes) {
    // Neighbouring boxes have common edges.
    return std::clamp(0.75f - 0.2f * std::log10(static_cast<float>(std::max<std::size_t>(boxes, 1))), 0.1f, 0.8f);
}

constexpr std::array<std::array<std::size_t, 2>, 12> kEdges{
    {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}};

void drawBox(ImDrawList& list, const SpaceView& view, const CellBox& box, ImU32 colour, float width) {
    std::array<glm::vec3, 8> corners;
    std::array<ImVec2, 8> on;
    bool inFront = true;
    ImVec2 least(1e30f, 1e30f), most(-1e30f, -1e30f);
    for (std::size_t k = 0; k < corners.size(); ++k) {
        corners[k] = glm::vec3(glm::dvec3((k & 1) != 0 ? box.high.x : box.low.x, (k & 2) != 0 ? box.high.y : box.low.y,
                                          (k & 4) != 0 ? box.high.z : box.low.z));
        const std::optional<ImVec2> at = onSurface(view, corners[k]);
        inFront = inFront && at;
        if (!at) continue;
        on[k] = *at;
        least = ImVec2(std::min(least.x, at->x), std::min(least.y, at->y));
        most = ImVec2(std::max(most.x, at->x), std::max(most.y, at->y));
    }
    if (!inFront) {
        for (const auto& [a, b] : kEdges) drawSegment(list, view, corners[a], corners[b], colour, width);
        return;
    }
    const ImVec2 end(view.from.x + view.size.x, view.from.y + view.size.y);
    if (most.x < view.from.x || most.y < view.from.y || least.x > end.x || least.y > end.y) return;
    constexpr float kPoint = 2;  // pixels: twelve lines of a smaller box would be one spot
    if (most.x - least.x < kPoint && most.y - least.y < kPoint) {
        list.AddRectFilled(least, ImVec2(least.x + kPoint, least.y + kPoint), colour);
        return;
    }
    for (const auto& [a, b] : kEdges) list.AddLine(on[a], on[b], colour, width);
}

struct LegendLine {
    std::string text;
    CellUse use = CellUse::none;
    bool marked = false;  ///< has a mark in the colour of the use
};

std::string cellCount(std::size_t number) { return std::string(grouped(number)) + (number == 1 ? " cell" : " cells"); }

std::vector<LegendLine> linesOf(const Document& document) {
    const TreeWish& wish = document.tree;
    const std::size_t bodies = document.facts.bodies->size();
    if (wish.boxes == TreeBoxes::none) return {};
    if (bodies > kMostTreeBodies)
        return {{formatted("Cells are shown for up to %s bodies; these are %s.", grouped(kMostTreeBodies).text,
                           grouped(bodies).text)}};
    if (wish.boxes == TreeBoxes::acting && !document.selected) return {{"Click a body to see the cells that act on it."}};
    const std::shared_ptr<const KnownTree>& known = document.facts.tree;
    if (!known || known->wish != wish) return {{"The tree is being built ..."}};
    const TreeCells& cells = known->cells;
    if (wish.boxes == TreeBoxes::level) {
        if (wish.level >= cells.levels)
            return {{formatted("Level %d: no cells. The tree has levels 0 to %d.", wish.level, cells.levels - 1)}};
        std::string text = formatted("Level %d of 0 to %d: ", wish.level, cells.levels - 1) + cellCount(cells.cells);
        if (cells.boxes.empty())
            text += formatted(", more than the %s that are drawn; level %zu has fewer", grouped(kMostCellBoxes).text,
                              cells.deepest);
        return {{text, CellUse::none, !cells.boxes.empty()}};
    }
    std::vector<LegendLine> lines;
    const std::size_t others = cells.group.empty() ? 0 : cells.group.size() - 1;
    lines.push_back({formatted("Forces on body %u", known->body) +
                     (others > 0 ? formatted(" and on %zu beside it, together", others) : std::string())});
    lines.push_back({std::string(grouped(cells.single)) + (cells.single == 1 ? " body, of " : " bodies one by one, of ") +
                         cellCount(cells.singleCells),
                     CellUse::bodies, true});
    lines.push_back({cellCount(cells.alone) + " one by one", CellUse::cell, true});
    if (cells.expanded > 0)
        lines.push_back({cellCount(cells.expanded) + " in one expansion for all of them", CellUse::expanded, true});
    lines.push_back({"instead of " + std::string(grouped(bodies)) + " bodies"});
    if (cells.boxes.empty() && cells.cells > 0) lines.push_back({"too many to be drawn"});
    return lines;
}

}  // namespace

void drawTreeCells(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list) {
    const std::shared_ptr<const KnownTree>& known = document.facts.tree;
    if (document.tree.boxes == TreeBoxes::none || !known || known->wish != document.tree) return;
    const TreeCells& cells = known->cells;
    const bool paper = document.look.paper;
    list.PushClipRect(area.from, area.to, true);
    for (const UseRow& row : kUses) {
        const auto drawn = static_cast<std::size_t>(std::ranges::count(cells.boxes, row.use, &CellBox::use));
        const ImU32 ink = inkOfUse(row.use, paper, lightOf(drawn));
        for (const CellBox& box : cells.boxes)
            if (box.use == row.use) drawBox(list, view, box, ink, area.scale);
    }
    list.PopClipRect();
}

std::vector<std::string> treeLegend(const Document& document) {
    std::vector<std::string> texts;
    for (LegendLine& line : linesOf(document)) texts.push_back(std::move(line.text));
    return texts;
}

void drawTreeLegend(const Document& document, const OverlayArea& area, float above, ImDrawList& list, ImU32 ink) {
    const std::vector<LegendLine> lines = linesOf(document);
    if (lines.empty()) return;
    const float s = area.scale, step = ImGui::GetTextLineHeight() + 3 * s, mark = 9 * s, indent = mark + 7 * s;
    const bool paper = document.look.paper;
    float width = 0;
    for (const LegendLine& line : lines)
        width = std::max(width, ImGui::CalcTextSize(line.text.c_str()).x + (line.marked ? indent : 0));
    const ImVec2 at(area.from.x + 16 * s, area.to.y - above - step * static_cast<float>(lines.size()));
    // Shade the background, so that text stays readable over bodies.
    list.AddRectFilled(ImVec2(at.x - 8 * s, at.y - 6 * s),
                       ImVec2(at.x + width + 8 * s, at.y + step * static_cast<float>(lines.size()) + 3 * s),
                       paper ? IM_COL32(255, 255, 255, 200) : IM_COL32(0, 0, 0, 170), 4 * s);
    float y = at.y;
    for (const LegendLine& line : lines) {
        if (line.marked) {
            const float top = y + 0.5f * (ImGui::GetTextLineHeight() - mark);
            list.AddRect(ImVec2(at.x, top), ImVec2(at.x + mark, top + mark), inkOfUse(line.use, paper, 1), 0, 0, 1.8f * s);
        }
        list.AddText(ImVec2(at.x + (line.marked ? indent : 0), y), ink, line.text.c_str());
        y += step;
    }
}

}  // namespace gravlab
