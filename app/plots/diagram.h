// Drawings that explain and measure nothing: in steps of lessons, in worksheets and in docs/pictures.
#pragma once
#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

namespace gravlab {

class DiagramPen;

/// A row of the table of drawings.
struct Diagram {
    std::string_view name;  ///< stable key: `picture` of a lesson's step
    std::string_view idea;  ///< what it shows, for readers who do not see it
    float lines;            ///< height in lines of text
    void (*draw)(DiagramPen& pen);
};
std::span<const Diagram> diagrams();
/// The drawing of that name. Throws UsageError naming the valid ones.
const Diagram& diagram(std::string_view name);

/// Draws it from the upper left corner with ImGui's current font, `width` pixels wide, which should be 20 lines or more.
/// Returns its height. `light`: on white. `line`: height of a line of text [px]; 0: that of the font.
float drawDiagram(ImDrawList& ink, const Diagram& which, ImVec2 from, float width, bool light, float line = 0);
/// The same on white as the bytes of a PNG.
std::string diagramPng(const Diagram& which);

}  // namespace gravlab
