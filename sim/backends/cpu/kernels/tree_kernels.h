// Input of the tree's loops: nodes and bodies in the order of keys, and one group of targets at a time. Rule: a group's sums
// depend on the tree and the criterion alone, so the assignment of groups to threads never changes a bit.
#pragma once
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/tree/properties.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace gravlab::cpu {

/// Numbers that loops may read past the last node, body or place.
constexpr std::size_t kTreePadding = 64;

/// A cell as it acts on bodies; scaled, see CellPull.
struct TreeCell {
    float x, y, z, source;
    float q[6];
    float trace;
    float weight;  ///< sum of |charge|; 0 where sources have one sign
};
/// Index of `weight` among the numbers of a cell.
constexpr int kWeightMember = 11;
static_assert(sizeof(TreeCell) == (kWeightMember + 1) * sizeof(float));
/// Numbers per dipole of a node.
constexpr std::int32_t kDipoleStride = 4;

/// Nodes, level by level, and bodies by place, in the order of keys. All numbers are scaled.
struct TreeView {
    const float *x, *y, *z;     ///< centres of nodes
    const float* farthest;      ///< distance of the farthest body from the centre
    const float* weight;        ///< sum of |source|
    const float* weightCube;    ///< weight times the cube of farthest
    const std::int32_t* first;  ///< first child, or first place of a leaf
    const std::int32_t* count;  ///< number of children; for a leaf minus its number of bodies
    const TreeCell* cells;
    std::array<const float*, 3> body;
    const float* source;
    const std::uint32_t* order;      ///< body of each place
    const float* dipoles = nullptr;  ///< of charges: kDipoleStride numbers per node
    bool wide = false;               ///< more than kMostGathered nodes: the loops read their numbers one by one
};
/// Most nodes that a gather with 32-bit offsets reaches.
constexpr std::size_t kMostGathered = 0x7fffffff / (kWeightMember + 1);

/// A power of the distance in the tree's units.
struct TreePower {
    PowerField<float> field{};  ///< for sources of 1; not softened
    float moments = 1;          ///< factor from gravity's multiple of second moments to the law's
    ErrorScale left{};
};

struct TreeWalkTask {
    TreeView tree;
    std::array<float*, 3> sums{};   ///< in body order, not scaled; null: only lengths
    float* lengths = nullptr;       ///< receives |a|, in body order
    const float* before = nullptr;  ///< |a| in body order; not read by rows with an opening angle
    double acceleration = 1;        ///< factor of scaled accelerations
    float smallest = 0;             ///< floor of |a|, not scaled
    float softeningSquared = 0;     ///< scaled
    float opening = 0;              ///< 1 / theta^2
    float share = 0;                ///< allowed fraction of |a| in the relative criterion
    // Results of a walk for the energy, scaled and in body order: each body's potential with the opposite sign, without its
    // own; the distance squared of the nearest body with a source that acted by itself; and the place of that body.
    float* fields = nullptr;
    float* nearest = nullptr;
    std::int32_t* neighbours = nullptr;
    bool softened = true;  ///< otherwise two bodies at one position have no energy
    TreePower power{};     ///< for TreeLaw::power
    float floorShare = 0;  ///< for TreeLaw::charges: least ratio of a length to the sum of the sizes of pulls
};

/// Counts of the walk, for each body: `cells` act on one body each, expanded cells on a group.
struct TreeCounts {
    std::uint64_t pairs = 0, cells = 0, expandedLow = 0, expandedHigh = 0;
    std::uint64_t visited = 0;  ///< nodes, counted once per group
    TreeCounts& operator+=(const TreeCounts& more) {
        pairs += more.pairs;
        cells += more.cells;
        expandedLow += more.expandedLow;
        expandedHigh += more.expandedHigh;
        visited += more.visited;
        return *this;
    }
    std::uint64_t all() const { return pairs + cells + expandedLow + expandedHigh; }
};

/// Walks under a law: one per row, null where there is none.
struct TreeWalks {
    std::array<void (*)(const TreeWalkTask& task, TreeGroup group, TreeCounts& counts), kTreeWalks> walk;
    /// The row with expansions, for the energy alone: writes no sums and no lengths.
    void (*fieldWalk)(const TreeWalkTask& task, TreeGroup group, TreeCounts& counts);
};

/// The loops for one instruction set.
struct TreeKernels {
    std::int64_t highway;  ///< Highway's bit
    /// Keys of `count` bodies at places of the grid, at most kTreePadding of them; overwrites the places.
    void (*hilbertKeys)(std::uint32_t* x, std::uint32_t* y, std::uint32_t* z, std::size_t count, std::uint64_t* keys);
    TreeWalks gravity;
};
struct LawTreeKernels {
    std::int64_t highway;  ///< as above
    TreeWalks charges, power;
};

const TreeKernels& treeKernels(const SimdTarget& simd);
const LawTreeKernels& lawTreeKernels(const SimdTarget& simd);
/// The walks of that law, from either table.
const TreeWalks& treeWalks(const SimdTarget& simd, TreeLaw law);

}  // namespace gravlab::cpu
