// The kernels of the walk: a warp or a block for each group, for every row and law. Their code is in tree_walker.cuh.
#include "sim/backends/cuda/kernels/tree_walker.cuh"

namespace gravlab::cuda {
namespace {

template <TreeLaw kLaw, TreeWalk kWalk, int kTargets, bool kField = false>
__global__ void __launch_bounds__(kWalkThreads, 4) walk(const __grid_constant__ typename OfLaw<kLaw>::Task task) {
    __shared__ WarpMemory<kLaw> memory[kWarps];
    Walker<kLaw, kWalk, kTargets, kField> walker(task, memory + threadIdx.x / 32);
    const std::uint64_t groups = task.facts->groups;
    const auto first = static_cast<std::uint32_t>(groups * task.firstPart / kTreeParts);
    const auto end = static_cast<std::uint32_t>(groups * task.lastPart / kTreeParts);
    for (;;) {
        std::uint32_t k = 0;
        if (threadIdx.x % 32 == 0) k = atomicAdd(task.next, 1u);
        k = first + __shfl_sync(kAll, k, 0);
        if (k >= end) break;
        // The deepest groups, which are near the densest places and need longest, come first: short ones fill the end.
        walker.run(task.groups[end - 1 - (k - first)]);
    }
}

/// A block walks for one group.
template <TreeWalk kWalk, int kTargets>
__global__ void __launch_bounds__(kWalkThreads, 4) walkTogether(const __grid_constant__ WalkTask task) {
    __shared__ TeamMemory team;
    __shared__ TeamStage stages[kWarps];
    Walker<TreeLaw::gravity, kWalk, kTargets, false, kWarps> walker(task, stages + threadIdx.x / 32, &team);
    const std::uint64_t groups = task.facts->groups;
    const auto first = static_cast<std::uint32_t>(groups * task.firstPart / kTreeParts);
    const auto end = static_cast<std::uint32_t>(groups * task.lastPart / kTreeParts);
    for (;;) {
        if (threadIdx.x == 0) team.group = atomicAdd(task.next, 1u);
        __syncthreads();
        const std::uint32_t k = first + team.group;
        if (k >= end) break;
        walker.runTogether(task.groups[end - 1 - (k - first)]);
    }
}

template <TreeLaw kLaw, int kTargets>
Kernel<typename OfLaw<kLaw>::Task> walkOf(TreeWalk kind) {
    switch (kind) {
        case TreeWalk::thetaMonopole:
            // A cell whose charges cancel acts by its dipole, which the monopole walk lacks.
            if constexpr (kLaw != TreeLaw::charges) return kernelOf(walk<kLaw, TreeWalk::thetaMonopole, kTargets>);
            return {};
        case TreeWalk::theta:
            return kernelOf(walk<kLaw, TreeWalk::theta, kTargets>);
        case TreeWalk::cells:
            return kernelOf(walk<kLaw, TreeWalk::cells, kTargets>);
        case TreeWalk::expansions:
            return kernelOf(walk<kLaw, TreeWalk::expansions, kTargets>);
    }
    return {};
}
template <TreeLaw kLaw>
Kernel<typename OfLaw<kLaw>::Task> fieldWalkOf(int targetsPerLane) {
    return targetsPerLane == 1 ? kernelOf(walk<kLaw, TreeWalk::expansions, 1, true>)
                               : kernelOf(walk<kLaw, TreeWalk::expansions, 2, true>);
}

}  // namespace

Kernel<WalkTask> treeWalkKernel(TreeWalk walk, int targetsPerLane) {
    return targetsPerLane == 1 ? walkOf<TreeLaw::gravity, 1>(walk) : walkOf<TreeLaw::gravity, 2>(walk);
}
Kernel<WalkTask> treeFieldKernel(int targetsPerLane) { return fieldWalkOf<TreeLaw::gravity>(targetsPerLane); }

Kernel<WalkTask> treeTeamKernel(int targetsPerLane) {
    return targetsPerLane == 1 ? kernelOf(walkTogether<TreeWalk::expansions, 1>)
                               : kernelOf(walkTogether<TreeWalk::expansions, 2>);
}

Kernel<ChargesWalkTask> chargesWalkKernel(TreeWalk walk, int targetsPerLane) {
    return targetsPerLane == 1 ? walkOf<TreeLaw::charges, 1>(walk) : walkOf<TreeLaw::charges, 2>(walk);
}
Kernel<ChargesWalkTask> chargesFieldKernel(int targetsPerLane) { return fieldWalkOf<TreeLaw::charges>(targetsPerLane); }

Kernel<PowerWalkTask> powerFieldKernel(int targetsPerLane) { return fieldWalkOf<TreeLaw::power>(targetsPerLane); }
Kernel<PowerWalkTask> powerWalkKernel(TreeWalk walk, int targetsPerLane) {
    return targetsPerLane == 1 ? walkOf<TreeLaw::power, 1>(walk) : walkOf<TreeLaw::power, 2>(walk);
}

}  // namespace gravlab::cuda
