// Pictures drawn on the host: exported plots and cards need no window and no OpenGL. Rule: while a canvas lives it is
// ImGui's current context, which measures letters; its destructor restores the previous one.
#pragma once
#include "app/system/picture.h"

#include <imgui.h>

#include <cstdint>
#include <vector>

namespace gravlab {

/// Colours of pictures for paper.
namespace paper {
constexpr ImU32 kInk = IM_COL32(20, 20, 20, 255), kQuiet = IM_COL32(105, 105, 105, 255),
                kPaper = IM_COL32(255, 255, 255, 255);
}  // namespace paper

class Canvas {
public:
    /// `fontSize`: pixels of the normal font, which is ImGui's current font.
    Canvas(int width, int height, float fontSize);
    ~Canvas();
    Canvas(const Canvas&) = delete;
    Canvas& operator=(const Canvas&) = delete;

    ImDrawList& list() { return *list_; }
    ImVec2 size() const { return size_; }
    ImFont* small() const { return small_; }
    ImFont* normal() const { return normal_; }
    ImFont* large() const { return large_; }
    ImFont* mono() const { return mono_; }  ///< in the size of the small font
    /// Draws text; `alignX`: 0 = it starts at the place, 1 = it ends there. Shrinks text wider than `most` [px]. Returns its
    /// width.
    float text(ImFont* font, ImVec2 at, ImU32 colour, const char* text, float alignX = 0, float most = 1e9f);
    /// Width of a text that nothing shrinks.
    static float width(ImFont* font, const char* text);

    /// Packed RGB rows of a PNG, top row first, over black. Ends the drawing: call it once.
    std::vector<std::uint8_t> finish();
    /// The same as a PNG. Throws IoError.
    void write(ByteSink& file, const PictureTexts& texts);

private:
    ImGuiContext* before_;
    ImGuiContext* own_;
    ImVec2 size_;
    ImFont *small_ = nullptr, *normal_ = nullptr, *large_ = nullptr, *mono_ = nullptr;
    ImDrawList* list_ = nullptr;
};

}  // namespace gravlab
