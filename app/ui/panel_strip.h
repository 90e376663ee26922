// The strip under the picture between the side panels, one at a time: energy, divergence of twins, instruments.
#pragma once
#include "app/plots/plot.h"
#include "app/ui/panels.h"

namespace gravlab {

/// Begins the window "gravlab NAME" there, `height` pixels at scale 1, in small letters. Call endStrip() when it returns
/// true.
bool beginStrip(PanelContext& panel, const char* name, float height);
void endStrip();

}  // namespace gravlab
