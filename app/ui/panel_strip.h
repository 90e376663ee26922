// What stands under the picture between the panels at its sides, one at a time: energy, divergence of twins, instruments.
#pragma once
#include "app/plots/plot.h"
#include "app/ui/panels.h"

namespace gravlab {

/// Begins the window "gravlab NAME" there, `height` pixels at scale 1, in small letters. endStrip() must follow where this
/// answers true.
bool beginStrip(PanelContext& panel, const char* name, float height);
void endStrip();

}  // namespace gravlab
