// Rounded places in a binary tree of boxes, each cut in the middle of its longest side.
#include "sim/forces/close_pairs.h"

#include "sim/api/vectors.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/core/validation.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <span>

namespace gravlab {
namespace {

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

}  // namespace

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

}  // namespace gravlab
