// Groups of bodies on a device: the parameters of its kernels. The functions that decide are those of the host, see friends.h.
#pragma once
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/core/vec3.h"
#include "sim/groups/friends.h"

#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kGroupThreads = 256, kFrameBlocks = 256;

/// What a block knows of where its bodies lie.
struct FrameSums {
    double low[3], high[3], sum[3], counted, reach, far;
};

/// What searches tell each other between levels.
struct GroupFlags {
    std::uint32_t changed[3];  ///< something was lowered at the level; the next one's is cleared meanwhile
    std::uint32_t arrived;     ///< blocks at a barrier
    std::uint32_t levels;      ///< that were gone through; 0: there are more
};

struct GroupTask {
    const Double4* bodies;
    std::uint32_t count;
    double length;
    int pass;  ///< of the frame, or level of boxes
    FrameSums* partial;
    FriendFrame* frame;
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    double* axis[3];               ///< in the order of places
    std::uint32_t *parent, *least, *label;
    FriendTree tree;
    FriendGrid* grid;
    std::uint64_t *friends, *begin;  ///< of each place; sums of those before, one more at the end
    std::uint32_t *list, *mark;
    GroupFlags* flags;
    std::uint32_t level;  ///< at which a launch begins
    std::uint32_t turns;  ///< levels of a launch of groupLoopKernel() at most
};

// Both passes: of kFrameBlocks blocks, and then of one.
Kernel<GroupTask> groupFrameKernel();
Kernel<GroupTask> groupFrameEndKernel();
// A thread a body, or a place.
Kernel<GroupTask> groupTreeKeyKernel();
Kernel<GroupTask> groupGridKernel();  ///< one thread: places the grid
Kernel<GroupTask> groupGridKeyKernel();
// Here the keys are sorted, see sortKeys().
Kernel<GroupTask> groupGatherKernel();  ///< each place is a root
Kernel<GroupTask> groupBoxKernel();     ///< a thread a box of level `pass`
Kernel<GroupTask> groupWholeKernel();
Kernel<GroupTask> groupNearKernel();
Kernel<GroupTask> groupMarkKernel();  ///< a thread a box of level `pass`
Kernel<GroupTask> groupLeafKernel();  ///< a warp a leaf
Kernel<GroupTask> groupBodyKernel();
Kernel<GroupTask> groupCellKernel();
Kernel<GroupTask> groupCountKernel();  ///< one place more, which has none
// Here the counts are added up, see scanGroupCounts().
Kernel<GroupTask> groupListKernel();
Kernel<GroupTask> groupBeginKernel();
Kernel<GroupTask> groupLevelKernel();
Kernel<GroupTask> groupLoopKernel();  ///< up to `turns` levels; its blocks are resident at once
Kernel<GroupTask> groupLeastKernel();
Kernel<GroupTask> groupLabelKernel();

/// Bytes that scanGroupCounts() needs besides. Throws DeviceError.
std::size_t groupScanBytes(std::uint32_t count);
void scanGroupCounts(const GroupTask& task, void* scratch, std::size_t bytes, Stream stream);

}  // namespace gravlab::cuda
