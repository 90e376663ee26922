// The tree on a device: the parameters of its kernels. A step of the build reads what the step before left in device memory; the
// host knows the number of bodies and nothing else, so nothing waits.
// Rule: sums are in an order that bodies and criterion alone decide; atomics only count.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/tree/rung.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kTreeThreads = 256;
/// What leaves may have, one after the other, where room for nodes ends. With the last every tree must fit.
constexpr int kWiderLeaves[] = {64, 256};
constexpr int kWidestLeaf = 256;
/// Powers of two, so that scaling rounds nothing, and the floor of accelerations.
struct TreeScale {
    float length;        ///< a coordinate times this is about 1 at the edge of the box
    float source;        ///< a source times this: all together are at most 1
    float acceleration;  ///< what a scaled acceleration is multiplied by
    float smallest;      ///< kSmallestShare of the rms acceleration, not scaled
};

/// Counts of one evaluation: `cells` act on one body each, expanded ones on a group.
struct TreeCounts {
    unsigned long long pairs, cells, expandedLow, expandedHigh, visited;
};

/// What one evaluation makes of its bodies.
struct TreeFacts {
    std::uint32_t nodes, groups;
    std::uint32_t deepest;  ///< level
    std::uint32_t leaves;
    std::uint32_t longest;    ///< list of a group: bodies and cells, expanded ones included
    std::uint32_t wanted[2];  ///< nodes with leaves of kTreeLeaf bodies; and where that is too many, of kWiderLeaves[0]
};

/// Two float4 a node that a test reads, two with its moments, two with its box.
struct TreeNodes {
    Float4* centre;   ///< [2 id] centre and source; [2 id + 1] farthest body, |source| times its cube, first, count
    Float4* moments;  ///< [2 id] xx yy zz xy; [2 id + 1] xz yz
    Float4* box;      ///< [2 id] low and bodies; [2 id + 1] high
    std::uint32_t* parent;
    std::uint32_t* arrived;  ///< children that are done
    std::uint8_t* level;     ///< and whether it has no children but leaves
};

struct TreeTask {
    const Float4* bodies;  ///< positions and sources, in body order
    const float* before;   ///< |a| of the last evaluation, in body order; null: not known
    std::uint32_t count;
    std::uint32_t blocks;  ///< of kTreeThreads bodies
    double* partial;       ///< [4][kTreeMeasureBlocks]
    TreeScale* scale;
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    Float4* sorted;                ///< scaled
    std::uint16_t* levels;         ///< first and one after the last level of the nodes that begin at a place
    std::uint32_t* starts;  ///< [level][block]: nodes that begin there, then how many come before; one more at the end
    std::uint32_t* offsets;
    TreeNodes nodes;
    std::uint32_t room;          ///< nodes
    std::uint32_t* groupCounts;  ///< of each block that makes groups
    TreeGroup* groups;
    TreeFacts* facts;
};
/// For charges: cells have dipoles.
struct ChargesTreeTask : TreeTask {
    Float4* dipoles;  ///< first moments; w unused
};
constexpr unsigned kTreeMeasureBlocks = 256, kTreeGroupBlocks = 1024;

/// What a walk for the energy leaves of each body, in body order.
struct TreeFields {
    /// Half of the sum of source / distance, softened, over all others [M/L]; under another power of its like with the
    /// strength: the potential with its sign turned.
    double* energy = nullptr;
    double* squared = nullptr;  ///< of the distance to the nearest source that acted by itself [L^2]; infinite: none
    std::uint32_t* neighbour = nullptr;  ///< that one
};

/// One launch of the walk: a share of the groups.
struct WalkTask {
    TreeNodes nodes;
    const Float4* sorted;
    const std::uint32_t* order;
    const TreeGroup* groups;
    const TreeScale* scale;
    const float* before;  ///< |a| in body order; not read by rungs with an opening angle
    float* lengths;       ///< takes |a|
    Vec4<float>* sums;    ///< in body order, not scaled; null: only lengths
    TreeFacts* facts;
    TreeCounts* counts;
    std::uint32_t* next;        ///< counts the groups that are taken; 0 before
    std::uint32_t part, parts;  ///< groups [part, part + 1) / parts
    float softeningSquared;     ///< not scaled
    float opening;              ///< 1 / theta^2
    float share;                ///< of the relative criterion
    TreeFields fields{};        ///< of treeFieldKernel(), which writes neither sums nor lengths
};

struct ChargesWalkTask : WalkTask {
    const Float4* dipoles;
    float floorShare;  ///< lengths are at least this share of the sum of the sizes of pulls
};
struct PowerWalkTask : WalkTask {
    PowerField<float> field;  ///< of sources of 1, in the bodies' lengths
    float nearest;            ///< smallest distance squared that its pull can be computed of, in any lengths
    double factor;            ///< strength
    LeftOut left;
};

// In this order; each reads what those before it left.
Kernel<TreeTask> treeMeasureKernel();
Kernel<TreeTask> treeScaleKernel();
Kernel<TreeTask> treeKeyKernel(TreeKeys curve);
// Here the keys are sorted, see sortKeys().
Kernel<TreeTask> treeGatherKernel();
Kernel<TreeTask> treeCountKernel();
/// Counts anew with leaves of kWiderLeaves[number] where there is no room for those before; in the order of numbers, with
/// any number of blocks. Not needed where the worst tree has room.
Kernel<TreeTask> treeWidenKernel(int number);
// Here the counts are added up, see scanTreeStarts().
Kernel<TreeTask> treeEmitKernel();
Kernel<TreeTask> treeLinkKernel();
Kernel<TreeTask> treeLeavesKernel();
Kernel<TreeTask> treeMomentsKernel();
Kernel<ChargesTreeTask> chargesLeavesKernel();
Kernel<ChargesTreeTask> chargesMomentsKernel();
/// Both with the same number of blocks, at most kTreeGroupBlocks.
Kernel<TreeTask> treeGroupCountKernel(int targetsPerLane);
Kernel<TreeTask> treeGroupKernel(int targetsPerLane);
Kernel<WalkTask> treeWalkKernel(TreeWalk walk, int targetsPerLane);
/// The rung with expansions where a block of kWalkThreads takes a group, for bodies too few to give each warp one.
Kernel<WalkTask> treeTeamKernel(int targetsPerLane);
/// The rung with expansions, for the energy.
Kernel<WalkTask> treeFieldKernel(int targetsPerLane);
/// Under other laws; null where a rung does not know the law.
Kernel<ChargesWalkTask> chargesWalkKernel(TreeWalk walk, int targetsPerLane);
Kernel<ChargesWalkTask> chargesFieldKernel(int targetsPerLane);
Kernel<PowerWalkTask> powerWalkKernel(TreeWalk walk, int targetsPerLane);
Kernel<PowerWalkTask> powerFieldKernel(int targetsPerLane);

/// A block at most, and usually. Its warps know nothing of each other.
constexpr unsigned kWalkThreads = 128;
/// Enough for groups that are half empty; each warp takes the next group when it has done one.
inline unsigned walkBlocks(std::size_t bodies, int multiprocessors, unsigned threads) {
    constexpr std::size_t kResidentWarps = 16;  // a multiprocessor
    const std::size_t groups = (bodies + 31) / 32, warps = threads / 32;
    const std::size_t resident = kResidentWarps * static_cast<std::size_t>(std::max(1, multiprocessors));
    return static_cast<unsigned>((std::min(groups, resident) + warps - 1) / warps);
}

/// The same where a block takes a group.
inline unsigned teamBlocks(std::size_t bodies, int multiprocessors) {
    constexpr std::size_t kResidentBlocks = 4;  // a multiprocessor
    return static_cast<unsigned>(
        std::min((bodies + 31) / 32, kResidentBlocks * static_cast<std::size_t>(std::max(1, multiprocessors))));
}

/// Keys of kTreeKeyBits bits at most, which are sorted with the indices of their bodies.
struct KeySort {
    std::uint32_t count;
    const std::uint64_t* key;
    std::uint64_t* sortedKey;
    const std::uint32_t* index;
    std::uint32_t* order;
};
/// Those of a task of a tree, of cells or of groups.
template <class Task>
KeySort keysOf(const Task& task) {
    return {task.count, task.key, task.sortedKey, task.index, task.order};
}
/// Bytes that the sort needs besides. Throws DeviceError.
std::size_t sortBytes(std::uint32_t count);
/// Stable. Enqueues, and throws DeviceError.
void sortKeys(const KeySort& keys, void* scratch, std::size_t bytes, Stream stream);

/// Bytes that the sum needs besides, and the sum of the counts before each. Enqueues, and throws DeviceError.
std::size_t scanBytes(std::uint32_t starts);
void scanTreeStarts(const TreeTask& task, std::uint32_t starts, void* scratch, std::size_t bytes, Stream stream);

}  // namespace gravlab::cuda
