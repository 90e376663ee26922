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

}  // namespace gravlab
