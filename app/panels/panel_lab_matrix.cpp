// The live matrix of pair forces, with the pair under the pointer.
#include "app/format.h"
#include "app/panels/panel_lab.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace gravlab {
namespace {

constexpr Control kMap{"lab_map", "Pairs",
                       "Row i, column j: the strength of the force between bodies i and j on a logarithmic "
                       "scale. A one-sided kernel computes every cell, a symmetric one half of them"};
constexpr Control kScale{"lab_scale", "Scale", "Force, from the strongest pair downwards"};

}  // namespace

void drawLabMatrix(PanelContext& p) {
    const PairMatrix& matrix = p.workspace.lab.matrix;  // resting the pointer on a cell asks for its pair
    const float s = p.widgets.scale();
    ImGui::PushFont(p.widgets.fonts().small);
    if (matrix.cells() == 0 || matrix.texture() == 0) {
        char text[160];
        std::snprintf(text, sizeof text, "The matrix is shown for at most %s bodies; there are %s.",
                      grouped(PairMatrix::kMostBodies).text, grouped(p.facts.configuration.bodies).text);
        p.widgets.wrapped(palette::kMuted, p.facts.configuration.bodies > PairMatrix::kMostBodies
                                               ? text
                                               : "The matrix comes with the next step.");
        ImGui::PopFont();
        return;
    }
    char text[400];
    const auto n = static_cast<std::uint64_t>(matrix.bodies());
    std::snprintf(text, sizeof text, "%s x %s pairs%s. %s.", grouped(n).text, grouped(n).text,
                  matrix.stride() > 1 ? "; a cell is the strongest of a block of neighbours" : "", matrix.path().c_str());
    p.widgets.wrapped(palette::kMuted, text);

    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float line = ImGui::GetTextLineHeight(), bar = 120 * s;
    const float side = std::max(40.f, std::min(room.y - 1.6f * line, room.x - bar));
    const ImVec2 from = ImGui::GetCursorScreenPos();
    // A pointer in some versions of ImGui and a number in others: only this cast serves both.
    ImGui::Image((ImTextureID) static_cast<std::uintptr_t>(matrix.texture()), ImVec2(side, side));
    const bool hovered = ImGui::IsItemHovered();
    p.widgets.finish(kMap);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto cell = hovered ? matrix.at((mouse.x - from.x) / side, (mouse.y - from.y) / side) : std::nullopt;

    // The scale beside it: a strip of the colours with a number a decade.
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 strip(from.x + side + 14 * s, from.y);
    constexpr int kSteps = 70;
    for (int k = 0; k < kSteps; ++k) {
        const float y = strip.y + side * static_cast<float>(k) / kSteps;
        list.AddRectFilled(ImVec2(strip.x, y), ImVec2(strip.x + 14 * s, y + side / kSteps + 1),
                           matrixColour(PairMatrix::kDecades * static_cast<float>(k) / kSteps));
    }
    for (int decade = 0; decade < static_cast<int>(PairMatrix::kDecades); decade += 2) {
        std::snprintf(text, sizeof text, "%.1e", static_cast<double>(matrix.strongest()) * std::pow(10.0, -decade));
        list.AddText(ImVec2(strip.x + 20 * s, strip.y + side * static_cast<float>(decade) / PairMatrix::kDecades),
                     palette::kMuted, text);
    }
    ImGui::SetCursorScreenPos(ImVec2(from.x, from.y + side + 0.3f * line));
    if (cell)
        std::snprintf(text, sizeof text, "|F(%s, %s)| = %.3e at distance %.4g", grouped(cell->i).text, grouped(cell->j).text,
                      cell->force, cell->distance);
    else
        std::snprintf(text, sizeof text,
                      hovered ? "Asking the GPU for this pair." : "Rest the pointer on a cell for its pair.");
    p.widgets.text(kScale, cell ? palette::kText : palette::kMuted, text);
    ImGui::PopFont();
}

}  // namespace gravlab
