// The panels of twin runs: what differs, what each picture shows, and how far both are apart.
#pragma once
#include "app/ui/panels.h"

namespace gravlab {

/// A part of the control panel.
void drawTwinControls(PanelContext& panel);
/// What tells the runs apart, at the top of each picture. Also in films without panels.
void drawTwinLabels(PanelContext& panel);
/// Pixels at the bottom that the strip of the divergence takes, instead of the conservation's; 0 where it is not shown.
float twinStripHeight(const Document& document, const UiState& state, ImVec2 surface, float scale);
void drawTwinStrip(PanelContext& panel);

}  // namespace gravlab
