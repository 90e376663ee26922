// Numbers of bodies where a tree on a device changes its algorithm. Tests set smaller ones, so that few bodies take the path
// of many.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace gravlab::cuda {

struct TreeLimits {
    /// Smallest number of bodies whose groups walk in two levels (10,485,760: 12.29 ms per step became 11.35 at 1e-3, 29.87
    /// became 24.62 at 1e-4; 1,048,576: nothing, for its 2,000 regions do not fill the device).
    std::uint32_t regionsFrom = 2097152;
    /// Room for the nodes that a region leaves to its groups. At 1e-4 regions of 10,485,760 bodies leave 463 and at most 791
    /// (60 of them); regions of 2,097,152 bodies leave 553 and at most 904.
    std::uint32_t regionNodes = 1024;
    /// Largest number of regions.
    std::uint32_t regions = std::numeric_limits<std::uint32_t>::max();
    /// Smallest number of bodies without room for the worst tree: a tree with more nodes than the room gets wider leaves.
    /// With fewer bodies memory is not short, and two more launches would cost 1 % of a step.
    std::uint32_t widensFrom = 1048576;
    /// Room from there on, in nodes per body. `plummer` and `galaxy` need 0.24. Bodies spread evenly need 0.54 where most
    /// cubes hold just too many for a leaf.
    double nodesABody = 0.7;
    /// The same from `manyFrom` bodies on, for which memory is short: leaves get wider where cubes hold just too many.
    double nodesOfMany = 0.43;
    std::uint32_t manyFrom = std::uint32_t{1} << 28;
    /// One state of the bodies is kept, as where two do not fit, and the lengths of one evaluation.
    bool oneState = false;
    bool operator==(const TreeLimits&) const = default;
};

/// Room for nodes of a tree of `bodies` bodies.
inline std::size_t treeNodeRoom(std::size_t bodies, const TreeLimits& limits = {}) {
    const std::size_t worst = mostTreeNodes(bodies);
    if (bodies < limits.widensFrom) return worst;
    const double nodes = bodies < limits.manyFrom ? limits.nodesABody : limits.nodesOfMany;
    const auto usual = static_cast<std::size_t>(nodes * static_cast<double>(bodies));
    return std::min(worst, std::max(usual, mostTreeNodes(bodies, kWidestLeaf)));
}

/// Most groups of a tree: a run has children of a divided cube of its own, and all groups of a run but one are half full.
inline std::size_t treeGroupRoom(std::size_t bodies, std::size_t sources) {
    const auto most = [](std::size_t n) { return mostTreeNodes(n, kTreeRun) + n / 32; };
    return std::min(bodies, most(sources) + most(bodies - sources));
}

}  // namespace gravlab::cuda
