// What the trees of all backends share besides arithmetic: the rungs, the groups that walk, how large a tree can be, and the
// accuracy that each rung keeps.
#pragma once
#include "sim/core/error.h"
#include "sim/tree/criterion.h"
#include "sim/tree/key.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

namespace gravlab {

/// How the walk chooses cells and what it does with them.
enum class TreeWalk { thetaMonopole, theta, cells, expansions };
constexpr std::size_t kTreeWalks = 4;

/// The curve along which bodies are put in order.
enum class TreeKeys { hilbert, morton };

/// Whether an opening angle decides; else the relative criterion, which needs the last accelerations.
constexpr bool byAngle(TreeWalk walk) { return walk == TreeWalk::thetaMonopole || walk == TreeWalk::theta; }

/// What cells must know of their bodies, and whose field they have.
enum class TreeLaw {
    gravity,
    charges,  ///< first moments as well: sources have either sign
    power     ///< of the distance, another than gravity's
};
constexpr std::size_t kTreeLaws = 3;

/// The pull factor / d^power of a law, in the softened distance d.
struct PowerPull {
    double power = 2, factor = 1;
};
/// Of any law whose pull is that, as it says itself; empty for others.
inline std::optional<PowerPull> powerPull(ForceSettings force) {
    force.softening = 0;
    const auto& pull = lawRow(force.law).forceOverDistance;
    const double one = pull(force, 1), levels = std::log2(pull(force, 4) / one);
    // In quarters of a length as in four of them: the same power. A law that ends is no number somewhere, which fails.
    for (const double squared : {0.0625, 0.25, 16.0})
        if (!(std::abs(std::log2(pull(force, squared) / one) - levels * std::log2(squared) / 2) < 1e-9)) return std::nullopt;
    const double power = -levels - 1, whole = std::round(power);
    return PowerPull{std::abs(power - whole) < 1e-9 ? whole : power, one};
}

/// Empty: none of them; only sums over every pair know this force.
inline std::optional<TreeLaw> treeLaw(const ForceSettings& force) {
    if (loopLaw(force) == Law::gravity) return lawRow(force.law).signedSources ? TreeLaw::charges : TreeLaw::gravity;
    return powerPull(force) ? std::optional(TreeLaw::power) : std::nullopt;
}

/// Of which force the |a| are that a criterion goes by: those of another one say nothing.
struct TreeForce {
    TreeLaw law = TreeLaw::gravity;
    double power = 2, factor = 1;
    bool operator==(const TreeForce&) const = default;
};
/// Throws std::logic_error for one that no row offers.
inline TreeForce treeForce(const ForceSettings& force) {
    const std::optional<TreeLaw> law = treeLaw(force);
    if (!law) throw std::logic_error("a tree was asked for a force that its cells do not know");
    if (*law != TreeLaw::power) return {*law};
    const PowerPull pull = *powerPull(force);
    return {*law, pull.power, pull.factor};
}

/// Whether a walk sums its potentials, too.
inline bool treeHasEnergy(const ForceSettings& force) { return treeLaw(force).has_value(); }

/// Why a rung cannot compute this force; empty when it can. `exact`: a row that can, for the sentence.
inline std::string treeRefusal(TreeWalk walk, const ForceSettings& force, const char* exact) {
    const std::optional<TreeLaw> law = treeLaw(force);
    if (!law)
        return "its cells know gravity, charges and the power law, and not where a law ends or turns its sign; take '" +
               std::string(exact) + "'";
    if (*law == TreeLaw::charges && walk == TreeWalk::thetaMonopole)
        return "charges that cancel in a cell still act by its dipole, which this row leaves out; take 'tree-theta' or "
               "'tree'";
    return {};
}

/// Of the power law; all 1 for gravity and charges.
inline LeftOut leftOut(const ForceSettings& force) {
    if (treeLaw(force) != TreeLaw::power) return {};
    const double a = treeForce(force).power, first = std::abs(a + 1), third = std::abs(a + 3);
    const double slope = std::max(std::abs(a * (a + 2)), 3.0);
    return {static_cast<float>(first * slope / 24), static_cast<float>(first * third * slope / 120),
            static_cast<float>(std::max(std::abs(a + 4), 1.0) / 6), static_cast<float>(std::max(1.0, (a + 3) / 5))};
}

/// The field of that power for sources of 1, where lengths are multiplied by `length`; not softened. Single precision ends
/// at some distance, in any lengths; nearer bodies are as near as that.
inline PowerField<float> powerField(double power, double smallestR2, double length) {
    constexpr double kRange = 1e30;
    constexpr int kLargestWhole = 8;
    const double half = 0.5 * (power + 1), any = half > 0 ? std::pow(kRange, -1 / half) : 0;
    const double own = half > 0 ? std::max(any, smallestR2) * length * length : 0;
    const bool whole = power >= 0 && power <= kLargestWhole && power == std::round(power);
    return {0,
            static_cast<float>(power),
            static_cast<float>(std::max(any, own)),
            1,
            whole ? static_cast<int>(power) : -1,
            static_cast<float>(power == 1 ? 1 : 1 / (power - 1)),
            static_cast<float>(std::log(length))};
}

/// Throws UsageError for an accuracy that no row keeps; 0 is every pair.
inline void requireAccuracy(double accuracy) {
    if (accuracy == 0 || (accuracy >= kFinestAccuracy && accuracy <= kCoarsestAccuracy)) return;
    char text[120];
    std::snprintf(text, sizeof text, "an accuracy of %g cannot be had; valid are %g to %g, and 'auto' for every pair",
                  accuracy, kFinestAccuracy, kCoarsestAccuracy);
    throw UsageError(text);
}

/// The opening angle that a row takes where nobody chose: at it, it keeps what it keeps of gravity at kFirstOpening.
inline double usualOpening(const ForceSettings& force) {
    return kFirstOpening / std::pow(std::max(1.0, static_cast<double>(leftOut(force).cell)), 0.25);
}
/// The relative error that 99 % of the bodies keep under that force; 0 for an allowed error and an opening [rad] is what is
/// usual.
inline double keptAccuracy(TreeWalk walk, const ForceSettings& force, double allowedError, double opening) {
    if (!byAngle(walk)) return allowedError > 0 ? allowedError : kUsualAccuracy;
    const double times = opening > 0 ? opening / usualOpening(force) : 1;
    return accuracyOfOpening(times * kFirstOpening, walk == TreeWalk::thetaMonopole);
}
/// The share of the relative criterion, see shareOfAccuracy(); for that force and allowed error, 0 being the usual.
inline double shareOfAccuracy(const ForceSettings& force, double allowedError, double bodies) {
    const double gravity = shareOfAccuracy(allowedError > 0 ? allowedError : kUsualAccuracy, bodies);
    const std::optional<TreeLaw> law = treeLaw(force);
    if (law == TreeLaw::charges) return kChargesShare * gravity;
    if (law == TreeLaw::power) return (treeForce(force).power < -1 ? kGrowingShare : kPowerShare) * gravity;
    return gravity;
}

/// Where errors of charges are held against the sizes of pulls (floorShare()), the criterion is, too. Its own sum of sizes
/// is never more than that one: of single bodies it takes the sum of |x|, |y| and |z| for the distance, over its largest.
constexpr float kSizeOfAxes = 0.57735f;

/// Levels that nodes can be at, the root's included.
constexpr int kTreeDepths = kTreeLevels + 1;

/// Most nodes of N bodies. Cubes that are divided have more bodies than a leaf, so at one level there
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

/// A bound of the same where leaves may have `leaf` bodies: cubes that are divided have more, and eight children at most.
/// Half a node a body for leaves of 256.
constexpr std::size_t mostTreeNodes(std::size_t bodies, std::size_t leaf) {
    const std::size_t clusters = bodies / (leaf + 1);
    std::size_t divided = 0, cubes = 1;
    for (int level = 0; level < kTreeLevels; ++level) {
        divided += cubes < clusters ? cubes : clusters;
        if (cubes < clusters) cubes *= 8;
    }
    return 8 * divided + 1;
}

/// Targets that are evaluated together: places in the order of keys.
struct TreeGroup {
    std::uint32_t first, count;
};

}  // namespace gravlab
