// The tree on a device: the parameters of its kernels. Each kernel of the build reads device memory that the one before has
// written. The host knows only the number of bodies, so nothing waits.
// Rule: the order of sums depends on bodies and criterion alone; atomics only count.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/backends/force_method.h"
#include "sim/tree/properties.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace gravlab::cuda {

constexpr unsigned kTreeThreads = 256;
/// Most bodies of a leaf, in the order of attempts, where the nodes exceed their room. With the last every tree must fit.
constexpr int kWiderLeaves[] = {64, 256};
constexpr int kWidestLeaf = 256;
/// Scale factors, which are powers of two so that scaling rounds nothing, and the floor of accelerations.
struct TreeScale {
    float length;        ///< factor of coordinates: about 1 at the edge of the box
    float source;        ///< factor of sources: their sum is at most 1
    float acceleration;  ///< factor of scaled accelerations
    float smallest;      ///< kSmallestShare of the rms acceleration, not scaled
    float centre[3];     ///< subtracted before scaling [L]: a body's position where that is exact for all bodies, else 0
};
/// What is measured of all bodies: maxima along each axis, from the origin and from the first body, then sums.
constexpr unsigned kTreeMaxima = 6, kTreeMeasured = kTreeMaxima + 3;

/// Counts of one evaluation: `cells` act on one body each, expanded cells on a group.
struct TreeCounts {
    unsigned long long pairs, cells, expandedLow, expandedHigh, visited;
};

/// Facts of one evaluation's tree.
struct TreeFacts {
    std::uint32_t nodes, groups;
    std::uint32_t deepest;  ///< level
    std::uint32_t leaves;
    std::uint32_t longest;  ///< longest list of a group: bodies and cells, expanded cells included
    std::uint32_t
        wanted[2];  ///< nodes with leaves of kTreeLeaf bodies, and where these are too many, with leaves of kWiderLeaves[0]
};

/// Arrays of nodes: a node has two float4 for the test, two for its moments and two for its box.
struct TreeNodes {
    Float4* centre;   ///< [2 id] centre and source; [2 id + 1] farthest body, |source| times its cube, first, count
    Float4* moments;  ///< [2 id] xx yy zz xy; [2 id + 1] xz yz
    Float4* box;      ///< [2 id] low and bodies; [2 id + 1] high
    std::uint32_t* parent;
    std::uint32_t* arrived;  ///< finished children
    std::uint8_t* level;     ///< level, and whether all children are leaves
};

struct TreeTask {
    const Float4* bodies;  ///< positions and sources, in body order
    const float* before;   ///< |a| of the last evaluation, in body order; null: not known
    std::uint32_t count;
    std::uint32_t sources;  ///< bodies with mass: they come first in the order of places, and nodes consist of them
    const std::uint32_t* sourceList;  ///< their indices; null: the first bodies
    std::uint32_t blocks;             ///< blocks of kTreeThreads sources
    double* partial;                  ///< [kTreeMeasured][kTreeMeasureBlocks]
    TreeScale* scale;
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    Float4* sorted;                ///< about the centre, scaled
    std::uint16_t* levels;         ///< first and one after the last level of the nodes that begin at a place
    std::uint32_t* starts;         ///< [level][block]: nodes that begin there, then their prefix sums; one more at the end
    std::uint32_t* offsets;
    TreeNodes nodes;
    std::uint32_t room;          ///< nodes
    std::uint32_t* groupCounts;  ///< of each block that makes groups
    TreeGroup* groups;
    TreeFacts* facts;
};
/// The task for charges, whose cells have dipoles.
struct ChargesTreeTask : TreeTask {
    Float4* dipoles;  ///< first moments; w unused
};
constexpr unsigned kTreeMeasureBlocks = 256, kTreeGroupBlocks = 1024;

/// Results of a walk for the energy for each body, in body order.
struct TreeFields {
    /// Half of the sum of source / distance, softened, over all others [M/L]. Another power has its own function of the
    /// distance, with the strength. It is the potential with the opposite sign.
    double* energy = nullptr;
    double* squared = nullptr;  ///< squared distance to the nearest source that acted as a single body [L^2]; infinite: none
    std::uint32_t* neighbour = nullptr;  ///< that source
};

/// One launch of the walk, for a slice of the groups.
struct WalkTask {
    TreeNodes nodes;
    const Float4* sorted;
    const std::uint32_t* order;
    const TreeGroup* groups;
    const TreeScale* scale;
    const float* before;  ///< |a| in body order; not read by rows with an opening angle
    float* lengths;       ///< output: |a|
    Vec4<float>* sums;    ///< in body order, not scaled; null: only lengths
    TreeFacts* facts;
    TreeCounts* counts;
    std::uint32_t* next;                ///< counts the groups that warps have begun; 0 before
    std::uint32_t firstPart, lastPart;  ///< parts [firstPart, lastPart) of kTreeParts
    float softeningSquared;             ///< not scaled
    float opening;                      ///< 1 / theta^2
    float share;                        ///< factor of the relative criterion
    TreeFields fields{};                ///< for treeFieldKernel(), which writes neither sums nor lengths
};

struct ChargesWalkTask : WalkTask {
    const Float4* dipoles;
    float floorShare;  ///< lengths are at least this fraction of the sum of the sizes of pulls
};
struct PowerWalkTask : WalkTask {
    PowerField<float> field;  ///< field of sources of 1, in the bodies' unit of length
    float nearest;            ///< smallest distance squared with a finite pull, in any unit of length
    double factor;            ///< strength
    ErrorScale left;
};

// The kernels run in this order; each reads the results of those before it.
Kernel<TreeTask> treeMeasureKernel();
Kernel<TreeTask> treeScaleKernel();
Kernel<TreeTask> treeKeyKernel(TreeKeys curve);
// The keys are sorted before the next kernels, see sortKeys().
Kernel<TreeTask> treeGatherKernel();
Kernel<TreeTask> treeCountKernel();
/// Counts again with leaves of kWiderLeaves[number] where the nodes counted before exceed their room. Launches are in the
/// order of numbers, with any number of blocks. Not needed where the worst tree has room.
Kernel<TreeTask> treeWidenKernel(int number);
// The counts are added up before the next kernels, see scanTreeStarts().
Kernel<TreeTask> treeEmitKernel();
Kernel<TreeTask> treeLinkKernel();
Kernel<TreeTask> treeLeavesKernel();
Kernel<TreeTask> treeMomentsKernel();
Kernel<ChargesTreeTask> chargesLeavesKernel();
Kernel<ChargesTreeTask> chargesMomentsKernel();
/// Both kernels have the same number of blocks, at most kTreeGroupBlocks.
Kernel<TreeTask> treeGroupCountKernel(int targetsPerLane);
Kernel<TreeTask> treeGroupKernel(int targetsPerLane);
Kernel<WalkTask> treeWalkKernel(TreeWalk walk, int targetsPerLane);
/// The row with expansions in which a block of kWalkThreads walks for one group, for too few groups to give each warp one.
Kernel<WalkTask> treeTeamKernel(int targetsPerLane);
/// The row with expansions, for the energy.
Kernel<WalkTask> treeFieldKernel(int targetsPerLane);
/// Walks under other laws; null where a row cannot compute the law.
Kernel<ChargesWalkTask> chargesWalkKernel(TreeWalk walk, int targetsPerLane);
Kernel<ChargesWalkTask> chargesFieldKernel(int targetsPerLane);
Kernel<PowerWalkTask> powerWalkKernel(TreeWalk walk, int targetsPerLane);
Kernel<PowerWalkTask> powerFieldKernel(int targetsPerLane);

/// Most threads of a block, and the usual number. Its warps are independent.
constexpr unsigned kWalkThreads = 128;
/// Blocks of the walk: enough for groups that are half empty. Each warp begins the next group when it has finished one.
inline unsigned walkBlocks(std::size_t bodies, int multiprocessors, unsigned threads) {
    constexpr std::size_t kResidentWarps = 16;  // a multiprocessor
    const std::size_t groups = (bodies + 31) / 32, warps = threads / 32;
    const std::size_t resident = kResidentWarps * static_cast<std::size_t>(std::max(1, multiprocessors));
    return static_cast<unsigned>((std::min(groups, resident) + warps - 1) / warps);
}

/// Blocks of the walk where a block walks for one group.
inline unsigned teamBlocks(std::size_t bodies, int multiprocessors) {
    constexpr std::size_t kResidentBlocks = 4;  // a multiprocessor
    return static_cast<unsigned>(
        std::min((bodies + 31) / 32, kResidentBlocks * static_cast<std::size_t>(std::max(1, multiprocessors))));
}

/// Keys, which are sorted with the indices of their bodies.
struct KeySort {
    std::uint32_t count;
    const std::uint64_t* key;
    std::uint64_t* sortedKey;
    const std::uint32_t* index;
    std::uint32_t* order;
    int bits = kTreeKeyBits;
};
/// The keys of a task of a tree, of cells or of groups.
template <class Task>
KeySort keysOf(const Task& task) {
    return {task.count, task.key, task.sortedKey, task.index, task.order};
}
/// Bytes of scratch memory of the sort. Throws DeviceError.
std::size_t sortBytes(std::uint32_t count, int bits = kTreeKeyBits);
/// Enqueues a stable sort. Throws DeviceError.
void sortKeys(const KeySort& keys, void* scratch, std::size_t bytes, Stream stream);

/// scanBytes() gives the scratch memory of the prefix sums; scanTreeStarts() enqueues them. Both throw DeviceError.
std::size_t scanBytes(std::uint32_t starts);
void scanTreeStarts(const TreeTask& task, std::uint32_t starts, void* scratch, std::size_t bytes, Stream stream);

}  // namespace gravlab::cuda
