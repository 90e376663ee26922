// Axes, ticks with units and starts over the four views. Behind all panels, in films and windows alike.
#pragma once
#include "app/view/overlay.h"

namespace gravlab {

/// Draws nothing where there are no four views. Tells them which area is free. Between ImGui's NewFrame and Render.
void drawFourViewOverlay(Session& session, const OverlayArea& area, ImVec2 surface);

}  // namespace gravlab
