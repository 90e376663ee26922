// Boxes of a tree's cells over the picture, and their legend. Behind all panels, in films and windows alike.
#pragma once
#include "app/ui/overlay.h"
#include "app/ui/overlay_space.h"

#include <string>
#include <vector>

namespace gravlab {

void drawTreeCells(const Document& document, const OverlayArea& area, const SpaceView& view, ImDrawList& list);
/// Draws the legend `above` pixels over the area's lower left corner.
void drawTreeLegend(const Document& document, const OverlayArea& area, float above, ImDrawList& list, ImU32 ink);

/// The lines of the legend, without colours.
std::vector<std::string> treeLegend(const Document& document);

}  // namespace gravlab
