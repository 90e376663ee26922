// The loops of single precision in plain form, on positions rounded as a backend rounds them.
#include "sim/forces/single_precision.h"

#include "sim/api/vectors.h"
#include "sim/core/bad_bodies.h"
#include "sim/core/pages.h"
#include "sim/core/text.h"
#include "sim/core/thread_pool.h"
#include "sim/core/validation.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/forces/reference_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace gravlab {
namespace {

// Bodies so close to another one that rounding their coordinates to single precision spoils their force: every body is
// examined, because a sample of a large cluster would miss its few binaries. Rounded places are in a binary tree of boxes,
// each cut in the middle of its longest side.

/// A body and the neighbour whose pull rounding may change most.
struct ClosePair {
    std::uint32_t body = 0, neighbour = 0;
    double distance = 0;  ///< between the two bodies, before rounding [L]
    double error = 0;     ///< largest change of the neighbour's pull by rounding, relative to the whole force
};

struct ClosePairs {
    ClosePair worst;  ///< its error is 0 where no pair is close enough
    /// Two bodies at different places that rounding makes equal.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> merged;
};

constexpr std::uint32_t kLeaf = 8;
constexpr std::size_t kGrainOfBodies = 65536, kGrainOfNodes = 1024;
/// At this distance, in roundings, rounding changes the pull of a pair by less than 0.4 %. Steep laws turn a change of the
/// distance into ten times as much force.
constexpr double kReach = 512, kSteepReach = 8192;
/// The estimate of a force treats a node as a point mass when its longest side is below this fraction of its distance.
constexpr double kOpening = 0.7;

struct Place {
    std::array<float, 3> at;
    std::uint32_t body;
};

struct Node {
    std::array<float, 3> low, high;
    std::uint32_t first, count;
    std::uint32_t right = 0;  ///< offset to the right child, the left child is the next node; 0: a leaf
    float heaviest = 0;       ///< largest |source|
    double source = 0;        ///< sum of the sources
    std::array<float, 3> centre{};
    bool isPoint() const { return low == high; }
};

/// Squared distance between two boxes.
double between(const Node& a, const Node& b) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double gap = std::max({0.0, double{a.low[k]} - b.high[k], double{b.low[k]} - a.high[k]});
        sum += gap * gap;
    }
    return sum;
}

class PlaceTree {
public:
    explicit PlaceTree(std::span<const Double4> positions) : positions_(positions) {
        resizeTouched(places_, positions.size());
        parallelFor(places_.size(), 0, kGrainOfBodies, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const Double4& p = positions[i];
                places_[i] = {{static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)},
                              static_cast<std::uint32_t>(i)};
            }
        });
        // The pieces depend on the number of bodies alone, and so does the tree.
        std::vector<Piece> pieces;
        cut({0, static_cast<std::uint32_t>(places_.size()), {}}, std::max(kGrainOfBodies, places_.size() / 64), pieces);
        parallelFor(pieces.size(), 0, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                if (pieces[i].ends) build(pieces[i].first, pieces[i].count, pieces[i].nodes);
        });
        std::size_t next = 0;
        join(pieces, next);
    }

    std::span<const Node> nodes() const { return nodes_; }
    std::span<const Place> placesOf(const Node& node) const { return std::span(places_).subspan(node.first, node.count); }
    const Double4& exact(const Place& place) const { return positions_[place.body]; }

    /// Sum of source times forceOverDistance times r at a body, and of the absolute values of these terms in w.
    Double4 fieldAt(const Double4& at, const ForceSettings& force) const {
        const auto& pull = lawRow(force.law).forceOverDistance;
        Double4 sum{};
        const auto add = [&](double x, double y, double z, double source) {
            const double dx = x - at.x, dy = y - at.y, dz = z - at.z, squared = dx * dx + dy * dy + dz * dz;
            if (squared == 0) return;
            const double term = source * pull(force, squared);
            sum = {sum.x + term * dx, sum.y + term * dy, sum.z + term * dz, sum.w + std::abs(term) * std::sqrt(squared)};
        };
        std::vector<std::uint32_t> open{0};
        while (!open.empty()) {
            const std::uint32_t index = open.back();
            open.pop_back();
            const Node& node = nodes_[index];
            const double x = node.centre[0] - at.x, y = node.centre[1] - at.y, z = node.centre[2] - at.z;
            double side = 0;
            for (int k = 0; k < 3; ++k) side = std::max(side, double{node.high[k]} - node.low[k]);
            const bool far = side * side < kOpening * kOpening * (x * x + y * y + z * z) && side > 0;
            if (far) {
                add(node.centre[0], node.centre[1], node.centre[2], node.source);
            } else if (node.right == 0) {
                for (const Place& place : placesOf(node)) {
                    const Double4& p = exact(place);
                    add(p.x, p.y, p.z, p.w);
                }
            } else {
                open.insert(open.end(), {index + node.right, index + 1});
            }
        }
        return sum;
    }

private:
    struct Piece {
        std::uint32_t first, count;
        std::vector<Node> nodes;  ///< whole tree of a piece that is not divided further
        bool ends = false;
    };

    Node boxOf(std::uint32_t first, std::uint32_t count) const {
        Node node{places_[first].at, places_[first].at, first, count};
        for (std::uint32_t i = first; i < first + count; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                node.low[k] = std::min(node.low[k], places_[i].at[k]);
                node.high[k] = std::max(node.high[k], places_[i].at[k]);
            }
        return node;
    }

    /// Reorders the places of a node; returns how many lie left of the cut. Equal places stay together.
    std::uint32_t divide(const Node& node) {
        std::size_t axis = 0;
        const auto side = [&](std::size_t k) { return double{node.high[k]} - node.low[k]; };
        for (const std::size_t k : {std::size_t{1}, std::size_t{2}})
            if (side(k) > side(axis)) axis = k;
        const auto middle = static_cast<float>(node.low[axis] + 0.5 * side(axis));
        const float from = middle > node.low[axis] ? middle : node.high[axis];
        const auto begin = places_.begin() + node.first;
        const auto end = std::partition(begin, begin + node.count, [&](const Place& p) { return p.at[axis] < from; });
        return static_cast<std::uint32_t>(end - begin);
    }

    void sum(std::span<Node> nodes, std::size_t index) const {
        Node& node = nodes[index];
        std::array<double, 3> weighted{};
        double weight = 0;
        const auto add = [&](const std::array<float, 3>& at, double source, double size) {
            node.source += source;
            weight += size;
            for (std::size_t k = 0; k < 3; ++k) weighted[k] += size * at[k];
        };
        if (node.right == 0) {
            for (const Place& place : placesOf(node)) {
                const double source = exact(place).w;
                node.heaviest = std::max(node.heaviest, static_cast<float>(std::abs(source)));
                add(place.at, source, std::abs(source));
            }
        } else {
            for (const Node& child : {nodes[index + 1], nodes[index + node.right]}) {
                node.heaviest = std::max(node.heaviest, child.heaviest);
                add(child.centre, child.source, std::abs(child.source));
            }
        }
        for (std::size_t k = 0; k < 3; ++k)
            node.centre[k] = weight > 0 ? static_cast<float>(weighted[k] / weight)
                                        : static_cast<float>(0.5 * (double{node.low[k]} + node.high[k]));
    }

    void build(std::uint32_t first, std::uint32_t count, std::vector<Node>& nodes) {
        const std::size_t index = nodes.size();
        nodes.push_back(boxOf(first, count));
        if (count > kLeaf && !nodes[index].isPoint()) {
            const std::uint32_t left = divide(nodes[index]);
            build(first, left, nodes);
            nodes[index].right = static_cast<std::uint32_t>(nodes.size() - index);
            build(first + left, count - left, nodes);
        }
        sum(nodes, index);
    }

    /// Makes the upper nodes, each before its children, until pieces are small enough for a thread.
    void cut(Piece piece, std::size_t most, std::vector<Piece>& pieces) {
        const Node node = boxOf(piece.first, piece.count);
        piece.ends = piece.count <= most || node.isPoint();
        pieces.push_back(piece);
        if (piece.ends) return;
        const std::uint32_t left = divide(node);
        cut({piece.first, left, {}}, most, pieces);
        cut({piece.first + left, piece.count - left, {}}, most, pieces);
    }

    void join(std::vector<Piece>& pieces, std::size_t& next) {
        Piece& piece = pieces[next++];
        const std::size_t index = nodes_.size();
        if (piece.ends) {
            nodes_.insert(nodes_.end(), piece.nodes.begin(), piece.nodes.end());
            piece.nodes = {};
            return;
        }
        nodes_.push_back(boxOf(piece.first, piece.count));
        join(pieces, next);
        nodes_[index].right = static_cast<std::uint32_t>(nodes_.size() - index);
        join(pieces, next);
        sum(nodes_, index);
    }

    std::span<const Double4> positions_;
    std::vector<Place> places_;
    std::vector<Node> nodes_;
};

/// The largest change of the difference of two such coordinates by rounding: half of the last place of each.
double roundingOf(const Place& place) {
    const float largest = std::max({std::abs(place.at[0]), std::abs(place.at[1]), std::abs(place.at[2])});
    return std::ldexp(1.0, (largest > 0 ? std::ilogb(largest) : -126) - 23);
}

/// For the bodies of one leaf: finds the neighbour within reach whose pull changes most with distance.
class Search {
public:
    Search(const PlaceTree& tree, const ForceSettings& force) : tree_(tree) {
        const LawRow& law = lawRow(force.law);
        reach_ = law.steep ? kSteepReach : kReach;
        softening2_ = law.softened ? force.softening * force.softening : 0;
    }

    struct Found {
        double slope = 0;  ///< (source / distance^3)^2, softened
        std::uint32_t body = 0;
    };

    std::span<const Found> run(const Node& leaf) {
        const std::span<const Place> own = ownOf(leaf);
        found_.assign(own.size(), {});
        double reach = 0;
        for (const Place& place : own) reach = std::max(reach, reachOf(place));
        open_.assign(1, 0);
        while (!open_.empty()) {
            const std::uint32_t index = open_.back();
            open_.pop_back();
            const Node& node = tree_.nodes()[index];
            const double apart = between(leaf, node);
            if (apart > reach * reach || slope(node.heaviest, apart) <= leastFound()) continue;
            if (node.right == 0) {
                meet(leaf, node);
                continue;
            }
            const std::uint32_t left = index + 1, right = index + node.right;
            const bool leftFirst = between(leaf, tree_.nodes()[left]) <= between(leaf, tree_.nodes()[right]);
            open_.insert(open_.end(), {leftFirst ? right : left, leftFirst ? left : right});
        }
        return found_;
    }

private:
    /// A few bodies at one rounded place represent all bodies there.
    std::span<const Place> ownOf(const Node& leaf) const { return tree_.placesOf(leaf).first(std::min(leaf.count, kLeaf)); }

    double reachOf(const Place& place) const { return reach_ * roundingOf(place); }

    double slope(double source, double squared) const {
        const double softened = std::max(squared + softening2_, 1e-280);
        const double root = source / softened;
        return source == 0 ? 0 : root * root / softened;
    }

    double leastFound() const {
        double least = found_[0].slope;
        for (const Found& found : found_) least = std::min(least, found.slope);
        return least;
    }

    void meet(const Node& leaf, const Node& node) {
        const std::span<const Place> own = ownOf(leaf), others = tree_.placesOf(node);
        const bool point = node.isPoint();
        for (std::size_t i = 0; i < own.size(); ++i) {
            const double reach = reachOf(own[i]);
            const Double4& at = tree_.exact(own[i]);
            const std::size_t from = point && &leaf == &node ? i : 0;
            const std::size_t to = point ? std::min(others.size(), from + kLeaf) : others.size();
            for (std::size_t j = from; j < to; ++j) {
                const Double4& other = tree_.exact(others[j]);
                const Vec3d r = xyz(other) - xyz(at);
                const double squared = dot(r, r);
                if (squared == 0 || squared > reach * reach) continue;
                const double found = slope(std::abs(other.w), squared);
                if (found > found_[i].slope || (found == found_[i].slope && found > 0 && others[j].body < found_[i].body))
                    found_[i] = {found, others[j].body};
            }
        }
    }

    const PlaceTree& tree_;
    double reach_, softening2_;
    std::vector<Found> found_;
    std::vector<std::uint32_t> open_;
};

/// The largest change of the pull of `source` on `target` by rounding, without the target's response [L/T^2].
double changeOf(const Double4& source, const Double4& target, double rounding, const ForceSettings& force) {
    const auto& law = lawRow(force.law);
    const double apart = distance(source, target), nearer = std::max(0.0, apart - rounding);
    const auto pull = [&](double r) { return law.forceOverDistance(force, r * r) * r; };
    return std::abs(source.w * (pull(apart) - pull(nearer)));
}

bool worseThan(const ClosePair& a, const ClosePair& b) { return a.error != b.error ? a.error > b.error : a.body < b.body; }

/// The body with the largest error. The result does not depend on how the starting coordinates happen to round, because
/// bodies move. Errors are relative to the acceleration of the body, which a tree estimates, or to `floor` [L/T^2] where
/// that is larger. Blocks; all threads; O(N log N) and temporarily kClosePairBytes; throws OutOfMemoryError before it takes
/// them. A million bodies take half a second of one core.
ClosePairs closePairs(const ParticleSet& bodies, const ForceSettings& force, double floor) {
    ClosePairs all;
    if (bodies.size() < 2) return all;
    requireHostMemory(kClosePairBytes * static_cast<double>(bodies.size()), "the search for close pairs",
                      "give a longer --softening, or ask for fewer bodies");
    const PlaceTree tree(bodies.position);
    const double share = floorShare(force);
    std::mutex together;
    parallelFor(tree.nodes().size(), 0, kGrainOfNodes, [&](std::size_t begin, std::size_t end) {
        ClosePairs some;
        Search search(tree, force);
        for (std::size_t n = begin; n < end; ++n) {
            const Node& leaf = tree.nodes()[n];
            if (leaf.right != 0) continue;
            const std::span<const Place> places = tree.placesOf(leaf);
            const std::span<const Search::Found> found = search.run(leaf);
            for (std::size_t i = 0; i < places.size(); ++i) {
                const std::uint32_t body = places[i].body;
                const Double4& at = bodies.position[body];
                // Bodies at one rounded place are in one leaf: look for a neighbour there with different coordinates.
                for (std::size_t j = i + 1; j < places.size() && j < i + kLeaf; ++j)
                    if (places[j].at == places[i].at && !(xyz(bodies.position[places[j].body]) == xyz(at))) {
                        const std::pair<std::uint32_t, std::uint32_t> pair = std::minmax(body, places[j].body);
                        if (!some.merged || pair < *some.merged) some.merged = pair;
                    }
                if (i >= found.size() || found[i].slope == 0) continue;
                const Double4& other = bodies.position[found[i].body];
                const double response = std::abs(bodies.velocity[body].w);
                const double change = response * changeOf(other, at, roundingOf(places[i]), force);
                if (!(change > some.worst.error * floor)) continue;
                const Double4 field = tree.fieldAt(at, force);
                const double size = std::max({response * length(xyz(field)), floor, share * response * field.w});
                const ClosePair pair{body, found[i].body, distance(other, at), size > 0 ? change / size : 0};
                if (pair.error > 0 && worseThan(pair, some.worst)) some.worst = pair;
            }
        }
        const std::lock_guard lock(together);
        if (some.worst.error > 0 && worseThan(some.worst, all.worst)) all.worst = some.worst;
        if (some.merged && (!all.merged || *some.merged < *all.merged)) all.merged = some.merged;
    });
    return all;
}

constexpr std::size_t kPairs = std::size_t{1} << 20, kLeastTargets = 8, kGrain = 65536;
/// A step that moves a body by this many roundings of its coordinate is wrong by 1e-2 at most. On an orbit roundings cancel,
/// because the velocity turns: so many are enough then, in the speed that its pull gives it.
constexpr double kRoundingsPerStep = 0.5 / kSingleWorst, kRoundingsOnOrbit = 7.07;
/// A body is at rest below this fraction of the largest speed.
constexpr double kAtRest = 1e-4;
/// A field that moves takes bodies along: they are judged where its centre is after so many steps.
constexpr double kStepsAhead = 1e5;
// Smaller numbers count as zero, as on devices that flush subnormal numbers. Bodies that move apart have a margin.
constexpr float kSmallest = std::numeric_limits<float>::min() * 1024;
// Below this many roundings of the largest coordinate, the softening does not hide that two places became equal.
constexpr double kHiddenRoundings = 1024;

struct Single {
    float x, y, z, source;
};

float kept(float value) { return std::abs(value) < kSmallest ? 0 : value; }

Single rounded(const Double4& p) {
    return {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), static_cast<float>(p.w)};
}

/// The sum of the pulls of these bodies, in single precision.
template <class PairLaw>
Double4 pullOf(const std::vector<Single>& bodies, const Single& at, const PairLaw& law) {
    Double4 sums{};
    for (const Single& from : bodies) {
        const float dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
        const float squared = dx * dx + dy * dy + dz * dz;
        if (dx == 0 && dy == 0 && dz == 0) continue;  // forceOverDistance is largest there, and multiplied by zero
        const float pull = kept(from.source * kept(law.forceOverDistance(squared)));
        sums.x += static_cast<double>(kept(pull * dx));
        sums.y += static_cast<double>(kept(pull * dy));
        sums.z += static_cast<double>(kept(pull * dz));
    }
    return sums;
}

Double4 plus(const Double4& a, const Double4& b) { return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }

/// The sums over all bodies for each of `targets` targets: ofPart(first, last, sums) writes those over a part. The parts
/// depend on the number of bodies alone, and so do the sums. Few targets would keep few threads busy.
template <class OfPart>
std::vector<Double4> summed(std::size_t bodies, std::size_t targets, const OfPart& ofPart) {
    constexpr std::size_t kPart = std::size_t{1} << 18;
    const std::size_t parts = (bodies + kPart - 1) / kPart;
    std::vector<Double4> sums(parts * targets);
    parallelFor(parts, 0, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t part = first; part < last; ++part)
            ofPart(part * kPart, std::min(bodies, (part + 1) * kPart), std::span(sums).subspan(part * targets, targets));
    });
    for (std::size_t k = targets; k < sums.size(); ++k) sums[k % targets] = plus(sums[k % targets], sums[k]);
    sums.resize(targets);
    return sums;
}

/// The gate of this check: steep laws turn the rounding of a distance into ten times as much force.
ForceGate allowed(ForceSettings force) {
    force.precision = Precision::fp32;
    return {kSingleMedian * gateOf(force).median / kGate32.median, kSingleWorst};
}

/// Largest coordinate, velocity component, source and response.
struct Largest {
    double length = 0, speed = 0, source = 0, response = 0;
};

/// Bodies among all, `count` at most, at equal distances.
std::vector<std::uint32_t> spreadTargets(std::size_t bodies, std::size_t count) {
    std::vector<std::uint32_t> targets(std::min(bodies, count));
    for (std::size_t k = 0; k < targets.size(); ++k) targets[k] = static_cast<std::uint32_t>(bodies * k / targets.size());
    return targets;
}
/// As many as may be compared: all of a small system, few of a large one.
std::size_t targetsFor(std::size_t bodies) { return std::max(kLeastTargets, kPairs / bodies); }

/// The same as referenceForces(), on all threads.
std::vector<Double4> forcesOn(const ParticleSet& bodies, std::span<const std::uint32_t> targets, const ForceSettings& force,
                              std::span<double> floors = {}) {
    const double share = floorShare(force);
    std::vector<Double4> sums =
        summed(bodies.size(), targets.size(), [&](std::size_t first, std::size_t last, std::span<Double4> some) {
            const std::span<const Double4> part = std::span(bodies.position).subspan(first, last - first);
            for (std::size_t k = 0; k < targets.size(); ++k)
                some[k] = plainForce(part, bodies.position[targets[k]], force, !floors.empty() && share > 0);
        });
    for (std::size_t k = 0; k < targets.size(); ++k) {
        const double response = bodies.velocity[targets[k]].w;
        if (!floors.empty()) floors[k] = share * std::abs(response) * sums[k].w;
        sums[k] = {response * sums[k].x, response * sums[k].y, response * sums[k].z, 0};
    }
    return sums;
}

/// A sample of the forces, and the rms of its accelerations.
struct Trial {
    ForceCheck check;
    double rms = 0;
};

Trial trial(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others, double heaviest) {
    const std::size_t n = bodies.size();
    const std::vector<std::uint32_t> targets = spreadTargets(n, targetsFor(n));
    const std::size_t count = targets.size();
    std::vector<Double4> got = summed(n, count, [&](std::size_t first, std::size_t last, std::span<Double4> sums) {
        std::vector<Single> single(last - first);
        for (std::size_t i = first; i < last; ++i) single[i - first] = rounded(bodies.position[i]);
        forLaw<Laws>(force.law, [&]<template <class> class PairLaw>() {
            const PairLaw<float> law(force, smallestR2<float>(force, heaviest));
            for (std::size_t k = 0; k < count; ++k) sums[k] = pullOf(single, rounded(bodies.position[targets[k]]), law);
        });
    });
    for (std::size_t k = 0; k < count; ++k) {
        const auto response = static_cast<float>(bodies.velocity[targets[k]].w);
        const auto component = [&](double sum) {
            return static_cast<double>(kept(response * kept(static_cast<float>(sum))));
        };
        got[k] = {component(got[k].x), component(got[k].y), component(got[k].z), 0};
    }
    std::vector<double> floors(count);
    std::vector<Double4> want = forcesOn(bodies, targets, force, floors);
    const ForceCheck check = compareForces(got, want, allowed(force), floors);
    for (const auto& term : others) term->addAccelerations(termBodies(bodies), targets, want, {});
    double squares = 0;
    for (const Double4& a : want) squares += dot(xyz(a), xyz(a));
    return {check, std::sqrt(squares / static_cast<double>(count))};
}

/// The last place of a coordinate of this size in single precision.
double lastPlace(double coordinate) { return std::ldexp(1.0, std::ilogb(coordinate) - 23); }

bool hidesPlaces(const ForceSettings& force, const Largest& largest) {
    return force.softening > kHiddenRoundings * largest.length * std::numeric_limits<float>::epsilon();
}

/// Whether no close pair can lose accuracy. A softened pull that falls with the distance changes fastest in its centre.
/// Where even that is nothing, no pair is searched: of 10 million bodies on two cores the search takes 3 s. `floor`: the
/// least scale of relative errors.
bool keepsPairs(const ForceSettings& force, const Largest& largest, double floor) {
    if (!hidesPlaces(force, largest) || !lawRow(force.law).softened) return false;
    const auto& pull = lawRow(force.law).forceOverDistance;
    const double slope = largest.response * largest.source * pull(force, 0);
    return slope * lastPlace(largest.length) <= kSingleWorst * floor &&
           pull(force, 0) >= pull(force, largest.length * largest.length);
}

/// Why single precision would compute close pairs wrongly; empty when it would not.
std::string spoiltPair(const ParticleSet& bodies, const ForceSettings& force, const Largest& largest, double floor) {
    const auto [worst, merged] = closePairs(bodies, force, floor);
    if (merged && !hidesPlaces(force, largest))
        return "it cannot distinguish the positions of bodies " + std::to_string(merged->first) + " and " +
               std::to_string(merged->second) + " apart";
    if (worst.error <= kSingleWorst) return {};
    return formatted(
        "it would round the coordinates of body %u so that its force changes by up to %.1e: body %u is only %.2g "
        "away, %.2g from the origin",
        static_cast<unsigned>(worst.body), worst.error, static_cast<unsigned>(worst.neighbour), worst.distance,
        length(bodies.position[worst.body]));
}

// Within these bounds, pairs of usual bodies stay far from both ends of single precision.
constexpr double kShortest = 0x1p-17, kLongest = 0x1p33, kLightest = 0x1p-80, kHeaviest = 0x1p80;
constexpr double kWeakest = 1e-20, kStrongest = 1e24;  // heaviest over largest squared

double powerOfTwo(double value) { return value > 0 ? std::ldexp(1.0, std::ilogb(value)) : 1; }

Largest largestOf(const ParticleSet& bodies) {
    Largest all;
    std::mutex together;
    parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
        Largest some;
        for (std::size_t i = first; i < last; ++i) {
            const Double4 &p = bodies.position[i], &v = bodies.velocity[i];
            some.length = std::max(some.length, largestCoordinate(p));
            some.speed = std::max({some.speed, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
            some.source = std::max(some.source, std::abs(p.w));
            some.response = std::max(some.response, std::abs(v.w));
        }
        const std::lock_guard lock(together);
        all = {std::max(all.length, some.length), std::max(all.speed, some.speed), std::max(all.source, some.source),
               std::max(all.response, some.response)};
    });
    return all;
}

/// Bodies that a step moves by few roundings of their largest coordinate: a sample of them, the same for any threads.
std::vector<std::uint32_t> slowBodies(const ParticleSet& bodies, double timeStep, std::size_t most) {
    const std::size_t parts = (bodies.size() + kGrain - 1) / kGrain;
    std::vector<std::vector<std::uint32_t>> slow(parts);
    const auto thinned = [most](const std::vector<std::uint32_t>& all) {
        std::vector<std::uint32_t> some = spreadTargets(all.size(), most);
        for (std::uint32_t& k : some) k = all[k];
        return some;
    };
    parallelFor(parts, 0, 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t part = first; part < last; ++part) {
            for (std::size_t i = part * kGrain; i < std::min((part + 1) * kGrain, bodies.size()); ++i) {
                const double coordinate = largestCoordinate(bodies.position[i]);
                const double moved = timeStep * length(xyz(bodies.velocity[i]));
                if (coordinate > 0 && moved < kRoundingsPerStep * lastPlace(coordinate))
                    slow[part].push_back(static_cast<std::uint32_t>(i));
            }
            slow[part] = thinned(slow[part]);
        }
    });
    std::vector<std::uint32_t> all;
    for (const auto& part : slow) all.insert(all.end(), part.begin(), part.end());
    return thinned(all);
}

/// Why single precision would round off the steps of bodies; empty when it would not. The bodies are `every` so many of all.
std::string spoiltStep(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others, double timeStep,
                       const Largest& largest, std::size_t every) {
    const double dt = std::abs(timeStep);
    const std::vector<std::uint32_t> slow = slowBodies(bodies, dt, targetsFor(bodies.size()));
    std::vector<Double4> pulls = forcesOn(bodies, slow, force);
    for (const auto& term : others) term->addAccelerations(termBodies(bodies), slow, pulls, {});
    for (std::size_t k = 0; k < slow.size(); ++k) {
        const double coordinate = largestCoordinate(bodies.position[slow[k]]);
        const double own = length(xyz(bodies.velocity[slow[k]])), orbital = std::sqrt(length(xyz(pulls[k])) * coordinate);
        const double speed = std::max(own, orbital), place = lastPlace(coordinate);
        if (speed <= kAtRest * largest.speed || orbital * dt >= kRoundingsOnOrbit * place) continue;
        return formatted("a time step of %.2g moves body %u by %.2g, and it keeps a coordinate of %.2g to %.2g only",
                         timeStep, static_cast<unsigned>(slow[k] * every), speed * dt, coordinate, place);
    }
    return {};
}

/// See beyondSinglePrecision(). The bodies are `every` so many of all, which have `largest`; nothing where pairs of all must
/// be searched.
std::optional<std::string> whyBeyond(const ParticleSet& bodies, const Largest& largest, const ForceSettings& force,
                                     const ForceTerms& others, double timeStep, std::size_t every = 1) {
    const double heaviest = largest.source;
    const auto inRange = [](double value) { return value == 0 || (value >= kSmallest && value <= 1e35); };
    if (!inRange(largest.length) || largest.length > kFarthestInSingle || !inRange(largest.speed) || !inRange(heaviest))
        return formatted("lengths of %.2g, speeds of %.2g or masses of %.2g leave its range", largest.length, largest.speed,
                         heaviest);
    const auto [check, rms] = trial(bodies, force, others, heaviest);
    if (!check.passed || !(check.max <= kSingleWorst))
        return formatted("its forces would be wrong by %.1e (median; worst %.1e) at lengths of %.2g and masses of %.2g",
                         check.median, check.max, largest.length, heaviest);
    const double floor = kCancellingShare * rms;
    if (!keepsPairs(force, largest, floor)) {
        if (every > 1) return std::nullopt;
        if (std::string why = spoiltPair(bodies, force, largest, floor); !why.empty()) return why;
    }
    for (const auto& term : others)
        if (std::string why = term->beyondSingle(termBodies(bodies), {.least = floor, .ahead = kStepsAhead * timeStep});
            !why.empty())
            return why;
    return timeStep != 0 ? spoiltStep(bodies, force, others, timeStep, largest, every) : std::string();
}

ParticleSet bodiesIn(const PairUnits& units, ParticleSet bodies) {
    for (Double4& p : bodies.position) p = {p.x / units.length, p.y / units.length, p.z / units.length, p.w / units.source};
    for (Double4& v : bodies.velocity) v = {0, 0, 0, v.w};  // velocities stay in double
    return bodies;
}

}  // namespace

PairUnits pairUnits(double largest, double heaviest, const ForceSettings& force) {
    if (!lawRow(force.law).softened || !std::isfinite(largest) || !std::isfinite(heaviest)) return {};
    const auto within = [](double value, double least, double most) {
        return value == 0 || (value >= least && value <= most);
    };
    if (within(largest, kShortest, kLongest) && within(heaviest, kLightest, kHeaviest) &&
        (largest == 0 || within(heaviest / (largest * largest), kWeakest, kStrongest)))
        return {};
    return {powerOfTwo(largest), powerOfTwo(heaviest)};
}

ForceSettings settingsIn(const PairUnits& units, ForceSettings force) {
    force.softening /= units.length;
    return force;
}

double accelerationUnit(const PairUnits& units, const ForceSettings& force) {
    const double levels = std::log2(units.length);
    double power = 0;
    if (levels != 0) {
        const auto& pull = lawRow(force.law).forceOverDistance;
        const double ratio = pull(force, units.length * units.length) / pull(settingsIn(units, force), 1);
        power = std::log2(ratio) / levels;
        // The power is whole for most laws, and then nothing is rounded.
        if (std::abs(power - std::round(power)) < 1e-9) power = std::round(power);
    }
    return units.source * units.length * std::exp2(power * levels);
}

std::string beyondSinglePrecision(const ParticleSet& bodies, const ForceSettings& force, const ForceTerms& others,
                                  double timeStep) {
    if (bodies.size() == 0) return {};
    if (force.precision == Precision::mixed) {
        for (const auto& term : others)
            if (std::string why = term->beyondSingle(termBodies(bodies), {.pairsAlone = true}); !why.empty()) return why;
        const Largest largest = largestOf(bodies);
        const PairUnits units = pairUnits(largest.length, largest.source, force);
        ForceSettings inUnits = settingsIn(units, force);
        inUnits.precision = Precision::fp32;
        return beyondSinglePrecision(bodiesIn(units, bodies), inUnits);
    }
    return *whyBeyond(bodies, largestOf(bodies), force, others, timeStep);
}

std::string beyondSinglePrecision(const MadeBodies& bodies, const ForceSettings& force, double timeStep, std::size_t most) {
    const std::size_t every = (bodies.size() + most - 1) / most;
    ParticleSet some;
    some.resize((bodies.size() + every - 1) / every);
    bodies.read(0, every, some);
    for (Double4& p : some.position) p.w *= static_cast<double>(every);
    const Largest largest{bodies.largest(), bodies.fastest(), std::abs(bodies.mass(bodies.heaviest())), 1};
    const std::optional<std::string> why = whyBeyond(some, largest, force, {}, timeStep, every);
    return why ? *why : beyondSinglePrecision(bodies.whole(), force, {}, timeStep);
}

}  // namespace gravlab
