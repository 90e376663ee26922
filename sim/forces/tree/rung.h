// What the trees of all backends share besides arithmetic: the rungs, the groups that walk, how large a tree can be, and the
// accuracy that each rung keeps.
#pragma once
#include "sim/forces/tree/criterion.h"
#include "sim/forces/tree/key.h"

#include <cstddef>
#include <cstdint>

namespace gravlab {

/// How the walk chooses cells and what it does with them.
enum class TreeWalk { thetaMonopole, theta, cells, expansions };
constexpr std::size_t kTreeWalks = 4;

/// Whether an opening angle decides; else the relative criterion, which needs the last accelerations.
constexpr bool byAngle(TreeWalk walk) { return walk == TreeWalk::thetaMonopole || walk == TreeWalk::theta; }

/// The relative error that 99 % of the bodies keep; 0 for an allowed error and an opening [rad] is what is usual.
inline double keptAccuracy(TreeWalk walk, double allowedError = 0, double opening = 0) {
    if (byAngle(walk)) return accuracyOfOpening(opening > 0 ? opening : kFirstOpening, walk == TreeWalk::thetaMonopole);
    return allowedError > 0 ? allowedError : kUsualAccuracy;
}

/// Levels that nodes can be at, the root's included.
constexpr int kTreeDepths = kTreeLevels + 1;

/// Nodes that so many bodies can make at most. Cubes that are divided have more bodies than a leaf, so at one level there
/// are at most `c` = bodies / (kTreeLeaf + 1) of them, and 8^level; below those that are divided last are 8 leaves each. A
/// body that is a leaf beside them instead gives one node, in a cluster it gives more. 1.7 a body of 17, 1.4 of a
/// million, 1.26 of 100 million.
constexpr std::size_t mostTreeNodes(std::size_t bodies) {
    const std::size_t clusters = bodies / (kTreeLeaf + 1);
    std::size_t nodes = 8 * clusters + bodies % (kTreeLeaf + 1) + 1, cubes = 1;
    for (int level = 0; level < kTreeLevels; ++level) {
        nodes += cubes < clusters ? cubes : clusters;
        if (cubes < clusters) cubes *= 8;
    }
    return nodes;
}

/// Targets that are evaluated together: places in the order of keys.
struct TreeGroup {
    std::uint32_t first, count;
};

}  // namespace gravlab
