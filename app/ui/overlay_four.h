// Axes, ticks with units and starts over the four views. Behind all panels, in films and windows alike.
#pragma once
#include "app/ui/overlay.h"

namespace gravlab {

/// Of the area that panels leave, what views take: clock and legend stand below four, not on their axes.
PicturePart freeOf(const Document& document, const OverlayArea& area);
/// Draws nothing where there are no four views. Between ImGui's NewFrame and Render.
void drawFourViewOverlay(const Document& document, const OverlayArea& area, std::span<const Viewport> viewports);

}  // namespace gravlab
