// Points and lines of space on the surface that the overlay is drawn on.
#pragma once
#include "app/session/frame_loop.h"

#include <imgui.h>

#include <optional>
#include <vector>

namespace gravlab {

/// A picture of the bodies and its place on the surface: all of it, one of two, or of four.
struct SpaceView {
    ImVec2 from, size;
    Camera camera;
    glm::mat4 clipFromWorld{1};
};

/// The first run's picture, and the twin's where both share the surface side by side; or its four views, in their order.
std::vector<SpaceView> spaceViews(const Session& session, ImVec2 surface);

/// Where a point of space is on the surface; empty behind the eye.
std::optional<ImVec2> onSurface(const SpaceView& view, glm::vec3 point);

/// A line of space, cut at the eye, where the division would turn it round.
void drawSegment(ImDrawList& list, const SpaceView& view, glm::vec3 a, glm::vec3 b, ImU32 colour, float width);

}  // namespace gravlab
