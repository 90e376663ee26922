// The time of each rung for finding groups, or depths in the graph of friends, over the number of bodies.
#pragma once
#include "app/bench/figure.h"

namespace gravlab {

Reason whyNoGroups(const FigureRequest& request);
/// Checks the groups of each rung of the backend and times it: the median of the repetitions. Omits a rung that does not fit
/// into memory or took too long for the previous number of bodies.
FigureStudy groupStudy(const FigureRequest& request, const FigureProgress& progress);
/// The same for depths from the first body, with the visits of nodes and edges beside the times.
FigureStudy depthStudy(const FigureRequest& request, const FigureProgress& progress);

}  // namespace gravlab
