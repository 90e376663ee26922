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
/// The same with a shade of that colour.
void drawEdged(ImDrawList& list, ImVec2 at, const std::string& text, ImU32 ink, ImU32 shade, float scale);

/// Whether drawTouch() has anything to draw.
bool touchDraws(const Document& document);
void drawTouch(const Document& document, const OverlayPaths& paths, const OverlayArea& area, const SpaceView& view,
               ImDrawList& list);

void drawTreeCells(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list);
/// Draws the legend `above` pixels over the area's lower left corner.
void drawTreeLegend(const Document& document, const OverlayArea& area, float above, ImDrawList& list, ImU32 ink);

/// The lines of the legend, without colours.
std::vector<std::string> treeLegend(const Document& document);

// Names, and arrows of velocities and forces, at their bodies. Behind all panels, in films and windows alike.

/// A label and its preferred place.
struct LabelWish {
    ImVec2 at;          ///< the body
    ImVec2 size;        ///< of the text
    double weight = 0;  ///< heavier ones are placed first
    float disc = 0;     ///< radius of the drawn body [px]; 0: a point
    ImVec2 trail{};     ///< direction of its trail, on which it lies only where no other place has room
};
/// The upper left corners of labels that have room, in the order of the wishes; the others are empty. A label lies beside,
/// above or below its body, between `from` and `to`, `gap` away from a point or half of it from a disc, and overlaps no
/// other label or labelled body.
std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelWish>& wishes, ImVec2 from, ImVec2 to, float gap);

void drawLabels(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list, ImU32 ink);
void drawArrows(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list);
/// A line with a head at `to`.
void drawArrowLine(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float scale);

}  // namespace gravlab
