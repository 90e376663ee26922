// The panels of twin runs: their differences, the label of each picture, and the distance between both.
#pragma once
#include "app/ui/panels.h"

namespace gravlab {

/// The section of the control panel.
void drawTwinControls(PanelContext& panel);
/// The differences of the runs, at the top of each picture. Also in films without panels.
void drawTwinLabels(PanelContext& panel);
/// Height in pixels of the divergence strip at the bottom, which replaces the conservation strip; 0 when hidden.
float twinStripHeight(const Document& document, const UiState& state, ImVec2 surface, float scale);
void drawTwinStrip(PanelContext& panel);

}  // namespace gravlab
