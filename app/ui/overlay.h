// Overlays over the picture: legend, scale bar, clock, axes, grid. In films and windows alike; panels are elsewhere.
#pragma once
#include "app/model/document.h"
#include "sim/run/trajectory.h"

#include <imgui.h>

#include <span>

namespace gravlab {

/// The free part of the surface, in pixels.
struct OverlayArea {
    ImVec2 from, to;
    float scale = 1;  ///< of texts and lines
    ImFont *font = nullptr, *large = nullptr;
    bool clock = true;  ///< false: panels show the time
};

/// Predicted paths of the selected body and of the body being added.
struct OverlayPaths {
    const Trajectory &selected, &dropped;
};

/// Draws the overlays of document.overlay behind all panels. Call it between ImGui's NewFrame and Render.
void drawOverlay(const Document& document, const OverlayPaths& paths, const OverlayArea& area,
                 std::span<const Viewport> viewports);

/// The area for views within the area that panels leave: below four views there is room for clock and legend.
PicturePart freeOf(const Document& document, const OverlayArea& area);
/// Draws nothing unless there are four views. Call it between ImGui's NewFrame and Render.
void drawFourViewOverlay(const Document& document, const OverlayArea& area, std::span<const Viewport> viewports);

}  // namespace gravlab
