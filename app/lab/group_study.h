// How long each rung takes to find groups, over the number of bodies.
#pragma once
#include "app/lab/figure.h"

#include <functional>
#include <vector>

namespace gravlab {

/// A point for each rung of the backend and each number of bodies.
std::vector<SweepPoint> groupPoints(const FigureRequest& request);
Reason whyNoGroups(const FigureRequest& request);
/// Checks what each found, and times it: the median of the repeats. A rung that does not fit into memory is left out, and
/// so is one that a number of bodies before took too long. `done` is called after each point.
std::vector<SweepResult> measureGroups(const std::vector<SweepPoint>& points, const SweepSettings& settings,
                                       const std::function<void(std::size_t)>& done);

}  // namespace gravlab
