// The launches that find groups and depths, and their rungs.
#include "sim/backends/cuda/jobs/groups.h"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/groups.h"
#include "sim/core/error.h"
#include "sim/core/text.h"

#include <algorithm>
#include <chrono>

namespace gravlab {
namespace cuda {
namespace {

using Clock = std::chrono::steady_clock;

enum class GroupWay { searchFromHost, searchOnDevice, grid, tree };
/// A thread a node or an edge, where the host or the device repeats the levels.
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
    throw OutOfMemoryError(formatted("%s would take %.1f GiB of device memory, %.1f GiB are free; %s", what.c_str(),
                                     bytes / kGibibyte, static_cast<double>(free) / kGibibyte, advice));
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
        bodies_ = DeviceArray<Double4>(n);
        partial_ = DeviceArray<FrameSums>(kFrameBlocks);
        frame_ = DeviceArray<FriendFrame>(1);
        key_ = DeviceArray<std::uint64_t>(n);
        sortedKey_ = DeviceArray<std::uint64_t>(n);
        for (auto* words : {&index_, &order_, &parent_, &least_, &label_}) *words = DeviceArray<std::uint32_t>(n);
        for (auto& values : axis_) values = DeviceArray<double>(n);
        scratch_ = DeviceArray<std::uint8_t>(std::max(sortBytes(n), groupScanBytes(n)));
        grid_ = DeviceArray<FriendGrid>(1);
        flags_ = DeviceArray<GroupFlags>(1);
        if (way == GroupWay::tree) boxes_ = DeviceArray<FriendBox>(task_.tree.start[task_.tree.levels]);
        if (searches(way)) {
            friends_ = DeviceArray<std::uint64_t>(n + std::size_t{1});
            begin_ = DeviceArray<std::uint64_t>(n + std::size_t{1});
            mark_ = DeviceArray<std::uint32_t>(n);
        }
        host_ = PinnedArray<std::uint64_t>(1);
        task_.bodies = bodies_.data();
        task_.partial = partial_.data();
        task_.frame = frame_.data();
        task_.key = key_.data();
        task_.sortedKey = sortedKey_.data();
        task_.index = index_.data();
        task_.order = order_.data();
        task_.parent = task_.tree.parent = parent_.data();
        task_.least = least_.data();
        task_.label = label_.data();
        task_.grid = grid_.data();
        task_.flags = flags_.data();
        task_.friends = friends_.data();
        task_.begin = begin_.data();
        task_.mark = mark_.data();
        for (int axis = 0; axis < 3; ++axis) task_.tree.at.axis[axis] = task_.axis[axis] = axis_[axis].data();
        task_.tree.boxes = boxes_.data();
        task_.tree.square = length * length;
        CUDA_CHECK(copyAsync(bodies_.data(), bodies.position.data(), bodies_.bytes(), Copy::toDevice, stream_));
        CUDA_CHECK(waitForStream(stream_));
    }
    ~GroupSearchOnDevice() { waitForStream(stream_); }  // members that the device uses are released next
    GroupSearchOnDevice(const GroupSearchOnDevice&) = delete;
    GroupSearchOnDevice& operator=(const GroupSearchOnDevice&) = delete;

    FoundGroups find() {
        FoundGroups found;
        const Clock::time_point start = Clock::now();
        measure();
        if (way_ == GroupWay::tree)
            byTree();
        else
            byCells(found);
        run(groupLeastKernel());
        run(groupLabelKernel());
        CUDA_CHECK(waitForStream(stream_));
        found.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        found.labels.resize(task_.count);
        CUDA_CHECK(copyAsync(found.labels.data(), label_.data(), label_.bytes(), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
        return found;
    }

    /// The object must have been made for a search with lists.
    FoundDepths findDepths(DepthWay way, std::uint32_t from) {
        FoundDepths found;
        const Clock::time_point start = Clock::now();
        measure();
        makeCells();
        constexpr const char* kAdvice = "take a shorter linking length, or --backend cpu";
        const std::uint64_t friends = listFriends(kAdvice);
        task_.from = from;
        task_.edges = friends;
        if (way.edges) {
            requireFriendMemory(friends, kAdvice);
            source_ = DeviceArray<std::uint32_t>(std::max<std::uint64_t>(1, friends));
            task_.source = source_.data();
            run(depthSourceKernel());
        }
        run(depthBeginKernel());
        const std::uint64_t items = way.edges ? friends : task_.count;
        const std::uint32_t levels = way.onDevice ? allLevels(depthLoopKernel(way.edges), items)
                                                  : untilNothingChanges(depthLevelKernel(way.edges), items);
        run(depthWriteKernel());
        CUDA_CHECK(waitForStream(stream_));
        found.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        run(depthReachedKernel());
        const double bodies = task_.count, reached = static_cast<double>(read(&flags_.data()->reached));
        found.depths.resize(task_.count);
        CUDA_CHECK(copyAsync(found.depths.data(), label_.data(), label_.bytes(), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
        // A level looks at every node or at every edge; a thread of a node then looks at its friends.
        const double visits = static_cast<double>(levels) * static_cast<double>(items) + (way.edges ? 0 : reached);
        found.figures = {{"friends a body", "", static_cast<double>(friends) / bodies},
                         {"levels", "", static_cast<double>(levels)},
                         {"visits a body", "", visits / bodies}};
        return found;
    }

private:
    void run(Kernel<GroupTask> kernel, std::size_t threads) {
        const auto blocks = static_cast<unsigned>((threads + kGroupThreads - 1) / kGroupThreads);
        launchKernel(kernel, {blocks}, kGroupThreads, task_, 0, stream_);
    }
    void run(Kernel<GroupTask> kernel) { run(kernel, task_.count); }

    void measure() {
        for (task_.pass = 0; task_.pass < 2; ++task_.pass) {
            launchKernel(groupFrameKernel(), {kFrameBlocks}, kGroupThreads, task_, 0, stream_);
            launchKernel(groupFrameEndKernel(), {1}, kGroupThreads, task_, 0, stream_);
        }
    }

    void sortByKeys() {
        sortKeys(keysOf(task_), scratch_.data(), scratch_.size(), stream_);
        run(groupGatherKernel());
    }

    void byTree() {
        run(groupTreeKeyKernel());
        sortByKeys();
        const FriendTree& tree = task_.tree;
        for (task_.pass = 0; task_.pass < tree.levels; ++task_.pass)
            run(groupBoxKernel(), tree.start[task_.pass + 1] - tree.start[task_.pass]);
        run(groupWholeKernel());
        run(groupNearKernel());
        for (task_.pass = 0; task_.pass < tree.levels; ++task_.pass)
            run(groupMarkKernel(), tree.start[task_.pass + 1] - tree.start[task_.pass]);
        run(groupLeafKernel(), std::size_t{32} * tree.start[1]);
        run(groupBodyKernel());
    }

    void makeCells() {
        launchKernel(groupGridKernel(), {1}, 1, task_, 0, stream_);
        run(groupGridKeyKernel());
        sortByKeys();
    }
    static void requireFriendMemory(std::uint64_t friends, const char* advice) {
        requireGroupMemory(static_cast<double>(friends) * sizeof(std::uint32_t),
                           "the lists of " + std::to_string(friends) + " friends", advice);
    }
    /// Returns the number of all friends. `advice`: for lists that do not fit.
    std::uint64_t listFriends(const char* advice) {
        run(groupCountKernel(), task_.count + std::size_t{1});
        scanGroupCounts(task_, scratch_.data(), scratch_.size(), stream_);
        const std::uint64_t friends = read(begin_.data() + task_.count);
        requireFriendMemory(friends, advice);
        list_ = DeviceArray<std::uint32_t>(std::max<std::uint64_t>(1, friends));
        task_.list = list_.data();
        run(groupListKernel());
        return friends;
    }

    void byCells(FoundGroups& found) {
        makeCells();
        if (way_ == GroupWay::grid) return run(groupCellKernel());
        const std::uint64_t friends = listFriends("take --kernel union-tree, which keeps none");
        run(groupBeginKernel());
        const std::uint32_t levels = way_ == GroupWay::searchFromHost ? untilNothingChanges(groupLevelKernel(), task_.count)
                                                                      : allLevels(groupLoopKernel(), task_.count);
        found.figures = {{"friends a body", "", static_cast<double>(friends) / task_.count},
                         {"levels", "", static_cast<double>(levels)}};
    }

    template <class T>
    T read(const T* from) {
        static_assert(sizeof(T) <= sizeof(std::uint64_t));
        CUDA_CHECK(copyAsync(host_.data(), from, sizeof(T), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
        return *reinterpret_cast<const T*>(host_.data());
    }

    /// Launches until no label was lowered, which the host reads after every launch. Returns the number of launches.
    std::uint32_t untilNothingChanges(Kernel<GroupTask> kernel, std::size_t threads) {
        for (task_.level = 0;; ++task_.level) {
            CUDA_CHECK(fillAsync(flags_.data(), 0, flags_.bytes(), stream_));
            run(kernel, std::max<std::size_t>(1, threads));  // a graph may have no edge
            if (read(&flags_.data()->changed[0]) == 0) return task_.level + 1;
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
        const std::size_t wanted = std::max<std::size_t>(1, (items + kGroupThreads - 1) / kGroupThreads);
        task_.turns = std::max(kFewestLevels, static_cast<std::uint32_t>(kItemsALaunch / std::max<std::size_t>(1, items)));
        for (task_.level = 0;; task_.level += task_.turns) {
            CUDA_CHECK(fillAsync(flags_.data(), 0, flags_.bytes(), stream_));
            launchResident(kernel, {static_cast<unsigned>(std::min(most, wanted))}, kGroupThreads, task_, 0, stream_);
            if (const std::uint32_t levels = read(&flags_.data()->levels); levels > 0) return levels;
        }
    }

    GroupWay way_;
    DeviceFacts device_;
    OwnedStream stream_;
    GroupTask task_{};
    DeviceArray<Double4> bodies_;
    DeviceArray<FrameSums> partial_;
    DeviceArray<FriendFrame> frame_;
    DeviceArray<std::uint64_t> key_, sortedKey_, friends_, begin_;
    DeviceArray<std::uint32_t> index_, order_, parent_, least_, label_, list_, mark_, source_;
    DeviceArray<double> axis_[3];
    DeviceArray<std::uint8_t> scratch_;
    DeviceArray<FriendBox> boxes_;
    DeviceArray<FriendGrid> grid_;
    DeviceArray<GroupFlags> flags_;
    PinnedArray<std::uint64_t> host_;
};

template <GroupWay kWay>
constexpr GroupRung onDevice(const char* name, const char* idea) {
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

constexpr GroupRung kCudaRungs[] = {
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
constexpr DepthRung kCudaDepthRungs[] = {
    {"cuda", "edges-host", "a thread an edge: each level reads all of them, without a loop in a thread; the host repeats it",
     depthsBy<true, false>},
    {"cuda", "edges-device", "the same in one launch: a barrier over the whole device ends a level", depthsBy<true, true>},
    {"cuda", "nodes-device", "a thread a node, whose friends it reaches one by one; a barrier over the device ends a level",
     depthsBy<false, true>},
    {"cuda", "nodes-host", "the same, where the host launches each level and reads a flag", depthsBy<false, false>},
};

}  // namespace
}  // namespace cuda

std::span<const DepthRung> cudaDepthRungs() { return cuda::kCudaDepthRungs; }

std::span<const GroupRung> cudaGroupRungs() { return cuda::kCudaRungs; }

}  // namespace gravlab
