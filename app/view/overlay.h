// What is written over the picture: legend, scale bar, clock, axes, grid. In films and windows alike; panels are elsewhere.
#pragma once
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

/// A round length at most `most` long, and how it is written with its unit: {5, "5 kpc"}.
struct RoundLength {
    double length = 0;  ///< [L]
    std::string text;
};
RoundLength roundLength(double most, const SceneUnits& units);

/// The simulated time in the scene's units: "t = 120.5 Myr". Long times move up to Gyr, short ones of years down to days.
std::string clockText(double time, const SceneUnits& units);

}  // namespace gravlab
