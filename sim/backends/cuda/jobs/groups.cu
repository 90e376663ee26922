// Friends of friends: bodies are sorted by cells or along a curve. Then atomics on the roots join sets, or labels pass from
// friend to friend. In any order of these steps, a group's label is the smallest index in it.
#include "sim/backends/cuda/jobs/groups.h"
#include "sim/backends/cuda/kernels/together.cuh"

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

/// Writes the sum over the block's threads into the first element of `shared`.
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

__global__ void joinBeside(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place < task.count) joinNear(task.tree, place);
}

__global__ void markBoxes(GroupTask task) {
    const std::uint32_t index = ownIndex();
    if (index < task.tree.start[task.pass + 1] - task.tree.start[task.pass]) markJoined(task.tree, task.pass, index);
}

/// A warp works on a leaf: a body is compared with thousands before its group is joined, and with a thread a body the warp
/// would wait for the slowest. Each lane tests one box, the newest first. Where the stack is nearly full, fewer boxes are
/// tested at a time, down to one, which adds at most three a level.
__global__ void joinLeaves(GroupTask task) {
    constexpr std::uint32_t kStack = 512, kDepthFirst = 3 * kFriendLevels, kNoBox = ~0u, kLevelBit = 28;
    static_assert(kFriendLevels <= 1 << (32 - kLevelBit));
    constexpr unsigned kAll = ~0u, kOthers = 32 / kFriendLeaf;
    static_assert(kOthers * kFriendLeaf == 32 && kFriendLeaf % kOthers == 0);
    __shared__ std::uint32_t stacks[kGroupThreads / 32][kStack];
    const FriendTree& tree = task.tree;
    const std::uint32_t leaf = blockIdx.x * (kGroupThreads / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (leaf >= tree.start[1]) return;
    const FriendBox own = tree.boxes[leaf];
    if (!own.joined) return;
    std::uint32_t* const stack = stacks[threadIdx.x / 32];

    // joinNear() has not compared the rest of each row of siblings, from the leaf up.
    std::uint32_t size = 0;
    for (std::uint32_t level = 0, index = leaf + 2; static_cast<int>(level) < tree.levels; ++level) {
        const std::uint32_t boxes = tree.start[level + 1] - tree.start[level];
        if (index >= boxes) break;
        for (; index % kFriendBranch != 0 && index < boxes; ++index) stack[size++] = level << kLevelBit | index;
        index >>= kFriendBranchBits;
        if (static_cast<int>(level) + 1 == tree.levels) break;
    }
    __syncwarp();

    constexpr std::uint32_t kOwn = kFriendLeaf / kOthers;  // bodies of the leaf a lane
    const std::uint32_t first = leaf * kFriendLeaf;
    double at[kOwn][3];
    for (std::uint32_t k = 0; k < kOwn; ++k) {
        const std::uint32_t place = first + lane / kFriendLeaf + kOthers * k;
        for (int axis = 0; axis < 3; ++axis)
            at[k][axis] = place < tree.at.count ? tree.at.axis[axis][place] : kFarAway;  // no friend of any body
    }
    while (size > 0) {
        std::uint32_t taken = size < 32 ? size : 32;
        if (size + 3 * taken > kStack - kDepthFirst)
            taken = size + 6 > kStack - kDepthFirst ? 1 : (kStack - kDepthFirst - size) / 3;
        const std::uint32_t entry = lane < taken ? stack[size - 1 - lane] : kNoBox;
        size -= taken;
        __syncwarp();
        const std::uint32_t level = entry >> kLevelBit, index = entry & ((1u << kLevelBit) - 1);
        bool open = false, joined = false;
        if (entry != kNoBox && index < tree.start[level + 1] - tree.start[level]) {
            const FriendBox& box = tree.boxes[tree.start[level] + index];
            open = mayTouch(own, box, tree.square);
            joined = box.joined;
            if (open && joined) {
                const std::uint32_t there = (index << (kFriendBranchBits * level)) * kFriendLeaf;
                if (groupRoot(tree.parent, first) == groupRoot(tree.parent, there)) {
                    open = false;
                } else if (allTouch(own, box, tree.square)) {
                    joinGroups(tree.parent, first, there);
                    open = false;
                }
            }
        }
        const unsigned inner = __ballot_sync(kAll, open && level > 0);
        if (open && level > 0) {
            const std::uint32_t to = size + kFriendBranch * __popc(inner & ((1u << lane) - 1));
            for (std::uint32_t child = 0; child < kFriendBranch; ++child)
                stack[to + child] = (level - 1) << kLevelBit | ((index << kFriendBranchBits) + child);
        }
        size += kFriendBranch * __popc(inner);
        for (unsigned leaves = __ballot_sync(kAll, open && level == 0); leaves != 0; leaves &= leaves - 1) {
            const int from = __ffs(static_cast<int>(leaves)) - 1;
            const bool one = __shfl_sync(kAll, joined, from) != 0;
            const std::uint32_t other = __shfl_sync(kAll, index, from) * kFriendLeaf + lane % kFriendLeaf;
            const bool there = other < tree.at.count;
            const bool known = there && loadParent(tree.parent + other) == groupRoot(tree.parent, first);
            if (one && __any_sync(kAll, known)) continue;  // bodies of the same set need no test
            bool isFriend = false;
            if (there && !known) {
                const double x = tree.at.axis[0][other], y = tree.at.axis[1][other], z = tree.at.axis[2][other];
                for (const double(&mine)[3] : at)
                    isFriend = isFriend || friendSquare(mine[0] - x, mine[1] - y, mine[2] - z) <= tree.square;
            }
            unsigned friends = __ballot_sync(kAll, isFriend);
            for (unsigned half = 16; half >= kFriendLeaf; half /= 2) friends |= friends >> half;
            friends &= (1u << kFriendLeaf) - 1;
            if (one) friends &= 0u - friends;  // all others of the set are joined with this one
            if (lane < kFriendLeaf && (friends >> lane & 1) != 0) joinGroups(tree.parent, first, other);
            __syncwarp();
        }
        __syncwarp();
    }
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

/// Runs level after level without the host. A launch has a limited number of levels, because a display on the same device
/// waits for it. A level's flag is cleared one level earlier, when no thread reads or sets it: its last read was before the
/// barrier that ended level - 2.
__global__ void goAllLevels(GroupTask task) {
    const FriendLists lists = listsOf(task);
    volatile std::uint32_t* const changed = task.flags->changed;
    for (std::uint32_t turn = 0; turn < task.turns; ++turn) {
        const std::uint32_t level = task.level + turn;
        if (ownIndex() == 0) changed[(level + 1) % 3] = 0;
        bool any = false;
        for (std::uint32_t place = ownIndex(); place < task.count; place += gridDim.x * kGroupThreads)
            any = searchLevel(lists, place, level) || any;
        if (any) changed[level % 3] = 1;
        gridBarrier(&task.flags->arrived, (turn + 1) * gridDim.x);
        if (changed[level % 3] != 0) continue;
        if (ownIndex() == 0) task.flags->levels = level + 1;
        return;
    }
}

__global__ void findLeast(GroupTask task) {
    const std::uint32_t place = ownIndex();
    if (place >= task.count) return;
    // In a large group nearly all atomics would wait for each other and change nothing.
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
Kernel<GroupTask> groupNearKernel() { return kernelOf(joinBeside); }
Kernel<GroupTask> groupMarkKernel() { return kernelOf(markBoxes); }
Kernel<GroupTask> groupLeafKernel() { return kernelOf(joinLeaves); }
Kernel<GroupTask> groupBodyKernel() { return kernelOf(joinBodies); }
Kernel<GroupTask> groupCellKernel() { return kernelOf(joinCells); }
Kernel<GroupTask> groupCountKernel() { return kernelOf(countFriends); }
Kernel<GroupTask> groupListKernel() { return kernelOf(listFriends); }
Kernel<GroupTask> groupBeginKernel() { return kernelOf(beginSearches); }
Kernel<GroupTask> groupLevelKernel() { return kernelOf(goOneLevel); }
Kernel<GroupTask> groupLoopKernel() { return kernelOf(goAllLevels); }
Kernel<GroupTask> groupLeastKernel() { return kernelOf(findLeast); }
Kernel<GroupTask> groupLabelKernel() { return kernelOf(takeLabels); }

std::size_t groupScanBytes(std::uint32_t count) {
    std::size_t bytes = 0;
    const std::uint64_t* from = nullptr;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, static_cast<std::uint64_t*>(nullptr), count + 1));
    return bytes;
}

void scanGroupCounts(const GroupTask& task, void* scratch, std::size_t bytes, Stream stream) {
    const std::uint64_t* from = task.friends;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch, bytes, from, task.begin, task.count + 1, stream));
}

}  // namespace gravlab::cuda
