// What is written over the picture: legend, scale bar, clock, axes, grid. In films and windows alike; panels are elsewhere.
#pragma once
#include "app/model/unit_text.h"
#include "app/session/frame_loop.h"

#include <imgui.h>

#include <string>

namespace gravlab {

/// The free part of the surface, in pixels.
struct OverlayArea {
    ImVec2 from, to;
    float scale = 1;  ///< of texts and lines
    ImFont* font = nullptr;
};

/// Draws whatever session.overlay asks for behind all panels. Between ImGui's NewFrame and Render.
void drawOverlay(Session& session, const OverlayArea& area, ImVec2 surface);

}  // namespace gravlab
