// Groups of bodies on a device: the parameters of its kernels, and depths in the graph of friends. The functions that decide
// are shared with the host, see friends.h. Depths are found level by level, with a thread per node or a thread an edge:
// P. Harish & P. J. Narayanan 2007, LNCS 4873, 197. Rule: several threads may store the same depth in a place at once; all
// of them store the same number.
#pragma once
#include "sim/api/vectors.h"
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/groups/friends.h"
#include "sim/groups/groups.h"

#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kGroupThreads = 256;

/// Sums and bounds of the positions of a block's bodies.
struct FrameSums {
    double low[3], high[3], sum[3], counted, reach, far;
};

/// Flags that the threads of a search exchange between levels.
struct GroupFlags {
    std::uint32_t changed[3];    ///< a label was lowered at the level; the next level's flag is cleared meanwhile
    std::uint32_t arrived;       ///< blocks at a barrier
    std::uint32_t levels;        ///< levels until the end; 0: there are more
    unsigned long long reached;  ///< friends of the bodies that a search for depths has reached
};

struct GroupTask {
    Double4* bodies;
    std::uint32_t count;
    double length;
    int pass;  ///< pass of the frame, or level of boxes
    FrameSums* partial;
    FriendFrame* frame;
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    double* axis[3];               ///< in the order of places
    std::uint32_t *parent, *least, *label;
    FriendTree tree;
    FriendGrid* grid;
    std::uint64_t *friends, *begin;  ///< friends of each place; their prefix sums, one more at the end
    std::uint32_t *list, *mark;
    GroupFlags* flags;
    std::uint32_t level;  ///< first level of a launch
    std::uint32_t turns;  ///< most levels of a launch
    // Of a search for depths, which are in `parent` by place and in `label` by body.
    std::uint32_t from;     ///< body of depth 0
    std::uint32_t* source;  ///< place of each entry of `list`: both are the graph's edges
    std::uint64_t edges;    ///< entries of `list`; a thread of the other kernels has a place
};

namespace {

__device__ __forceinline__ std::uint64_t ownItem() {
    return static_cast<std::uint64_t>(blockIdx.x) * kGroupThreads + threadIdx.x;
}

/// Calls a function for each place, a thread per place.
template <void (*kDo)(const GroupTask&, std::uint32_t)>
__global__ void eachPlace(GroupTask task) {
    const std::uint32_t place = blockIdx.x * kGroupThreads + threadIdx.x;
    if (place < task.count) kDo(task, place);
}

__device__ __forceinline__ bool reach(const GroupTask& task, std::uint32_t place, std::uint32_t depth) {
    if (loadParent(task.parent + place) != kNoDepth) return false;
    storeParent(task.parent + place, depth);
    return true;
}

/// The nodes or edges of a level, one a thread. True where a body was reached.
template <bool kEdges>
__device__ __forceinline__ bool visitItem(const GroupTask& task, std::uint64_t item, std::uint32_t level) {
    if constexpr (kEdges) {
        return loadParent(task.parent + task.source[item]) == level && reach(task, task.list[item], level + 1);
    } else {
        if (loadParent(task.parent + item) != level) return false;
        bool any = false;
        for (std::uint64_t k = task.begin[item]; k < task.begin[item + 1]; ++k)
            any = reach(task, task.list[k], level + 1) || any;
        return any;
    }
}

template <bool kEdges>
__device__ __forceinline__ std::uint64_t itemsOf(const GroupTask& task) {
    return kEdges ? task.edges : task.count;
}

template <bool kEdges>
__global__ void visitLevel(GroupTask task) {
    const std::uint64_t item = ownItem();
    if (item < itemsOf<kEdges>(task) && visitItem<kEdges>(task, item, task.level)) task.flags->changed[0] = 1;
}

/// Runs level after level without the host; `visit` says whether an item of a level changed anything. A launch has a limited
/// number of levels, because a display on the same device waits for it. A level's flag is cleared one level earlier, when
/// no thread reads or sets it: its last read was before the barrier that ended level - 2.
template <class Visit>
__device__ __forceinline__ void goLevels(const GroupTask& task, std::uint64_t items, const Visit& visit) {
    volatile std::uint32_t* const changed = task.flags->changed;
    const std::uint64_t stride = static_cast<std::uint64_t>(gridDim.x) * kGroupThreads;
    for (std::uint32_t turn = 0; turn < task.turns; ++turn) {
        const std::uint32_t level = task.level + turn;
        if (ownItem() == 0) changed[(level + 1) % 3] = 0;
        bool any = false;
        for (std::uint64_t item = ownItem(); item < items; item += stride) any = visit(item, level) || any;
        if (any) changed[level % 3] = 1;
        gridBarrier(&task.flags->arrived, (turn + 1) * gridDim.x);
        if (changed[level % 3] != 0) continue;
        if (ownItem() == 0) task.flags->levels = level + 1;
        return;
    }
}

template <bool kEdges>
__global__ void visitAllLevels(GroupTask task) {
    goLevels(task, itemsOf<kEdges>(task),
             [&](std::uint64_t item, std::uint32_t level) { return visitItem<kEdges>(task, item, level); });
}

__device__ void listSources(const GroupTask& task, std::uint32_t place) {
    for (std::uint64_t k = task.begin[place]; k < task.begin[place + 1]; ++k) task.source[k] = place;
}

__device__ void beginDepths(const GroupTask& task, std::uint32_t place) {
    task.parent[place] = task.order[place] == task.from ? 0 : kNoDepth;
}

__device__ void writeDepths(const GroupTask& task, std::uint32_t place) {
    task.label[task.order[place]] = task.parent[place];
}

__device__ void countReached(const GroupTask& task, std::uint32_t place) {
    if (task.parent[place] != kNoDepth) atomicAdd(&task.flags->reached, task.friends[place]);
}

}  // namespace

}  // namespace gravlab::cuda
