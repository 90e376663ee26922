// Forces on active bodies by a tree.
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/tree_part.h"

#include <cub/device/device_select.cuh>

namespace gravlab::cuda {
namespace {

__global__ void relinkNodes(TreeTask task) {
    const std::uint32_t nodes = task.facts->nodes;
    for (std::uint32_t id = blockIdx.x * kTreeThreads + threadIdx.x; id < nodes; id += gridDim.x * kTreeThreads) {
        const float4 link = asVectors(task.nodes.centre)[2ull * id + 1];
        const int children = __float_as_int(link.w);
        const auto child = static_cast<std::uint32_t>(__float_as_int(link.z));
        std::uint32_t leaves = 0;  // leaves have nothing to wait for
        for (int k = 0; k < children; ++k) {
            task.nodes.parent[child + k] = id;
            leaves += __float_as_int(asVectors(task.nodes.centre)[2ull * (child + k) + 1].w) < 0;
        }
        task.nodes.arrived[id] = leaves;
    }
}

__global__ void cutGroups(TreeCutTask task) {
    const std::uint32_t k = blockIdx.x * kTreeThreads + threadIdx.x;
    if (k >= task.most) return;
    TreeGroup group{0, 0};
    if (k < task.facts->groups) {
        group = task.groups[k];
        std::uint32_t first = group.first, last = group.first + group.count;
        while (first < last && !task.active.has(task.order[first])) ++first;
        while (last > first && !task.active.has(task.order[last - 1])) --last;
        group = {first, last - first};
    }
    task.groups[k] = group;
}

/// The first group of a bound between parts.
template <class Task>
__device__ std::uint32_t groupAt(const Task& task, std::uint32_t bound) {
    const std::uint64_t units = (task.facts->groups + task.together - 1) / task.together;
    return min(static_cast<std::uint32_t>(units * bound / kTreeParts * task.together), task.facts->groups);
}

__global__ void findEnds(const __grid_constant__ TreeEndsTask task) {
    const std::uint32_t range = threadIdx.x / 2, last = threadIdx.x % 2;
    const std::uint32_t first = groupAt(task, task.bounds[range]), end = groupAt(task, task.bounds[range + 1]);
    if (first >= end) {
        task.bodies[threadIdx.x] = task.order[0];
        return;
    }
    const TreeGroup group = task.groups[last ? end - 1 : first];
    task.bodies[threadIdx.x] = task.order[last ? group.first + group.count - 1 : group.first];
}

__global__ void landTree(TreeLandTask task) {
    const std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x;
    if (i >= task.count) return;
    const float4 sum = asVectors(task.sums)[i];
    if (__float_as_uint(sum.w) == ~0u) return;
    asVectors(task.toSums)[i] = sum;
    task.toLengths[i] = task.lengths[i];
}

__global__ void packTree(const __grid_constant__ TreePackTask task) {
    const std::uint32_t lane = threadIdx.x % 32, warps = gridDim.x * kTreeThreads / 32;
    const std::uint32_t end = groupAt(task, task.bounds[1]);
    for (std::uint32_t k = groupAt(task, task.bounds[0]) + (blockIdx.x * kTreeThreads + threadIdx.x) / 32; k < end;
         k += warps) {
        const TreeGroup group = task.groups[k];
        std::uint32_t first = 0;
        if (lane == 0) first = atomicAdd(task.packed, group.count);
        first = __shfl_sync(~0u, first, 0);
        for (std::uint32_t i = lane; i < group.count; i += 32) {
            const std::uint32_t body = task.order[group.first + i];
            asVectors(task.to.sums)[first + i] = asVectors(task.sums)[body];
            task.to.lengths[first + i] = task.lengths[body];
            task.to.bodies[first + i] = body;
        }
    }
}

__global__ void unpackTree(TreeUnpackTask task) {
    const std::uint32_t i = blockIdx.x * kTreeThreads + threadIdx.x;
    if (i >= task.count) return;
    const std::uint32_t body = task.from.bodies[i];
    asVectors(task.sums)[body] = asVectors(task.from.sums)[i];
    task.lengths[body] = task.from.lengths[i];
}

struct HasBodies {
    __device__ bool operator()(const TreeGroup& group) const { return group.count > 0; }
};

}  // namespace

Kernel<TreeTask> treeRelinkKernel() { return kernelOf(relinkNodes); }
Kernel<TreeEndsTask> treeEndsKernel() { return kernelOf(findEnds); }
Kernel<TreeLandTask> treeLandKernel() { return kernelOf(landTree); }
Kernel<TreePackTask> treePackKernel() { return kernelOf(packTree); }
Kernel<TreeUnpackTask> treeUnpackKernel() { return kernelOf(unpackTree); }
Kernel<TreeCutTask> treeCutKernel() { return kernelOf(cutGroups); }

std::size_t keepGroupsBytes(std::uint32_t most) {
    std::size_t bytes = 0;
    const TreeGroup* from = nullptr;
    CUDA_CHECK(cub::DeviceSelect::If(nullptr, bytes, from, static_cast<TreeGroup*>(nullptr),
                                     static_cast<std::uint32_t*>(nullptr), most, HasBodies()));
    return bytes;
}

void keepGroups(const TreeCutTask& task, TreeGroup* kept, std::uint32_t* count, void* scratch, std::size_t bytes,
                Stream stream) {
    const TreeGroup* from = task.groups;
    CUDA_CHECK(cub::DeviceSelect::If(scratch, bytes, from, kept, count, task.most, HasBodies(), stream));
}

}  // namespace gravlab::cuda
