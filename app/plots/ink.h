// What plots and diagrams are drawn with: a draw list of ImGui, for the window and for PNG, or the text of an SVG or PDF
// file. Lengths are pixels from the upper left corner.
#pragma once
#include "app/system/picture.h"

#include <imgui.h>

#include <memory>
#include <string>
#include <string_view>

namespace gravlab {

class PlotInk {
public:
    virtual ~PlotInk() = default;
    virtual void line(ImVec2 from, ImVec2 to, ImU32 colour, float width = 1) = 0;
    /// A filled rectangle.
    virtual void box(ImVec2 from, ImVec2 to, ImU32 colour, float rounding = 0) = 0;
    virtual void frame(ImVec2 from, ImVec2 to, ImU32 colour, float width = 1) = 0;
    virtual void disc(ImVec2 centre, float radius, ImU32 colour) = 0;
    virtual void ring(ImVec2 centre, float radius, ImU32 colour, float width = 1) = 0;
    /// UTF-8 from its upper left corner; `size`: pixels of a line.
    virtual void text(ImFont* font, float size, ImVec2 at, ImU32 colour, const char* text) = 0;
    /// Limits drawing to a rectangle until unclip(), which restores the previous limit.
    virtual void clip(ImVec2 from, ImVec2 to) = 0;
    virtual void unclip() = 0;
};

/// Draws into a list of ImGui, which must outlive it.
class ListInk final : public PlotInk {
public:
    explicit ListInk(ImDrawList& list) : list_(list) {}
    void line(ImVec2 from, ImVec2 to, ImU32 colour, float width) override { list_.AddLine(from, to, colour, width); }
    void box(ImVec2 from, ImVec2 to, ImU32 colour, float rounding) override {
        list_.AddRectFilled(from, to, colour, rounding);
    }
    void frame(ImVec2 from, ImVec2 to, ImU32 colour, float width) override { list_.AddRect(from, to, colour, 0, 0, width); }
    void disc(ImVec2 centre, float radius, ImU32 colour) override { list_.AddCircleFilled(centre, radius, colour); }
    void ring(ImVec2 centre, float radius, ImU32 colour, float width) override {
        list_.AddCircle(centre, radius, colour, 0, width);
    }
    void text(ImFont* font, float size, ImVec2 at, ImU32 colour, const char* text) override {
        list_.AddText(font, size, at, colour, text);
    }
    void clip(ImVec2 from, ImVec2 to) override { list_.PushClipRect(from, to, true); }
    void unclip() override { list_.PopClipRect(); }

private:
    ImDrawList& list_;
};

/// Forms of a picture's file.
enum class PageFormat { png, svg, pdf };
/// By the ending of the file's name; `png` for every other one.
PageFormat pageFormat(std::string_view path);

/// An ink that writes text instead of pixels.
class VectorInk : public PlotInk {
public:
    /// The whole file with `texts` in its head. Ends the drawing: call it once.
    virtual std::string file(const PictureTexts& texts) = 0;
};
/// Letters are those of the reader's sans-serif and monospaced fonts, stretched to the widths of `mono` and of the other
/// fonts of the canvas.
std::unique_ptr<VectorInk> svgInk(ImVec2 size, const ImFont* mono);
/// The same with Helvetica and Courier, which every reader of PDF has. Letters beyond Latin-1 become question marks.
std::unique_ptr<VectorInk> pdfInk(ImVec2 size, const ImFont* mono);

}  // namespace gravlab
