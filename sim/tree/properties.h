// Properties of trees that all backends have in common, apart from arithmetic: the rows, the walking groups, the largest
// size of a tree, and the accuracy of each row.
#pragma once
#include "sim/api/errors.h"
#include "sim/tree/criterion.h"
#include "sim/tree/key.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

namespace gravlab {

/// Criterion and method of a walk over cells.
enum class TreeWalk { thetaMonopole, theta, cells, expansions };
constexpr std::size_t kTreeWalks = 4;

/// The curve along which bodies are sorted.
enum class TreeKeys { hilbert, morton };

/// Whether an opening angle decides; else the relative criterion, which needs the last accelerations.
constexpr bool byAngle(TreeWalk walk) { return walk == TreeWalk::thetaMonopole || walk == TreeWalk::theta; }

/// Kind of a force: determines the moments and the field of cells.
enum class TreeLaw {
    gravity,
    charges,  ///< first moments as well: sources have either sign
    power     ///< a power of the distance other than gravity's
};

/// The pull factor / d^power of a law, in the softened distance d.
struct PowerPull {
    double power = 2, factor = 1;
};
/// The power law that any law's pull equals, found from its values; empty for others.
inline std::optional<PowerPull> powerPull(ForceSettings force) {
    force.softening = 0;
    const auto& pull = lawRow(force.law).forceOverDistance;
    const double one = pull(force, 1), levels = std::log2(pull(force, 4) / one);
    // Test the same power at quarters of a length and at four of them. A law of finite range gives NaN somewhere, which
    // fails.
    for (const double squared : {0.0625, 0.25, 16.0})
        if (!(std::abs(std::log2(pull(force, squared) / one) - levels * std::log2(squared) / 2) < 1e-9)) return std::nullopt;
    const double power = -levels - 1, whole = std::round(power);
    return PowerPull{std::abs(power - whole) < 1e-9 ? whole : power, one};
}

/// Empty: none of them applies; only sums over every pair can compute this force.
inline std::optional<TreeLaw> treeLaw(const ForceSettings& force) {
    if (loopLaw(force) == Law::gravity) return lawRow(force.law).signedSources ? TreeLaw::charges : TreeLaw::gravity;
    return powerPull(force) ? std::optional(TreeLaw::power) : std::nullopt;
}

/// The force that the known sizes of accelerations belong to; a criterion must not use those of another force.
struct TreeForce {
    TreeLaw law = TreeLaw::gravity;
    double power = 2, factor = 1;
    bool operator==(const TreeForce&) const = default;
};
/// Throws std::logic_error for a force that no row offers.
inline TreeForce treeForce(const ForceSettings& force) {
    const std::optional<TreeLaw> law = treeLaw(force);
    if (!law) throw std::logic_error("the cells of a tree do not know this force");
    if (*law != TreeLaw::power) return {*law};
    const PowerPull pull = *powerPull(force);
    return {*law, pull.power, pull.factor};
}

/// Whether a walk can also sum the potentials.
inline bool treeHasEnergy(const ForceSettings& force) { return treeLaw(force).has_value(); }

/// Why a row cannot compute this force; empty when it can. `exact`: a row that can, named in the sentence.
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

/// Errors of the power law; all 1 for gravity and charges.
inline ErrorScale leftOut(const ForceSettings& force) {
    if (treeLaw(force) != TreeLaw::power) return {};
    const double a = treeForce(force).power, first = std::abs(a + 1), third = std::abs(a + 3);
    const double slope = std::max(std::abs(a * (a + 2)), 3.0);
    return {static_cast<float>(first * slope / 24), static_cast<float>(first * third * slope / 120),
            static_cast<float>(std::max(std::abs(a + 4), 1.0) / 6), static_cast<float>(std::max(1.0, (a + 3) / 5))};
}

/// The field of that power for sources of 1, where lengths are multiplied by `length`; without softening. The range of
/// single precision ends at some distance, in any unit; closer bodies are treated as being at that distance.
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

/// Throws UsageError for an accuracy that no row keeps; 0 means every pair.
inline void requireAccuracy(double accuracy) {
    if (accuracy == 0 || (accuracy >= kFinestAccuracy && accuracy <= kCoarsestAccuracy)) return;
    char text[120];
    std::snprintf(text, sizeof text, "an accuracy of %g cannot be had; valid are %g to %g, and 'auto' for every pair",
                  accuracy, kFinestAccuracy, kCoarsestAccuracy);
    throw UsageError(text);
}

/// The default opening angle of a row [rad]: the row has the same accuracy there as for gravity at kFirstOpening.
inline double usualOpening(const ForceSettings& force) {
    return kFirstOpening / std::pow(std::max(1.0, static_cast<double>(leftOut(force).cell)), 0.25);
}
/// The relative error that 99 % of the bodies keep under that force; 0 for an allowed error and an opening [rad] means the
/// default.
inline double keptAccuracy(TreeWalk walk, const ForceSettings& force, double allowedError, double opening) {
    if (!byAngle(walk)) return allowedError > 0 ? allowedError : kUsualAccuracy;
    const double times = opening > 0 ? opening / usualOpening(force) : 1;
    return accuracyOfOpening(times * kFirstOpening, walk == TreeWalk::thetaMonopole);
}
/// The fraction of the relative criterion, see shareOfAccuracy(), for that force and allowed error; 0: the default error.
inline double shareOfAccuracy(const ForceSettings& force, double allowedError, double bodies) {
    const double gravity = shareOfAccuracy(allowedError > 0 ? allowedError : kUsualAccuracy, bodies);
    const std::optional<TreeLaw> law = treeLaw(force);
    if (law == TreeLaw::charges) return kChargesShare * gravity;
    if (law == TreeLaw::power) return (treeForce(force).power < -1 ? kGrowingShare : kPowerShare) * gravity;
    return gravity;
}

/// The targets of one evaluation, as far as the fraction of its criterion depends on them.
struct TreeTargets {
    std::size_t bodies, sources;  ///< all bodies; those with mass
    bool all;                     ///< all bodies are targets
    std::uint32_t group;          ///< most targets of a group
};
/// The fraction of the relative criterion for these targets. shareOfAccuracy() is measured on groups of 64 bodies that all
/// have mass and all are targets. Distances of cells count from the box of the group, so most of its targets have smaller
/// errors than the limit allows, and in a small box fewer of them have. Small are the boxes of active bodies where N is
/// small, the boxes of bodies without mass, which lie closer together than the sources, and the boxes of small groups. The
/// factors are fitted to the errors in docs/decisions/tree.md.
inline double shareOfTargets(const ForceSettings& force, double allowedError, const TreeTargets& targets) {
    const auto bodies = static_cast<double>(targets.bodies), sources = static_cast<double>(targets.sources);
    double share = shareOfAccuracy(force, allowedError, sources);
    const double size = std::sqrt(static_cast<double>(targets.group) / kTreeGroup);
    if (!targets.all) share *= std::min(1.0, std::pow(bodies / 65536, 0.3) * size);
    // The least factor is that of a group of one body.
    if (targets.sources < targets.bodies) share *= std::max(0.18, std::pow(sources / bodies, 0.28) * size);
    return share;
}

/// Errors of charges are compared with the sizes of pulls (floorShare()), so the criterion uses them, too. Its own sum of
/// sizes never exceeds that one: for single bodies it replaces the distance by the sum of the sizes of x, y and z, over its
/// maximum.
constexpr float kSizeOfAxes = 0.57735f;

/// Number of levels of nodes, with the root's.
constexpr int kTreeDepths = kTreeLevels + 1;

/// Most nodes of N bodies. Divided cubes have more bodies than a leaf, so one level has at most `c` = bodies / (kTreeLeaf +
/// 1) of them, and at most 8^level. Below the last divided ones are 8 leaves each. A body that is a leaf beside them makes
/// one node; in a cluster it makes more. The bound is 1.7 nodes per body for 17 bodies, 1.4 for a million, 1.26 for 100
/// million.
constexpr std::size_t mostTreeNodes(std::size_t bodies) {
    const std::size_t clusters = bodies / (kTreeLeaf + 1);
    std::size_t nodes = 8 * clusters + bodies % (kTreeLeaf + 1) + 1, cubes = 1;
    for (int level = 0; level < kTreeLevels; ++level) {
        nodes += cubes < clusters ? cubes : clusters;
        if (cubes < clusters) cubes *= 8;
    }
    return nodes;
}

/// A similar bound where leaves may have `leaf` bodies: divided cubes have more, and eight children at most. Half a node per
/// body for leaves of 256.
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
