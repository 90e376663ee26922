// A tree of the straight paths of a step. A node bounds the places of its bodies in the middle of the step, and their ways.
// So the search separates bodies by their distance also where all move far in one direction. Rule: no result depends on it.
#pragma once
#include "sim/contact/touch.h"
#include "sim/core/thread_pool.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace gravlab {

/// How much farther than their own reach the bodies of each node may come [L]. One for each user of a tree.
class TreeReach {
public:
    double of(std::size_t node) const { return node < reach_.size() ? reach_[node] : 0; }
    void clear() {
        for (std::size_t node : raised_) reach_[node] = 0;
        raised_.clear();
    }
    void raise(std::size_t node, std::size_t nodes, double reach) {
        if (reach_.size() != nodes) reach_.assign(nodes, 0), raised_.clear();
        for (; node > 0 && reach_[node] < reach; node /= 2) {
            if (reach_[node] == 0) raised_.push_back(node);
            reach_[node] = reach;
        }
    }

private:
    std::vector<double> reach_;
    std::vector<std::size_t> raised_;
};

/// Indices from 0 on in an order in which bodies near each other are near each other. `placeOf(k)`: finite.
template <class PlaceOf>
std::vector<std::uint32_t> orderInSpace(std::size_t count, int threads, const PlaceOf& placeOf) {
    struct Place {
        Vec3d at;
        std::uint32_t index;
    };
    constexpr std::size_t kGrain = 4096, kTogether = 8;
    std::vector<Place> places(count);
    parallelFor(count, threads, kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) places[k] = {placeOf(k), static_cast<std::uint32_t>(k)};
    });
    const auto at = [&](std::size_t place) { return places.begin() + static_cast<std::ptrdiff_t>(place); };
    // Each part is halved along the axis of its largest extent.
    for (std::size_t parts = 1; count / parts > kTogether; parts *= 2)
        parallelFor(parts, threads, 1, [&](std::size_t firstPart, std::size_t lastPart) {
            for (std::size_t part = firstPart; part < lastPart; ++part) {
                const std::size_t first = count * part / parts, last = count * (part + 1) / parts;
                Vec3d low = places[first].at, high = low;
                for (std::size_t k = first; k < last; ++k) {
                    const Vec3d& p = places[k].at;
                    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
                    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
                }
                const Vec3d wide = high - low;
                double Vec3d::*const axis = wide.x >= wide.y && wide.x >= wide.z ? &Vec3d::x
                                            : wide.y >= wide.z                   ? &Vec3d::y
                                                                                 : &Vec3d::z;
                std::nth_element(at(first), at(count * (2 * part + 1) / (2 * parts)), at(last),
                                 [&](const Place& a, const Place& b) { return a.at.*axis < b.at.*axis; });
            }
        });
    std::vector<std::uint32_t> order(count);
    std::ranges::transform(places, order.begin(), &Place::index);
    return order;
}

class PathTree {
public:
    /// Of pathOf(k) for each k of `order`, in which bodies near each other are near each other. Those with a reach below 0
    /// are left out.
    /// `forRange`: see Team.
    template <class ForRange, class PathOf>
    void build(std::span<const std::uint32_t> order, const ForRange& forRange, const PathOf& pathOf) {
        paths_.resize(order.size());
        forRange(order.size(), kPathsEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t at = first; at < last; ++at) paths_[at] = pathOf(order[at]);
        });
        std::erase_if(paths_, [](const HalfPath& path) { return !(path.reach >= 0); });
        const std::size_t count = paths_.size();
        for (levels_ = 0; count >> levels_ > kLeaf;) ++levels_;
        nodes_.resize(std::size_t{2} << levels_);
        leafOf_.assign(order.size(), 0);
        forRange(leaves(), kLeavesEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t leaf = first; leaf < last; ++leaf) {
                PathBounds& node = nodes_[leaves() + leaf] = {};
                for (std::size_t at = begin(levels_, leaf); at < begin(levels_, leaf + 1); ++at) {
                    node.add(paths_[at]);
                    leafOf_[paths_[at].index] = static_cast<std::uint32_t>(leaves() + leaf);
                }
            }
        });
        for (std::size_t node = leaves() - 1; node > 0; --node) {
            nodes_[node] = nodes_[2 * node];
            nodes_[node].add(nodes_[2 * node + 1]);
        }
    }
    /// The body may now come so much farther than its own reach.
    void raise(TreeReach& more, std::uint32_t index, double reach) const {
        more.raise(leafOf_[index], nodes_.size(), reach);
    }
    /// Calls use(index) for all bodies whose path, within their reach, may come near `path` within its own. Some have more.
    template <class Use>
    void search(const HalfPath& path, const TreeReach& more, const TreeReach& evenMore, const Use& use) const {
        std::size_t open[64], count = 1;
        open[0] = 1;
        while (count > 0) {
            const std::size_t node = open[--count];
            const double extra = std::max(more.of(node), evenMore.of(node));
            if (!nodes_[node].near(path, extra)) continue;
            if (node < leaves()) {
                open[count++] = 2 * node + 1;
                open[count++] = 2 * node;
                continue;
            }
            const std::size_t leaf = node - leaves();
            for (std::size_t at = begin(levels_, leaf); at < begin(levels_, leaf + 1); ++at) {
                const HalfPath& other = paths_[at];
                if (comeNear(path.middle - other.middle, path.half - other.half, path.reach + other.reach + extra))
                    use(other.index);
            }
        }
    }
    std::size_t leaves() const { return std::size_t{1} << levels_; }
    /// Calls use(a, b) for the paths a of a leaf and all paths b that may come near them and are behind them in the order.
    template <class Use>
    void near(std::size_t leaf, const Use& use) const {
        const PathBounds& bounds = nodes_[leaves() + leaf];
        std::size_t open[64], count = 1;
        open[0] = 1;
        while (count > 0) {
            const std::size_t node = open[--count];
            const int below = levels_ - std::bit_width(node) + 1;
            if (((node + 1) << below) <= leaves() + leaf || !nodes_[node].near(bounds)) continue;
            if (node < leaves()) {
                open[count++] = 2 * node + 1;
                open[count++] = 2 * node;
                continue;
            }
            for (std::size_t a = begin(levels_, leaf); a < begin(levels_, leaf + 1); ++a) {
                if (!nodes_[node].near(paths_[a], 0)) continue;
                for (std::size_t b = begin(levels_, node - leaves()); b < begin(levels_, node - leaves() + 1); ++b)
                    if (a < b && comeNear(paths_[a].middle - paths_[b].middle, paths_[a].half - paths_[b].half,
                                          paths_[a].reach + paths_[b].reach))
                        use(paths_[a], paths_[b]);
            }
        }
    }

private:
    static constexpr std::size_t kLeaf = 8, kLeavesEach = 256, kPathsEach = 4096;

    std::size_t begin(int level, std::size_t k) const { return (paths_.size() * k) >> level; }

    int levels_ = 0;
    std::vector<HalfPath> paths_;    ///< those of a leaf are adjacent
    std::vector<PathBounds> nodes_;  ///< the children of node k are 2k and 2k + 1; 1 is the root
    std::vector<std::uint32_t> leafOf_;
};

}  // namespace gravlab
