// The pages of the lab, each in a file of its own.
#pragma once
#include "app/ui/panels.h"

namespace gravlab {
void drawLabLaunch(PanelContext& panel);      // the launch in numbers, beside the kernel's text
void drawLabSweep(PanelContext& panel);       // sweeps and the search for the fastest launch
void drawLabMatrix(PanelContext& panel);      // the forces of all pairs
void drawLabLadder(PanelContext& panel);      // all rungs, to read
void drawLabRecorded(PanelContext& panel);    // what was measured on a named device
void drawLabCalculator(PanelContext& panel);  // a launch on a GPU that need not be here
void drawLabOwn(PanelContext& panel);         // a kernel of one's own
/// A kernel's own text over the rest of the page, with what the rung below does not have.
void drawKernelText(PanelContext& panel, const KernelRow& row);
}  // namespace gravlab
