// What drawings of lessons are made with, and those about GPUs, for the table in diagram.cpp.
#pragma once
#include "app/plots/plot.h"

#include <imgui.h>

#include <algorithm>
#include <limits>
#include <string>

namespace gravlab {

/// Coordinates are fractions of the width across, and lines of text down.
class DiagramPen {
public:
    /// `line`: height of a line of text [px].
    DiagramPen(ImDrawList& ink, ImVec2 from, float width, bool light, float line)
        : ink_(ink), from_(from), width_(width), line_(line), light_(light) {}
    ImU32 text() const { return light_ ? IM_COL32(20, 20, 20, 255) : IM_COL32(226, 230, 236, 255); }
    ImU32 quiet() const { return light_ ? IM_COL32(95, 95, 95, 255) : IM_COL32(150, 158, 170, 255); }
    /// A hue of the plots' palette; `strength` of 255.
    ImU32 hue(std::size_t index, unsigned strength = 255) const {
        const ImU32 colour = seriesColour(index, light_);
        return (colour & ~IM_COL32_A_MASK) | strength << IM_COL32_A_SHIFT;
    }
    void box(float x, float y, float right, float bottom, ImU32 fill, ImU32 edge) {
        ink_.AddRectFilled(at(x, y), at(right, bottom), fill, 0.2f * line_);
        ink_.AddRect(at(x, y), at(right, bottom), edge, 0, 0, 0.06f * line_);
    }
    /// A box of that hue with a text in it.
    void named(float x, float y, float right, float bottom, std::size_t index, const std::string& name) {
        box(x, y, right, bottom, hue(index, 70), hue(index));
        say(0.5f * (x + right), 0.5f * (y + bottom) - 0.5f, text(), name, 0.5f, right - x - 0.006f);
    }
    void line(float x, float y, float right, float bottom, ImU32 colour, float lines = 0.1f) {
        ink_.AddLine(at(x, y), at(right, bottom), colour, lines * line_);
    }
    /// `align`: 0 = it begins at x, 0.5 = its middle is there. Shrinks text wider than `most`, a part of the width.
    void say(float x, float y, ImU32 colour, const std::string& text, float align = 0, float most = 1) {
        ImFont* const font = ImGui::GetFont();
        const float full = font->CalcTextSizeA(line_, std::numeric_limits<float>::max(), 0, text.c_str()).x;
        const float scale = std::min(1.f, most * width_ / std::max(full, 1.f));
        const ImVec2 place = at(x, y);
        ink_.AddText(font, scale * line_, ImVec2(place.x - align * scale * full, place.y + 0.5f * (1 - scale) * line_),
                     colour, text.c_str());
    }

private:
    ImVec2 at(float x, float y) const { return {from_.x + x * width_, from_.y + y * line_}; }
    ImDrawList& ink_;
    ImVec2 from_;
    float width_, line_;
    bool light_;
};

void drawThreadPerPair(DiagramPen& pen);
void drawThreadPerBody(DiagramPen& pen);
void drawTileAndBarriers(DiagramPen& pen);
void drawMemoryLevels(DiagramPen& pen);
void drawBodiesPerThread(DiagramPen& pen);
void drawUnroll(DiagramPen& pen);
void drawBlocks(DiagramPen& pen);
void drawWaves(DiagramPen& pen);
void drawPairOnce(DiagramPen& pen);
void drawRace(DiagramPen& pen);
void drawHubWarp(DiagramPen& pen);

}  // namespace gravlab
