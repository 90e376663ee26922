// Triangles to pixels: a point is inside by the top-left rule, so that neighbours share no pixel and leave no gap.
#include "app/plots/canvas.h"

#include "app/system/built_in.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gravlab {
namespace {

/// The font texture, one byte a texel.
struct Atlas {
    const unsigned char* texels = nullptr;
    int width = 0, height = 0;
    float at(int x, int y) const {
        x = std::clamp(x, 0, width - 1);
        y = std::clamp(y, 0, height - 1);
        return static_cast<float>(
                   texels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)]) /
               255;
    }
    /// Interpolates linearly between texel centres.
    float sample(float u, float v) const {
        const float x = u * static_cast<float>(width) - 0.5f, y = v * static_cast<float>(height) - 0.5f;
        const float left = std::floor(x), top = std::floor(y), fx = x - left, fy = y - top;
        const int i = static_cast<int>(left), j = static_cast<int>(top);
        return (1 - fy) * ((1 - fx) * at(i, j) + fx * at(i + 1, j)) + fy * ((1 - fx) * at(i, j + 1) + fx * at(i + 1, j + 1));
    }
};

struct Vertex {
    float x, y, u, v;
    std::array<float, 4> colour;
};

Vertex vertexOf(const ImDrawVert& from) {
    const auto channel = [&](int shift) { return static_cast<float>(from.col >> shift & 0xff); };
    return {from.pos.x,
            from.pos.y,
            from.uv.x,
            from.uv.y,
            {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT), channel(IM_COL32_A_SHIFT)}};
}

class Raster {
public:
    Raster(int width, int height, const Atlas& atlas)
        : width_(width),
          height_(height),
          atlas_(atlas),
          rgb_(static_cast<std::size_t>(3) * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

    void fill(Vertex a, Vertex b, Vertex c, const ImVec4& clip) {
        float area = edge(a, b, c.x, c.y);
        if (area == 0 || !std::isfinite(area)) return;
        if (area < 0) {
            std::swap(b, c);
            area = -area;
        }
        const auto clamped = [](float value, float most) {
            return static_cast<int>(std::clamp(std::floor(value), 0.f, most));
        };
        const auto w = static_cast<float>(width_), h = static_cast<float>(height_);
        const int x0 = clamped(std::max(std::min({a.x, b.x, c.x}), clip.x), w);
        const int y0 = clamped(std::max(std::min({a.y, b.y, c.y}), clip.y), h);
        const int x1 = clamped(std::min(std::max({a.x, b.x, c.x}) + 1, clip.z), w);
        const int y1 = clamped(std::min(std::max({a.y, b.y, c.y}) + 1, clip.w), h);
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x) {
                const float px = static_cast<float>(x) + 0.5f, py = static_cast<float>(y) + 0.5f;
                const float wa = edge(b, c, px, py), wb = edge(c, a, px, py), wc = edge(a, b, px, py);
                if (!inside(wa, b, c) || !inside(wb, c, a) || !inside(wc, a, b)) continue;
                shade(x, y, a, b, c, wa / area, wb / area, wc / area);
            }
    }

    std::vector<std::uint8_t> take() {
        std::vector<std::uint8_t> bytes(rgb_.size());
        std::transform(rgb_.begin(), rgb_.end(), bytes.begin(),
                       [](float value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.f, 255.f))); });
        return bytes;
    }

private:
    static float edge(const Vertex& from, const Vertex& to, float x, float y) {
        return (to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x);
    }
    static bool inside(float weight, const Vertex& from, const Vertex& to) {
        const bool topLeft = (from.y == to.y && to.x > from.x) || to.y < from.y;
        return weight > 0 || (weight == 0 && topLeft);
    }
    void shade(int x, int y, const Vertex& a, const Vertex& b, const Vertex& c, float wa, float wb, float wc) {
        const float cover = atlas_.sample(wa * a.u + wb * b.u + wc * c.u, wa * a.v + wb * b.v + wc * c.v);
        const float alpha = cover * (wa * a.colour[3] + wb * b.colour[3] + wc * c.colour[3]) / 255;
        float* const pixel =
            &rgb_[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x))];
        for (std::size_t k = 0; k < 3; ++k) {
            const float value = wa * a.colour[k] + wb * b.colour[k] + wc * c.colour[k];
            pixel[k] += alpha * (value - pixel[k]);
        }
    }

    int width_, height_;
    const Atlas& atlas_;
    std::vector<float> rgb_;
};

ImFont* addFont(ImFontAtlas& atlas, FontBytes bytes, float size) {
    ImFontConfig kept;
    kept.FontDataOwnedByAtlas = false;
    if (!bytes.empty())
        if (ImFont* font = atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), std::round(size), &kept))
            return font;
    ImFontConfig config;
    config.SizePixels = std::round(size);
    return atlas.AddFontDefault(&config);
}

}  // namespace

Canvas::Canvas(int width, int height, float fontSize)
    : before_(ImGui::GetCurrentContext()),
      own_(ImGui::CreateContext()),
      size_(static_cast<float>(width), static_cast<float>(height)) {
    ImGui::SetCurrentContext(own_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = size_;
    io.DeltaTime = 1;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;  // long paths have more vertices than 16 bits can index
    ImGui::GetStyle().AntiAliasedLinesUseTex = false;
    ImFontAtlas& atlas = *io.Fonts;
    const FontBytes text = textFont();
    normal_ = addFont(atlas, text, fontSize);
    small_ = addFont(atlas, text, 0.8f * fontSize);
    large_ = addFont(atlas, text, 1.6f * fontSize);
    mono_ = addFont(atlas, monoFont(), 0.8f * fontSize);
    unsigned char* texels = nullptr;
    int atlasWidth = 0, atlasHeight = 0;
    atlas.GetTexDataAsAlpha8(&texels, &atlasWidth, &atlasHeight);
    ImGui::NewFrame();
    list_ = ImGui::GetBackgroundDrawList();
}

Canvas::~Canvas() {
    ImGui::SetCurrentContext(own_);
    ImGui::DestroyContext(own_);
    ImGui::SetCurrentContext(before_);
}

float Canvas::text(ImFont* font, ImVec2 at, ImU32 colour, const char* text, float alignX, float most) {
    const float full = width(font, text), scale = full > most ? most / full : 1, wide = full * scale;
    // Smaller text keeps its base line.
    const ImVec2 from(std::floor(at.x - alignX * wide), std::floor(at.y + (1 - scale) * font->Ascent));
    list_->AddText(font, font->FontSize * scale, from, colour, text);
    return wide;
}

float Canvas::width(ImFont* font, const char* text) {
    return font->CalcTextSizeA(font->FontSize, std::numeric_limits<float>::max(), 0, text).x;
}

void Canvas::write(ByteSink& file, const PictureTexts& texts) {
    writePng(file, finish(), static_cast<int>(size_.x), static_cast<int>(size_.y), texts);
}

std::vector<std::uint8_t> Canvas::finish() {
    ImGui::SetCurrentContext(own_);
    ImGui::Render();
    Atlas atlas;
    unsigned char* texels = nullptr;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&texels, &atlas.width, &atlas.height);
    atlas.texels = texels;
    Raster raster(static_cast<int>(size_.x), static_cast<int>(size_.y), atlas);
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int l = 0; l < data.CmdListsCount; ++l) {
        const ImDrawList& list = *data.CmdLists[l];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            if (command.UserCallback) continue;
            const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset;
            const ImDrawVert* vertices = list.VtxBuffer.Data + command.VtxOffset;
            for (unsigned i = 0; i + 2 < command.ElemCount; i += 3)
                raster.fill(vertexOf(vertices[index[i]]), vertexOf(vertices[index[i + 1]]), vertexOf(vertices[index[i + 2]]),
                            command.ClipRect);
        }
    }
    return raster.take();
}

}  // namespace gravlab
