// Rows of the galaxies, clusters and the expanding sphere; scenario.cpp joins them.
#pragma once
#include "sim/scenes/scenario.h"

#include <span>

namespace gravlab::scenes {

std::span<const Scenario> galaxyScenarios();     // galaxy, andromeda, antennae, cartwheel, minor-merger, group
std::span<const Scenario> clusterScenarios();    // hernquist, king, clumps
std::span<const Scenario> expandingScenarios();  // expanding-box

}  // namespace gravlab::scenes
