#include "app/view/overlay_space.h"

#include "app/session/twin.h"
#include "app/view/four_view.h"

#include <glm/mat4x4.hpp>
#include <glm/vec4.hpp>

#include <algorithm>

namespace gravlab {

std::vector<SpaceView> spaceViews(const Session& session, ImVec2 surface) {
    std::vector<SpaceView> views;
    const auto add = [&](ImVec2 from, ImVec2 size, float stretch) {
        Camera camera = session.drawnCamera();
        camera.distance *= stretch;
        views.push_back({from, size, camera, camera.projection(size.x / std::max(size.y, 1.0f)) * camera.view()});
    };
    if (session.fourViewed()) {
        const auto parts = session.fourView->parts(static_cast<int>(surface.x), static_cast<int>(surface.y));
        for (std::size_t row = 0; row < parts.size(); ++row) {
            const PicturePart& part = parts[row];
            const Camera camera = FourView::cameraOf(row, session.drawnCamera());
            const ImVec2 size(static_cast<float>(part.width), static_cast<float>(part.height));
            views.push_back({ImVec2(static_cast<float>(part.left), static_cast<float>(part.top)), size, camera,
                             camera.projection(size.x / size.y) * camera.view()});
        }
        return views;
    }
    if (!session.twin().on() || session.twin().choice().view != TwinView::side) {
        add(ImVec2(0, 0), surface, 1);
        return views;
    }
    for (const TwinPane& pane : session.twin().panes(static_cast<int>(surface.x), static_cast<int>(surface.y)))
        add(ImVec2(static_cast<float>(pane.part.left), static_cast<float>(pane.part.top)),
            ImVec2(static_cast<float>(pane.part.width), static_cast<float>(pane.part.height)), pane.stretch);
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
