// Friends of friends: bodies are sorted by cells or along a curve. Then atomics on the roots join sets, or labels pass from
// friend to friend. In any order of these steps, a group's label is the smallest index in it.
#include "sim/api/errors.h"
#include "sim/backends/cuda/jobs/groups.cuh"
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/groups.h"

#include <cub/device/device_scan.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace gravlab {
namespace cuda {
namespace {

/// Blocks of the first pass of a frame; the second has one.
constexpr unsigned kFrameBlocks = 256;
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

__device__ void makeTreeKeys(const GroupTask& task, std::uint32_t i) {
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

__device__ void makeGridKeys(const GroupTask& task, std::uint32_t i) {
    const Double4 body = task.bodies[i];
    task.key[i] = cellKey(*task.grid, body.x, body.y, body.z);
    task.index[i] = i;
}

__device__ void gatherPlaces(const GroupTask& task, std::uint32_t place) {
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

__device__ void joinWhole(const GroupTask& task, std::uint32_t place) { task.parent[place] = wholeBoxOf(task.tree, place); }

__device__ void joinBeside(const GroupTask& task, std::uint32_t place) { joinNear(task.tree, place); }

__global__ void markBoxes(GroupTask task) {
    const std::uint32_t index = ownIndex();
    if (index < task.tree.start[task.pass + 1] - task.tree.start[task.pass]) markJoined(task.tree, task.pass, index);
}

/// A warp works on a leaf: a body is compared with thousands before its group is joined, and with a thread per body the warp
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

__device__ void joinBodies(const GroupTask& task, std::uint32_t place) { joinFromBody(task.tree, place); }

__device__ void joinCells(const GroupTask& task, std::uint32_t place) {
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

__device__ void listFriends(const GroupTask& task, std::uint32_t place) {
    std::uint64_t next = task.begin[place];
    forFriends(*task.grid, place, [&](std::uint32_t other) { task.list[next++] = other; });
}

__device__ FriendLists listsOf(const GroupTask& task) { return {task.begin, task.list, task.parent, task.mark}; }

__device__ void beginSearches(const GroupTask& task, std::uint32_t place) { beginSearch(listsOf(task), place); }

__device__ void goOneLevel(const GroupTask& task, std::uint32_t place) {
    if (searchLevel(listsOf(task), place, task.level)) task.flags->changed[0] = 1;
}

__global__ void goAllLevels(GroupTask task) {
    const FriendLists lists = listsOf(task);
    goLevels(task, task.count, [&](std::uint64_t place, std::uint32_t level) {
        return searchLevel(lists, static_cast<std::uint32_t>(place), level);
    });
}

__device__ void findLeast(const GroupTask& task, std::uint32_t place) {
    // In a large group nearly all atomics would wait for each other and change nothing.
    std::uint32_t* least = task.least + groupRoot(task.parent, place);
    if (task.order[place] < loadParent(least)) lowerParent(least, task.order[place]);
}

__device__ void takeLabels(const GroupTask& task, std::uint32_t place) {
    task.label[task.order[place]] = task.least[groupRoot(task.parent, place)];
}

/// Bytes of scratch memory of scanGroupCounts(). Throws DeviceError.
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

using GroupClock = std::chrono::steady_clock;

enum class GroupWay { searchFromHost, searchOnDevice, grid, tree };
/// A thread per node or edge, where the host or the device repeats the levels.
struct DepthWay {
    bool edges, onDevice;
};

bool searches(GroupWay way) { return way == GroupWay::searchFromHost || way == GroupWay::searchOnDevice; }

/// Bytes of device memory without the lists of friends, whose size is unknown before they are counted.
double groupBytes(GroupWay way, std::size_t bodies) {
    // A body needs its position, its place, two keys and five words; the sort's scratch is about a key and a word.
    double each = sizeof(Double4) + 3 * sizeof(double) + 2 * sizeof(std::uint64_t) + 5 * sizeof(std::uint32_t) + 13;
    if (way == GroupWay::tree) each += sizeof(FriendBox) / static_cast<double>(kFriendLeaf) * 4 / 3;
    if (searches(way)) each += 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t);
    return each * static_cast<double>(bodies);
}

/// Throws before an allocation that the free memory cannot hold.
void requireGroupMemory(double bytes, const std::string& what, const char* advice) {
    std::size_t free = 0, total = 0;
    CUDA_CHECK(memoryInfo(free, total));
    if (bytes <= 0.95 * static_cast<double>(free)) return;
    constexpr double kGibibyte = 1024.0 * 1024 * 1024;
    char text[300];
    std::snprintf(text, sizeof text, "%s would take %.1f GiB of device memory, %.1f GiB are free; %s", what.c_str(),
                  bytes / kGibibyte, static_cast<double>(free) / kGibibyte, advice);
    throw OutOfMemoryError(text);
}

/// The device of that index, made current.
DeviceFacts currentDevice(int index) {
    DeviceFacts device;
    CUDA_CHECK(deviceFacts(index, device));
    CUDA_CHECK(setDevice(index));
    return device;
}

class GroupSearchOnDevice {
public:
    GroupSearchOnDevice(GroupWay way, const ParticleSet& bodies, double length, int device)
        : way_(way), device_(currentDevice(device)) {
        const auto n = static_cast<std::uint32_t>(bodies.size());
        requireGroupMemory(groupBytes(way, n), "finding groups of " + std::to_string(n) + " bodies",
                           "ask for fewer bodies, or --backend cpu");
        task_.count = n;
        task_.length = length;
        task_.tree = friendTreeOf(n);
        task_.bodies = make<Double4>(n);
        task_.partial = make<FrameSums>(kFrameBlocks);
        task_.frame = make<FriendFrame>(1);
        task_.key = make<std::uint64_t>(n);
        task_.sortedKey = make<std::uint64_t>(n);
        for (auto* words : {&task_.index, &task_.order, &task_.parent, &task_.least, &task_.label})
            *words = make<std::uint32_t>(n);
        task_.tree.parent = task_.parent;
        for (int axis = 0; axis < 3; ++axis) task_.tree.at.axis[axis] = task_.axis[axis] = make<double>(n);
        scratch_ = DeviceArray<std::uint8_t>(std::max(sortBytes(n), groupScanBytes(n)));
        task_.grid = make<FriendGrid>(1);
        task_.flags = make<GroupFlags>(1);
        if (way == GroupWay::tree) task_.tree.boxes = make<FriendBox>(task_.tree.start[task_.tree.levels]);
        if (searches(way)) {
            task_.friends = make<std::uint64_t>(n + std::size_t{1});
            task_.begin = make<std::uint64_t>(n + std::size_t{1});
            task_.mark = make<std::uint32_t>(n);
        }
        host_ = PinnedArray<std::uint64_t>(1);
        task_.tree.square = length * length;
        copyNow(task_.bodies, bodies.position.data(), n, Copy::toDevice, stream_);
    }
    ~GroupSearchOnDevice() { waitForStream(stream_); }  // members that the device uses are released next
    GroupSearchOnDevice(const GroupSearchOnDevice&) = delete;
    GroupSearchOnDevice& operator=(const GroupSearchOnDevice&) = delete;

    FoundGroups find() {
        FoundGroups found;
        const GroupClock::time_point start = GroupClock::now();
        measure();
        if (way_ == GroupWay::tree)
            byTree();
        else
            byCells(found);
        each<findLeast>();
        each<takeLabels>();
        CUDA_CHECK(waitForStream(stream_));
        found.seconds = std::chrono::duration<double>(GroupClock::now() - start).count();
        fetchLabels(found.labels);
        return found;
    }

    /// The object must have been made for a search with lists.
    FoundDepths findDepths(DepthWay way, std::uint32_t from) {
        FoundDepths found;
        const GroupClock::time_point start = GroupClock::now();
        measure();
        makeCells();
        constexpr const char* kAdvice = "take a shorter linking length, or --backend cpu";
        const std::uint64_t friends = listFriends(kAdvice);
        task_.from = from;
        task_.edges = friends;
        if (way.edges) {
            requireFriendMemory(friends, kAdvice);
            task_.source = make<std::uint32_t>(std::max<std::uint64_t>(1, friends));
            each<listSources>();
        }
        each<beginDepths>();
        const std::uint64_t items = way.edges ? friends : task_.count;
        const std::uint32_t levels =
            way.onDevice ? allLevels(kernelOf(way.edges ? visitAllLevels<true> : visitAllLevels<false>), items)
                         : untilNothingChanges(kernelOf(way.edges ? visitLevel<true> : visitLevel<false>), items);
        each<writeDepths>();
        CUDA_CHECK(waitForStream(stream_));
        found.seconds = std::chrono::duration<double>(GroupClock::now() - start).count();
        each<countReached>();
        const double bodies = task_.count, reached = static_cast<double>(read(&task_.flags->reached));
        fetchLabels(found.depths);
        // A level looks at every node or at every edge; a thread of a node then looks at its friends.
        const double visits = static_cast<double>(levels) * static_cast<double>(items) + (way.edges ? 0 : reached);
        found.figures = {{"friends a body", "", static_cast<double>(friends) / bodies},
                         {"levels", "", static_cast<double>(levels)},
                         {"visits a body", "", visits / bodies}};
        return found;
    }

private:
    template <class T>
    T* make(std::size_t count) {
        return arrays_.make<T>(count);
    }
    void fetchLabels(std::vector<std::uint32_t>& to) {
        to.resize(task_.count);
        copyNow(to.data(), task_.label, to.size(), Copy::toHost, stream_);
    }
    void run(Kernel<GroupTask> kernel, std::size_t threads) { launchEach(kernel, threads, kGroupThreads, task_, stream_); }
    template <void (*kDo)(const GroupTask&, std::uint32_t)>
    void each() {
        run(kernelOf(eachPlace<kDo>), task_.count);
    }

    void measure() {
        for (task_.pass = 0; task_.pass < 2; ++task_.pass) {
            launchKernel(kernelOf(measureFrame), {kFrameBlocks}, kGroupThreads, task_, 0, stream_);
            launchKernel(kernelOf(endFrame), {1}, kGroupThreads, task_, 0, stream_);
        }
    }

    void sortByKeys() {
        sortKeys(keysOf(task_), scratch_.data(), scratch_.size(), stream_);
        each<gatherPlaces>();
    }

    void byTree() {
        each<makeTreeKeys>();
        sortByKeys();
        const FriendTree& tree = task_.tree;
        for (task_.pass = 0; task_.pass < tree.levels; ++task_.pass)
            run(kernelOf(makeBoxes), tree.start[task_.pass + 1] - tree.start[task_.pass]);
        each<joinWhole>();
        each<joinBeside>();
        for (task_.pass = 0; task_.pass < tree.levels; ++task_.pass)
            run(kernelOf(markBoxes), tree.start[task_.pass + 1] - tree.start[task_.pass]);
        run(kernelOf(joinLeaves), std::size_t{32} * tree.start[1]);
        each<joinBodies>();
    }

    void makeCells() {
        launchKernel(kernelOf(makeGrid), {1}, 1, task_, 0, stream_);
        each<makeGridKeys>();
        sortByKeys();
    }
    static void requireFriendMemory(std::uint64_t friends, const char* advice) {
        requireGroupMemory(static_cast<double>(friends) * sizeof(std::uint32_t),
                           "the lists of " + std::to_string(friends) + " friends", advice);
    }
    /// Returns the number of all friends. `advice`: for lists that do not fit.
    std::uint64_t listFriends(const char* advice) {
        run(kernelOf(countFriends), task_.count + std::size_t{1});
        scanGroupCounts(task_, scratch_.data(), scratch_.size(), stream_);
        const std::uint64_t friends = read(task_.begin + task_.count);
        requireFriendMemory(friends, advice);
        task_.list = make<std::uint32_t>(std::max<std::uint64_t>(1, friends));
        each<cuda::listFriends>();
        return friends;
    }

    void byCells(FoundGroups& found) {
        makeCells();
        if (way_ == GroupWay::grid) return each<joinCells>();
        const std::uint64_t friends = listFriends("take --kernel union-tree, which keeps none");
        each<beginSearches>();
        const std::uint32_t levels = way_ == GroupWay::searchFromHost
                                         ? untilNothingChanges(kernelOf(eachPlace<goOneLevel>), task_.count)
                                         : allLevels(kernelOf(goAllLevels), task_.count);
        found.figures = {{"friends a body", "", static_cast<double>(friends) / task_.count},
                         {"levels", "", static_cast<double>(levels)}};
    }

    template <class T>
    T read(const T* from) {
        static_assert(sizeof(T) <= sizeof(std::uint64_t));
        T* const here = reinterpret_cast<T*>(host_.data());
        copyNow(here, from, 1, Copy::toHost, stream_);
        return *here;
    }

    /// Launches until no label was lowered, which the host reads after every launch. Returns the number of launches.
    std::uint32_t untilNothingChanges(Kernel<GroupTask> kernel, std::size_t threads) {
        for (task_.level = 0;; ++task_.level) {
            CUDA_CHECK(fillAsync(task_.flags, 0, sizeof(GroupFlags), stream_));
            run(kernel, std::max<std::size_t>(1, threads));  // a graph may have no edge
            if (read(&task_.flags->changed[0]) == 0) return task_.level + 1;
        }
    }

    /// Levels of one launch, and more launches where they do not end. `items`: threads of a level.
    std::uint32_t allLevels(Kernel<GroupTask> kernel, std::size_t items) {
        // A level reads every item, which costs some 20 us for a million.
        constexpr std::size_t kItemsALaunch = std::size_t{1} << 26;
        constexpr std::uint32_t kFewestLevels = 16;
        int resident = 0;
        CUDA_CHECK(residentBlocks(resident, kernel.address, kGroupThreads, 0));
        const std::size_t most =
            static_cast<std::size_t>(std::max(1, resident)) * static_cast<std::size_t>(std::max(1, device_.multiprocessors));
        const std::size_t wanted = blocksFor(std::max<std::size_t>(1, items), kGroupThreads);
        task_.turns = std::max(kFewestLevels, static_cast<std::uint32_t>(kItemsALaunch / std::max<std::size_t>(1, items)));
        for (task_.level = 0;; task_.level += task_.turns) {
            CUDA_CHECK(fillAsync(task_.flags, 0, sizeof(GroupFlags), stream_));
            launchResident(kernel, {static_cast<unsigned>(std::min(most, wanted))}, kGroupThreads, task_, 0, stream_);
            if (const std::uint32_t levels = read(&task_.flags->levels); levels > 0) return levels;
        }
    }

    GroupWay way_;
    DeviceFacts device_;
    OwnedStream stream_;
    GroupTask task_{};
    DeviceArrays arrays_;  ///< of the task
    DeviceArray<std::uint8_t> scratch_;
    PinnedArray<std::uint64_t> host_;
};

template <GroupWay kWay>
constexpr GroupRow onDevice(const char* name, const char* idea) {
    return {"cuda", name, idea, [](std::size_t bodies) { return groupBytes(kWay, bodies); },
            [](const ParticleSet& bodies, double length, const BackendOptions& options) {
                return GroupSearchOnDevice(kWay, bodies, length, options.device).find();
            }};
}
template <bool kEdges, bool kOnDevice>
FoundDepths depthsBy(const ParticleSet& bodies, double length, std::uint32_t from, const BackendOptions& options) {
    return GroupSearchOnDevice(GroupWay::searchOnDevice, bodies, length, options.device)
        .findDepths({.edges = kEdges, .onDevice = kOnDevice}, from);
}

constexpr GroupRow kCudaRows[] = {
    onDevice<GroupWay::searchFromHost>(
        "bfs-host", "breadth-first search over lists of friends, level by level: the host launches each and reads a flag"),
    onDevice<GroupWay::searchOnDevice>(
        "bfs-device", "the same in one launch: a barrier over the whole device ends a level, the host is out of the loop"),
    onDevice<GroupWay::grid>("union-grid",
                             "sets are joined in one pass with atomics on their roots, cell by cell of a grid"),
    onDevice<GroupWay::tree>("union-tree",
                             "sets are joined over a tree: boxes out of reach are left out, boxes of one set taken at once"),
};

// The last one is the row for pictures.
constexpr DepthRow kCudaDepthRows[] = {
    {"cuda", "edges-host", "a thread an edge: each level reads all of them, without a loop in a thread; the host repeats it",
     depthsBy<true, false>},
    {"cuda", "edges-device", "the same in one launch: a barrier over the whole device ends a level", depthsBy<true, true>},
    {"cuda", "nodes-device", "a thread a node, whose friends it reaches one by one; a barrier over the device ends a level",
     depthsBy<false, true>},
    {"cuda", "nodes-host", "the same, where the host launches each level and reads a flag", depthsBy<false, false>},
};

}  // namespace
}  // namespace cuda

std::span<const DepthRow> cudaDepthRows() { return cuda::kCudaDepthRows; }

std::span<const GroupRow> cudaGroupRows() { return cuda::kCudaRows; }

}  // namespace gravlab
