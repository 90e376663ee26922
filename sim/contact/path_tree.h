// A tree of the straight paths of a step. Its nodes bound places in the middle of the step and ways apart, so bodies that
// move together are told apart however far they move. Rule: it only limits the search; no result depends on it.
#pragma once
#include "sim/core/thread_pool.h"
#include "sim/core/vec3.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace gravlab {

/// The path of a body: where it is in the middle of the step, and half of its way [L].
struct HalfPath {
    Vec3d middle{}, half{};
    double reach = 0;  ///< its radius, and how far it may leave the path
    std::uint32_t index = 0;
};

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

class PathTree {
public:
    /// Sorts pathOf(0), ... into the tree. Those with a reach below 0 are left out.
    template <class PathOf>
    void build(std::size_t bodies, int threads, const PathOf& pathOf) {
        paths_.resize(bodies);
        parallelFor(bodies, threads, kPathsEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) paths_[k] = pathOf(static_cast<std::uint32_t>(k));
        });
        std::erase_if(paths_, [](const HalfPath& path) { return !(path.reach >= 0); });
        const std::size_t count = paths_.size();
        for (levels_ = 0; count >> levels_ > kLeaf;) ++levels_;
        nodes_.resize(std::size_t{2} << levels_);
        leafOf_.assign(bodies, 0);
        for (int level = 0; level < levels_; ++level)
            parallelFor(std::size_t{1} << level, threads, 1, [&](std::size_t first, std::size_t last) {
                for (std::size_t k = first; k < last; ++k) split(level, k);
            });
        parallelFor(leaves(), threads, kLeavesEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t leaf = first; leaf < last; ++leaf) {
                Node& node = nodes_[leaves() + leaf] = {};
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
                const Vec3d away = path.middle - other.middle, way = path.half - other.half;
                const double reach = (path.reach + other.reach + extra) * kMargin;
                // |away| <= reach + |way|, by squares.
                const double rest = dot(away, away) - reach * reach - dot(way, way);
                if (!(rest > 0 && rest * rest > 4 * reach * reach * dot(way, way))) use(other.index);
            }
        }
    }

private:
    static constexpr std::size_t kLeaf = 8, kLeavesEach = 256, kPathsEach = 4096;
    static constexpr double kMargin = 1 + 1e-6;

    struct Node {
        Vec3d low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};         ///< of middles
        Vec3d slowest{kFar, kFar, kFar}, fastest{-kFar, -kFar, -kFar};  ///< of half ways
        double reach = 0;
        static constexpr double kFar = std::numeric_limits<double>::infinity();
        static void widen(Vec3d& low, Vec3d& high, const Vec3d& from, const Vec3d& to) {
            low = {std::min(low.x, from.x), std::min(low.y, from.y), std::min(low.z, from.z)};
            high = {std::max(high.x, to.x), std::max(high.y, to.y), std::max(high.z, to.z)};
        }
        void add(const HalfPath& path) {
            widen(low, high, path.middle, path.middle);
            widen(slowest, fastest, path.half, path.half);
            reach = std::max(reach, path.reach);
        }
        void add(const Node& other) {
            widen(low, high, other.low, other.high);
            widen(slowest, fastest, other.slowest, other.fastest);
            reach = std::max(reach, other.reach);
        }
        bool near(const HalfPath& path, double extra) const {
            const auto outside = [](double at, double from, double to) {
                return std::max(std::max(from - at, at - to), 0.0);
            };
            const auto most = [](double at, double from, double to) { return std::max(at - from, to - at); };
            const Vec3d away{outside(path.middle.x, low.x, high.x), outside(path.middle.y, low.y, high.y),
                             outside(path.middle.z, low.z, high.z)};
            const Vec3d way{most(path.half.x, slowest.x, fastest.x), most(path.half.y, slowest.y, fastest.y),
                            most(path.half.z, slowest.z, fastest.z)};
            const double both = (path.reach + reach + extra) * kMargin;
            const double rest = dot(away, away) - both * both - dot(way, way);
            return !(rest > 0 && rest * rest > 4 * both * both * dot(way, way) * kMargin);
        }
    };

    std::size_t leaves() const { return std::size_t{1} << levels_; }
    std::size_t begin(int level, std::size_t k) const { return (paths_.size() * k) >> level; }
    /// Halves a node along the axis of its largest extent.
    void split(int level, std::size_t k) {
        const std::size_t first = begin(level, k), last = begin(level, k + 1), middle = begin(level + 1, 2 * k + 1);
        Node node;
        for (std::size_t at = first; at < last; ++at) Node::widen(node.low, node.high, paths_[at].middle, paths_[at].middle);
        const Vec3d wide = node.high - node.low;
        double Vec3d::*const axis = wide.x >= wide.y && wide.x >= wide.z ? &Vec3d::x
                                    : wide.y >= wide.z                   ? &Vec3d::y
                                                                         : &Vec3d::z;
        const auto at = [&](std::size_t place) { return paths_.begin() + static_cast<std::ptrdiff_t>(place); };
        std::nth_element(at(first), at(middle), at(last),
                         [&](const HalfPath& a, const HalfPath& b) { return a.middle.*axis < b.middle.*axis; });
    }

    int levels_ = 0;
    std::vector<HalfPath> paths_;  ///< those of a leaf are adjacent
    std::vector<Node> nodes_;      ///< the children of node k are 2k and 2k + 1; 1 is the root
    std::vector<std::uint32_t> leafOf_;
};

}  // namespace gravlab
