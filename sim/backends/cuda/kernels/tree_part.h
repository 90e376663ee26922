// A tree that several evaluations of a step use, and groups of targets reduced to active bodies.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/integrators/active_bodies.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

/// Writes the parents of nodes and their counts of finished children again, for a tree from an earlier evaluation: its
/// groups have overwritten them. Blocks loop over nodes by strides.
Kernel<TreeTask> treeRelinkKernel();

/// Reduces each group in place to the interval from its first to its last active body. Entries after the last group become
/// empty.
struct TreeCutTask {
    ActiveBodies active;
    const std::uint32_t* order;
    TreeGroup* groups;  ///< room for `most`
    std::uint32_t most;
    const TreeFacts* facts;
};
/// The kernel has one thread for each of `most` groups.
Kernel<TreeCutTask> treeCutKernel();

/// Finds the first and the last body of each part of the groups, which devices divide. One block has two threads per part.
struct TreeEndsTask {
    const TreeGroup* groups;
    const std::uint32_t* order;
    const TreeFacts* facts;
    std::uint32_t together;    ///< groups that are not divided
    std::uint32_t bounds[65];  ///< of consecutive ranges of kTreeParts
    std::uint32_t* bodies;     ///< two per range
};
Kernel<TreeEndsTask> treeEndsKernel();

/// Takes the sums and lengths that another device has written, which arrived with marks at all other bodies.
constexpr int kUnwrittenByte = 0xff;
struct TreeLandTask {
    std::uint32_t count;
    const Float4* sums;
    const float* lengths;
    Float4* toSums;
    float* toLengths;
};
Kernel<TreeLandTask> treeLandKernel();

/// Results of a part's bodies one after the other, in any order. Device memory.
struct PackedTree {
    Float4* sums = nullptr;
    float* lengths = nullptr;
    std::uint32_t* bodies = nullptr;  ///< their places
};
/// Packs those of the groups of a part. Warps loop over the groups.
struct TreePackTask {
    const TreeGroup* groups;
    const std::uint32_t* order;
    const TreeFacts* facts;
    std::uint32_t together;   ///< groups that are not divided
    std::uint32_t bounds[2];  ///< of kTreeParts
    const Float4* sums;
    const float* lengths;
    PackedTree to;
    std::uint32_t* packed;  ///< counts them; 0 before
};
Kernel<TreePackTask> treePackKernel();
/// Brings `count` packed results to their places. The kernel has one thread for each.
struct TreeUnpackTask {
    std::uint32_t count;
    PackedTree from;
    Float4* sums;
    float* lengths;
};
Kernel<TreeUnpackTask> treeUnpackKernel();

/// Bytes of scratch memory of keepGroups(). Throws DeviceError.
std::size_t keepGroupsBytes(std::uint32_t most);
/// Enqueues the copy of the groups with bodies, in their order, from `groups` to `kept`, and writes their number. Throws
/// DeviceError.
void keepGroups(const TreeCutTask& task, TreeGroup* kept, std::uint32_t* count, void* scratch, std::size_t bytes,
                Stream stream);

}  // namespace gravlab::cuda
