// A tree that is used again within a step of the run, and groups of targets reduced to the bodies whose forces are wanted.
#pragma once
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/integrators/active_bodies.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

/// Parents of nodes, and which of their children are done, from what nodes keep of their children: where an evaluation
/// before this one has found the nodes, what its groups were written over is made again. Its blocks go through nodes by
/// strides.
Kernel<TreeTask> treeRelinkKernel();

/// Of each group what lies between the first and the last of its active bodies, in place. Behind the last group are none.
struct TreeCutTask {
    ActiveBodies active;
    const std::uint32_t* order;
    TreeGroup* groups;  ///< room for `most`
    std::uint32_t most;
    const TreeFacts* facts;
};
/// One thread a group of `most`.
Kernel<TreeCutTask> treeCutKernel();

/// Bytes that keepGroups() needs besides. Throws DeviceError.
std::size_t keepGroupsBytes(std::uint32_t most);
/// The groups that have bodies, in their order, from `groups` to `kept`; and how many. Enqueues, and throws DeviceError.
void keepGroups(const TreeCutTask& task, TreeGroup* kept, std::uint32_t* count, void* scratch, std::size_t bytes,
                Stream stream);

}  // namespace gravlab::cuda
