// The walk in two levels on a device: the parameters of its kernels. See sim/tree/region.h.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/tree/region.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

/// What a region leaves to its groups, beside the nodes.
struct RegionField {
    float terms[kExpansionTerms];  ///< of the expansion about its centre
    float centre[3];
    float unit;          ///< what lengths of the expansion are multiplied by
    std::uint32_t left;  ///< nodes
    float unused[4];
};
static_assert(sizeof(RegionField) == 64 * sizeof(float));

/// One launch of the first level, or of the second: a share of the regions.
struct RegionTask : WalkTask {
    RegionField* fields;   ///< of the first `regions` regions; groups of others walk from the root
    std::uint32_t* lists;  ///< [regions][nodes]
    std::uint32_t regions;
    std::uint32_t nodes;       ///< room of a list; at least 1
    std::uint32_t* nextField;  ///< counts the regions that are taken; 0 before
};
constexpr std::size_t regionBytes(std::size_t nodes) { return sizeof(RegionField) + nodes * sizeof(std::uint32_t); }

Kernel<RegionTask> treeRegionKernel();
/// After it, with the same task. Groups are of 64 targets.
Kernel<RegionTask> belowRegionsKernel();

/// Enough for regions of groups that are half empty; each warp takes the next region when it has done one.
inline unsigned regionBlocks(std::size_t bodies, int multiprocessors, unsigned threads) {
    return walkBlocks(bodies / kRegionGroups + 1, multiprocessors, threads);
}

}  // namespace gravlab::cuda
