// Friends of friends: bodies are sorted by cells or along a curve, sets are joined with atomics on their roots, or labels go
// from friend to friend. In whatever order that happens, a group's label is the smallest index in it.
#include "sim/backends/cuda/kernels/grid_barrier.cuh"
#include "sim/backends/cuda/measure/groups.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace gravlab::cuda {
namespace {

constexpr double kFarAway = 1.7e308;

__device__ __forceinline__ std::uint32_t ownIndex() { return blockIdx.x * kGroupThreads + threadIdx.x; }

__device__ FrameSums noSums() {
    return {{kFarAway, kFarAway, kFarAway}, {-kFarAway, -kFarAway, -kFarAway}, {0, 0, 0}, 0, 0, 0};
}

__device__ void addSums(FrameSums& to, const FrameSums& more) {
    for (int axis = 0; axis < 3; ++axis) {
        to.low[axis] = fmin(to.low[axis], more.low[axis]);
        to.high[axis] = fmax(to.high[axis], more.high[axis]);
        to.sum[axis] += more.sum[axis];
    }
    to.counted += more.counted;
    to.reach = fmax(to.reach, more.reach);
    to.far += more.far;
}

/// Of the block's threads, in the first of `shared`.
__device__ void sumOfBlock(FrameSums* shared, const FrameSums& own) {
    shared[threadIdx.x] = own;
    for (unsigned half = kGroupThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) addSums(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    __syncthreads();
}

__global__ void measureFrame(GroupTask task) {
    __shared__ FrameSums shared[kGroupThreads];
    FrameSums own = noSums();
    for (std::uint32_t i = ownIndex(); i < task.count; i += gridDim.x * kGroupThreads) {
        const Double4 body = task.bodies[i];
        const double at[3] = {body.x, body.y, body.z};
        if (!isPlace(at[0]) || !isPlace(at[1]) || !isPlace(at[2])) continue;
        double far = 0;
        for (int axis = 0; axis < 3; ++axis) {
            if (task.pass > 0) {
                far = fmax(far, fabs(at[axis] - task.frame->centre[axis]));
                continue;
            }
            own.low[axis] = fmin(own.low[axis], at[axis]);
            own.high[axis] = fmax(own.high[axis], at[axis]);
            own.sum[axis] += at[axis];
        }
        own.counted += 1;
        own.reach = fmax(own.reach, far);
        own.far += far;
    }
    sumOfBlock(shared, own);
    if (threadIdx.x == 0) task.partial[blockIdx.x] = shared[0];
}

__global__ void endFrame(GroupTask task) {
    __shared__ FrameSums shared[kGroupThreads];
    sumOfBlock(shared, task.partial[threadIdx.x]);
    if (threadIdx.x > 0) return;
    const FrameSums all = shared[0];
    const double counted = fmax(1.0, all.counted);
    FriendFrame& frame = *task.frame;
    if (task.pass > 0) {
        frame.reach = fmin(all.reach, kFriendMeans * all.far / counted);
        return;
    }
    for (int axis = 0; axis < 3; ++axis) {
        frame.low[axis] = all.low[axis];
        frame.high[axis] = all.high[axis];
        frame.centre[axis] = all.sum[axis] / counted;
    }
}
static_assert(kFrameBlocks == kGroupThreads);

__global__ void makeTreeKeys(GroupTask task) {
    const std::uint32_t i = ownIndex();
    if (i >= task.count) return;
    const Double4 body = task.bodies[i];
    task.key[i] = friendTreeKey(*task.frame, body.x, body.y, body.z);
    task.index[i] = i;
}

__global__ void makeGrid(GroupTask task) {
    FriendGrid grid;
    placeGrid(grid, *task.frame, task.length);
    grid.at.count = task.count;
    for (int axis = 0; axis < 3; ++axis) grid.at.axis[axis] = task.axis[axis];
    grid.key = task.sortedKey;
    grid.parent = task.parent;
    *task.grid = grid;
}

__global__ void makeGridKeys(GroupTask task) {
    const std::uint32_t i = ownIndex();
    if (i >= task.count) return;
    const Double4 body = task.bodies[i];
    task.key[i] = cellKey(*task.grid, body.x, body.y, body.z);
    task.index[i] = i;
}

__global__ void gatherPlaces(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place >= task.count) return;
    const Double4 body = task.bodies[task.order[place]];
    task.axis[0][place] = body.x;
    task.axis[1][place] = body.y;
    task.axis[2][place] = body.z;
    task.parent[place] = place;
    task.least[place] = ~0u;
}

__global__ void makeBoxes(GroupTask task) {
    const std::uint32_t index = ownIndex();
    if (index < task.tree.start[task.pass + 1] - task.tree.start[task.pass]) makeFriendBox(task.tree, task.pass, index);
}

__global__ void joinWhole(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count) task.parent[place] = wholeBoxOf(task.tree, place);
}

__global__ void joinLeaves(GroupTask task) {
    const std::uint32_t leaf = ownIndex();
    if (leaf < task.tree.start[1]) joinFromLeaf(task.tree, leaf);
}

__global__ void joinBodies(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count) joinFromBody(task.tree, place);
}

__global__ void joinCells(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place >= task.count) return;
    CellRows rows;
    joinFromCell(*task.grid, place, rows);
}

__global__ void sweep(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count && propagateTo(*task.grid, place)) task.flags->changed[0] = 1;
}

__global__ void countFriends(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place > task.count) return;
    std::uint64_t friends = 0;
    if (place < task.count) forFriends(*task.grid, place, [&](std::uint32_t) { ++friends; });
    task.friends[place] = friends;
}

__global__ void listFriends(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place >= task.count) return;
    std::uint64_t next = task.begin[place];
    forFriends(*task.grid, place, [&](std::uint32_t other) { task.list[next++] = other; });
}

__device__ FriendLists listsOf(const GroupTask& task) { return {task.begin, task.list, task.parent, task.mark}; }

__global__ void beginSearches(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count) beginSearch(listsOf(task), place);
}

__global__ void goOneLevel(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count && searchLevel(listsOf(task), place, task.level)) task.flags->changed[0] = 1;
}

/// Level after level, without the host. A level's flag is cleared a level before, when nobody reads or sets it: it was read
/// last before the barrier that ended the level before that.
__global__ void goAllLevels(GroupTask task) {
    const FriendLists lists = listsOf(task);
    volatile std::uint32_t* const changed = task.flags->changed;
    for (std::uint32_t level = 0;; ++level) {
        if (ownIndex() == 0) changed[(level + 1) % 3] = 0;
        bool any = false;
        for (std::uint32_t place = ownIndex(); place < task.count; place += gridDim.x * kGroupThreads)
            any = searchLevel(lists, place, level) || any;
        if (any) changed[level % 3] = 1;
        gridBarrier(&task.flags->arrived, (level + 1) * gridDim.x);
        if (changed[level % 3] != 0) continue;
        if (ownIndex() == 0) task.flags->levels = level + 1;
        return;
    }
}

__global__ void findLeast(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place >= task.count) return;
    // Of a large group nearly all would wait for each other to change nothing.
    std::uint32_t* least = task.least + groupRoot(task.parent, place);
    if (task.order[place] < loadParent(least)) lowerParent(least, task.order[place]);
}

__global__ void takeLabels(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count) task.label[task.order[place]] = task.least[groupRoot(task.parent, place)];
}

}  // namespace

Kernel<GroupTask> groupFrameKernel() { return kernelOf(measureFrame); }
Kernel<GroupTask> groupFrameEndKernel() { return kernelOf(endFrame); }
Kernel<GroupTask> groupTreeKeyKernel() { return kernelOf(makeTreeKeys); }
Kernel<GroupTask> groupGridKernel() { return kernelOf(makeGrid); }
Kernel<GroupTask> groupGridKeyKernel() { return kernelOf(makeGridKeys); }
Kernel<GroupTask> groupGatherKernel() { return kernelOf(gatherPlaces); }
Kernel<GroupTask> groupBoxKernel() { return kernelOf(makeBoxes); }
Kernel<GroupTask> groupWholeKernel() { return kernelOf(joinWhole); }
Kernel<GroupTask> groupLeafKernel() { return kernelOf(joinLeaves); }
Kernel<GroupTask> groupBodyKernel() { return kernelOf(joinBodies); }
Kernel<GroupTask> groupCellKernel() { return kernelOf(joinCells); }
Kernel<GroupTask> groupSweepKernel() { return kernelOf(sweep); }
Kernel<GroupTask> groupCountKernel() { return kernelOf(countFriends); }
Kernel<GroupTask> groupListKernel() { return kernelOf(listFriends); }
Kernel<GroupTask> groupBeginKernel() { return kernelOf(beginSearches); }
Kernel<GroupTask> groupLevelKernel() { return kernelOf(goOneLevel); }
Kernel<GroupTask> groupLoopKernel() { return kernelOf(goAllLevels); }
Kernel<GroupTask> groupLeastKernel() { return kernelOf(findLeast); }
Kernel<GroupTask> groupLabelKernel() { return kernelOf(takeLabels); }

std::size_t groupScratchBytes(std::uint32_t count) {
    std::size_t sort = 0, scan = 0;
    const std::uint64_t* keys = nullptr;
    const std::uint32_t* values = nullptr;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, sort, keys, static_cast<std::uint64_t*>(nullptr), values,
                                               static_cast<std::uint32_t*>(nullptr), count, 0, kTreeKeyBits));
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, scan, keys, static_cast<std::uint64_t*>(nullptr), count + 1));
    return sort > scan ? sort : scan;
}

void sortGroupKeys(const GroupTask& task, void* scratch, std::size_t bytes, Stream stream) {
    const std::uint64_t* keys = task.key;
    const std::uint32_t* values = task.index;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, task.sortedKey, values, task.order, task.count, 0,
                                               kTreeKeyBits, stream));
}

void scanGroupCounts(const GroupTask& task, void* scratch, std::size_t bytes, Stream stream) {
    const std::uint64_t* from = task.friends;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, task.begin, task.count + 1, stream));
}

}  // namespace gravlab::cuda
