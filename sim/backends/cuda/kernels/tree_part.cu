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

__global__ void findEnds(const __grid_constant__ TreeEndsTask task) {
    const std::uint32_t range = threadIdx.x / 2, last = threadIdx.x % 2;
    const std::uint64_t units = (task.facts->groups + task.together - 1) / task.together;
    const auto at = [&](std::uint32_t bound) {
        const auto group = static_cast<std::uint32_t>(units * bound / kTreeParts * task.together);
        return min(group, task.facts->groups);
    };
    const std::uint32_t first = at(task.bounds[range]), end = at(task.bounds[range + 1]);
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

struct HasBodies {
    __device__ bool operator()(const TreeGroup& group) const { return group.count > 0; }
};

}  // namespace

Kernel<TreeTask> treeRelinkKernel() { return kernelOf(relinkNodes); }
Kernel<TreeEndsTask> treeEndsKernel() { return kernelOf(findEnds); }
Kernel<TreeLandTask> treeLandKernel() { return kernelOf(landTree); }
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
