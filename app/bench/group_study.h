// How long each rung takes to find groups, over the number of bodies.
#pragma once
#include "app/bench/figure.h"

namespace gravlab {

Reason whyNoGroups(const FigureRequest& request);
/// Checks what each rung of the backend found, and times it: the median of the repeats. A rung that does not fit into memory
/// is left out, and so is one that a number of bodies before took too long.
FigureStudy groupStudy(const FigureRequest& request, const FigureProgress& progress);

}  // namespace gravlab
