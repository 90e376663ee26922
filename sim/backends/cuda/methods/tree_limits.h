// Where a tree on a device changes its ways. Tests give others to a backend, so that few bodies do what many do.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gravlab::cuda {

struct TreeLimits {
    /// Bodies from which on groups walk in two levels (10,485,760: 12.29 ms a step became 11.35 at 1e-3, 29.87 became 24.62
    /// at 1e-4; 1,048,576: nothing, for its 2,000 regions do not fill the device).
    std::uint32_t regionsFrom = 2097152;
    /// Room for the nodes that a region leaves. At 1e-4 regions of 10,485,760 bodies leave 463 and at most 791 (60 of them),
    /// of 2,097,152 bodies 553 and 904.
    std::uint32_t regionNodes = 1024;
    /// Regions at most.
    std::uint32_t regions = std::numeric_limits<std::uint32_t>::max();
    /// Bodies from which on there is no room for the worst tree: one that has more nodes has wider leaves. Below, memory is
    /// not short, and two launches more would be 1 % of a step.
    std::uint32_t widensFrom = 1048576;
    /// Room then. `plummer` and `galaxy` have 0.24; bodies spread evenly, so that most cubes have just too many, 0.54.
    double nodesABody = 0.7;
};

/// Room for nodes of a tree of `bodies` bodies.
inline std::size_t treeNodeRoom(std::size_t bodies, const TreeLimits& limits = {}) {
    const std::size_t worst = mostTreeNodes(bodies);
    if (bodies < limits.widensFrom) return worst;
    const auto usual = static_cast<std::size_t>(limits.nodesABody * static_cast<double>(bodies));
    return std::min(worst, std::max(usual, mostTreeNodes(bodies, kWidestLeaf)));
}

}  // namespace gravlab::cuda
