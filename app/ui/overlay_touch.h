// Marks of single bodies over the picture: the selected one and held ones.
#pragma once
#include "app/ui/overlay.h"
#include "app/ui/overlay_space.h"

namespace gravlab {

/// Whether drawTouch() has anything to draw.
bool touchDraws(const Document& document);
void drawTouch(const Document& document, const OverlayPaths& paths, const OverlayArea& area, const SpaceView& view,
               ImDrawList& list);

}  // namespace gravlab
