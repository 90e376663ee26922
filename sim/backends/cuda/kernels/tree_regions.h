// The walk in two levels on a device: the parameters of its kernels. See sim/tree/region.h.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/tree/region.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

/// Field that a region passes to its groups, in addition to the nodes.
struct RegionField {
    float terms[kExpansionTerms];  ///< terms of the expansion about its centre
    float centre[3];
    float unit;          ///< factor of the expansion's lengths
    std::uint32_t left;  ///< nodes
    float unused[4];
};
static_assert(sizeof(RegionField) == 64 * sizeof(float));

/// One launch of the first level or of the second, for a slice of the regions.
struct RegionTask : WalkTask {
    RegionField* fields;   ///< fields of the first `regions` regions; groups of others walk from the root
    std::uint32_t* lists;  ///< [regions][nodes]
    std::uint32_t regions;
    std::uint32_t nodes;       ///< room of a list; at least 1
    std::uint32_t* nextField;  ///< counts the regions that warps have begun; 0 before
};
constexpr std::size_t regionBytes(std::size_t nodes) { return sizeof(RegionField) + nodes * sizeof(std::uint32_t); }

Kernel<RegionTask> treeRegionKernel();
/// This kernel follows with the same task. Groups have 64 targets.
Kernel<RegionTask> belowRegionsKernel();

/// Blocks of the first level: enough for regions of groups that are half empty. Each warp begins the next region when it has
/// finished one.
inline unsigned regionBlocks(std::size_t bodies, int multiprocessors, unsigned threads) {
    return walkBlocks(bodies / kRegionGroups + 1, multiprocessors, threads);
}

}  // namespace gravlab::cuda
