// Names, and arrows of velocities and forces, at the bodies that they belong to. Behind all panels, in films and windows
// alike.
#pragma once
#include "app/ui/overlay.h"
#include "app/ui/overlay_space.h"

#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// A text that wants to stand at a point of the surface.
struct LabelWish {
    ImVec2 at;          ///< the body
    ImVec2 size;        ///< of the text
    double weight = 0;  ///< heavier ones are placed first
};
/// Where the upper left corners of those go that have room, in the order of the wishes; the others get none. A label is
/// beside, above or below its body, within from and to, on no other label and on no other's body, `gap` away from its own.
std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelWish>& wishes, ImVec2 from, ImVec2 to, float gap);

void drawLabels(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list, ImU32 ink);
void drawArrows(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list);
/// A line with a head at `to`.
void drawArrowLine(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float scale);

}  // namespace gravlab
