// The pages of the lab, each in a file of its own.
#pragma once
#include "app/panels/panels.h"

namespace gravlab {
void drawLabLaunch(PanelContext& panel);  // the launch in numbers, beside the kernel's text
void drawLabSweep(PanelContext& panel);   // sweeps and the search for the fastest launch
void drawLabMatrix(PanelContext& panel);  // the forces of all pairs
void drawLabOwn(PanelContext& panel);     // a kernel of one's own
}  // namespace gravlab
