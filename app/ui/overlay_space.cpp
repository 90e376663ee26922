#include "app/ui/overlay_space.h"

#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>

#include <algorithm>

namespace gravlab {

std::vector<SpaceView> spaceViews(std::span<const Viewport> viewports) {
    std::vector<SpaceView> views;
    for (const Viewport& viewport : viewports) {
        if (!views.empty() && viewport.rectangle == viewports.front().rectangle) continue;
        const glm::vec2 from = viewport.corner(), size = viewport.size();
        const Camera& camera = viewport.camera;
        views.push_back({ImVec2(from.x, from.y), ImVec2(size.x, size.y), camera,
                         camera.projection(size.x / std::max(size.y, 1.0f)) * camera.view()});
    }
    return views;
}

std::optional<ImVec2> onSurface(const SpaceView& view, glm::vec3 point) {
    const glm::vec4 clip = view.clipFromWorld * glm::vec4(point, 1);
    if (!(clip.w > 1e-6f)) return std::nullopt;
    return ImVec2(view.from.x + (0.5f + 0.5f * clip.x / clip.w) * view.size.x,
                  view.from.y + (0.5f - 0.5f * clip.y / clip.w) * view.size.y);
}

void drawSegment(ImDrawList& list, const SpaceView& view, glm::vec3 a, glm::vec3 b, ImU32 colour, float width) {
    const glm::vec4 ca = view.clipFromWorld * glm::vec4(a, 1), cb = view.clipFromWorld * glm::vec4(b, 1);
    constexpr float kNear = 1e-3f;
    if (ca.w < kNear && cb.w < kNear) return;
    if (ca.w < kNear) a = b + (a - b) * ((cb.w - kNear) / (cb.w - ca.w));
    if (cb.w < kNear) b = a + (b - a) * ((ca.w - kNear) / (ca.w - cb.w));
    const std::optional<ImVec2> from = onSurface(view, a), to = onSurface(view, b);
    if (from && to) list.AddLine(*from, *to, colour, width);
}

ImU32 axisColour(int axis, bool paper) {
    constexpr ImU32 kColours[2][3] = {{IM_COL32(230, 159, 0, 255), IM_COL32(0, 190, 140, 255), IM_COL32(86, 180, 233, 255)},
                                      {IM_COL32(156, 96, 0, 255), IM_COL32(0, 120, 88, 255), IM_COL32(20, 100, 170, 255)}};
    return kColours[paper ? 1 : 0][axis];
}

void drawShaded(ImDrawList& list, ImVec2 at, const std::string& text, ImU32 ink, bool paper, float scale) {
    drawEdged(list, at, text, ink, paper ? IM_COL32(255, 255, 255, 200) : IM_COL32(0, 0, 0, 170), scale);
}

void drawEdged(ImDrawList& list, ImVec2 at, const std::string& text, ImU32 ink, ImU32 shade, float scale) {
    at = ImVec2(std::floor(at.x), std::floor(at.y));
    for (const ImVec2 by : {ImVec2(-1, 0), ImVec2(1, 0), ImVec2(0, -1), ImVec2(0, 1)})
        list.AddText(ImVec2(at.x + scale * by.x, at.y + scale * by.y), shade, text.c_str());
    list.AddText(at, ink, text.c_str());
}

}  // namespace gravlab
