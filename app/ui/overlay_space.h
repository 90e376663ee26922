// Points and lines of space, projected onto the surface of the overlay: marks of single bodies, and boxes of a tree's cells.
// Behind all panels, in films and windows alike.
#pragma once
#include "app/model/viewport.h"
#include "app/ui/overlay.h"

#include <imgui.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gravlab {

/// A picture of the bodies and its place on the surface: the whole surface, or one of two or four pictures.
struct SpaceView {
    ImVec2 from, size;
    Camera camera;
    glm::mat4 clipFromWorld{1};
};

/// One view per viewport; overlaid pictures have one.
std::vector<SpaceView> spaceViews(std::span<const Viewport> viewports);

/// The place of a point of space on the surface; empty behind the eye.
std::optional<ImVec2> onSurface(const SpaceView& view, glm::vec3 point);

/// Draws a line of space, cut at the eye, where the projection would reverse it.
void drawSegment(ImDrawList& list, const SpaceView& view, glm::vec3 a, glm::vec3 b, ImU32 colour, float width);

/// Colours of the axes x, y and z, distinct with any common colour blindness; darker on paper.
ImU32 axisColour(int axis, bool paper);

/// Draws text with a shade around it, so that it stays readable over bodies.
void drawShaded(ImDrawList& list, ImVec2 at, const std::string& text, ImU32 ink, bool paper, float scale);

/// Whether drawTouch() has anything to draw.
bool touchDraws(const Document& document);
void drawTouch(const Document& document, const OverlayPaths& paths, const OverlayArea& area, const SpaceView& view,
               ImDrawList& list);

void drawTreeCells(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list);
/// Draws the legend `above` pixels over the area's lower left corner.
void drawTreeLegend(const Document& document, const OverlayArea& area, float above, ImDrawList& list, ImU32 ink);

/// The lines of the legend, without colours.
std::vector<std::string> treeLegend(const Document& document);

}  // namespace gravlab
