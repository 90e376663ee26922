// Names, and arrows of velocities and forces, at their bodies. Behind all panels, in films and windows alike.
#pragma once
#include "app/ui/overlay.h"
#include "app/ui/overlay_space.h"

#include <optional>
#include <string>
#include <vector>

namespace gravlab {

/// A label and its preferred place.
struct LabelWish {
    ImVec2 at;          ///< the body
    ImVec2 size;        ///< of the text
    double weight = 0;  ///< heavier ones are placed first
};
/// The upper left corners of labels that have room, in the order of the wishes; the others are empty. A label lies beside,
/// above or below its body, between `from` and `to`, `gap` away from the body, and overlaps no other label or labelled body.
std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelWish>& wishes, ImVec2 from, ImVec2 to, float gap);

void drawLabels(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list, ImU32 ink);
void drawArrows(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list);
/// A line with a head at `to`.
void drawArrowLine(ImDrawList& list, ImVec2 from, ImVec2 to, ImU32 colour, float scale);

}  // namespace gravlab
