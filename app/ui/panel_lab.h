// The pages of the lab, each in its own file.
#pragma once
#include "app/ui/panels.h"

namespace gravlab {
void drawLabLaunch(PanelContext& panel);      // the launch in numbers, beside the kernel's text
void drawLabSweep(PanelContext& panel);       // sweeps and the search for the fastest launch
void drawLabMatrix(PanelContext& panel);      // the forces of all pairs
void drawLabLadder(PanelContext& panel);      // all rungs, with their texts
void drawLabRecorded(PanelContext& panel);    // rates measured on a named device
void drawLabCalculator(PanelContext& panel);  // a launch on a GPU that may be absent
void drawLabMemory(PanelContext& panel);      // times of the device's memories
void drawLabOwn(PanelContext& panel);         // a user's own kernel
/// Draws a kernel's text over the rest of the page, with marks where the rung below differs.
void drawKernelText(PanelContext& panel, const KernelRow& row);
}  // namespace gravlab
