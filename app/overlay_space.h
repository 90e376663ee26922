// Points and lines of space on the surface that the overlay is drawn on.
#pragma once
#include "render/camera.h"

#include <imgui.h>
#include <glm/vec4.hpp>

#include <algorithm>
#include <optional>

namespace gravlab {

inline glm::mat4 clipFromWorld(const Camera& camera, ImVec2 surface) {
    return camera.projection(surface.x / std::max(surface.y, 1.0f)) * camera.view();
}

/// Where a point of space is on the surface; empty behind the eye.
inline std::optional<ImVec2> onSurface(const glm::mat4& clipFromWorld, glm::vec3 point, ImVec2 surface) {
    const glm::vec4 clip = clipFromWorld * glm::vec4(point, 1);
    if (!(clip.w > 1e-6f)) return std::nullopt;
    return ImVec2((0.5f + 0.5f * clip.x / clip.w) * surface.x, (0.5f - 0.5f * clip.y / clip.w) * surface.y);
}

/// A line of space, cut at the eye, where the division would turn it round.
inline void drawSegment(ImDrawList& list, const glm::mat4& clipFromWorld, glm::vec3 a, glm::vec3 b, ImVec2 surface,
                        ImU32 colour, float width) {
    const glm::vec4 ca = clipFromWorld * glm::vec4(a, 1), cb = clipFromWorld * glm::vec4(b, 1);
    constexpr float kNear = 1e-3f;
    if (ca.w < kNear && cb.w < kNear) return;
    if (ca.w < kNear) a = b + (a - b) * ((cb.w - kNear) / (cb.w - ca.w));
    if (cb.w < kNear) b = a + (b - a) * ((ca.w - kNear) / (ca.w - cb.w));
    const std::optional<ImVec2> from = onSurface(clipFromWorld, a, surface), to = onSurface(clipFromWorld, b, surface);
    if (from && to) list.AddLine(*from, *to, colour, width);
}

}  // namespace gravlab
