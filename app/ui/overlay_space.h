// Points and lines of space on the surface that the overlay is drawn on.
#pragma once
#include "app/model/viewport.h"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// A picture of the bodies and its place on the surface: all of it, one of two, or of four.
struct SpaceView {
    ImVec2 from, size;
    Camera camera;
    glm::mat4 clipFromWorld{1};
};

/// One for each viewport; pictures one over the other are one.
std::vector<SpaceView> spaceViews(std::span<const Viewport> viewports);

/// Where a point of space is on the surface; empty behind the eye.
std::optional<ImVec2> onSurface(const SpaceView& view, glm::vec3 point);

/// A line of space, cut at the eye, where the division would turn it round.
void drawSegment(ImDrawList& list, const SpaceView& view, glm::vec3 a, glm::vec3 b, ImU32 colour, float width);

/// Of the axes x, y and z: colours that stay apart for every eye, darker on paper.
ImU32 axisColour(int axis, bool paper);

/// Text with a shade around it, so that bodies behind it do not hide it.
void drawShaded(ImDrawList& list, ImVec2 at, const std::string& text, ImU32 ink, bool paper, float scale);

}  // namespace gravlab
