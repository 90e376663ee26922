// Axes, ticks with units and starts over the four views. Behind all panels, in films and windows alike.
#pragma once
#include "app/ui/overlay.h"

namespace gravlab {

/// The area for views within the area that panels leave: below four views there is room for clock and legend.
PicturePart freeOf(const Document& document, const OverlayArea& area);
/// Draws nothing unless there are four views. Call it between ImGui's NewFrame and Render.
void drawFourViewOverlay(const Document& document, const OverlayArea& area, std::span<const Viewport> viewports);

}  // namespace gravlab
