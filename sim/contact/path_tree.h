// A tree of the straight paths of a step. Its nodes bound places in the middle of the step and ways apart, so bodies that
// move together are told apart however far they move. Rule: it only limits the search; no result depends on it.
#pragma once
#include "sim/contact/touch.h"
#include "sim/core/thread_pool.h"

#include <algorithm>
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

class PathTree {
public:
    /// Of pathOf(k) for each k of `order`, in which bodies near each other are near each other. Those with a reach below 0
    /// are left out.
    template <class PathOf>
    void build(std::span<const std::uint32_t> order, int threads, const PathOf& pathOf) {
        paths_.resize(order.size());
        parallelFor(order.size(), threads, kPathsEach, [&](std::size_t first, std::size_t last) {
            for (std::size_t at = first; at < last; ++at) paths_[at] = pathOf(order[at]);
        });
        std::erase_if(paths_, [](const HalfPath& path) { return !(path.reach >= 0); });
        const std::size_t count = paths_.size();
        for (levels_ = 0; count >> levels_ > kLeaf;) ++levels_;
        nodes_.resize(std::size_t{2} << levels_);
        leafOf_.assign(order.size(), 0);
        parallelFor(leaves(), threads, kLeavesEach, [&](std::size_t first, std::size_t last) {
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

private:
    static constexpr std::size_t kLeaf = 8, kLeavesEach = 256, kPathsEach = 4096;

    std::size_t leaves() const { return std::size_t{1} << levels_; }
    std::size_t begin(int level, std::size_t k) const { return (paths_.size() * k) >> level; }

    int levels_ = 0;
    std::vector<HalfPath> paths_;    ///< those of a leaf are adjacent
    std::vector<PathBounds> nodes_;  ///< the children of node k are 2k and 2k + 1; 1 is the root
    std::vector<std::uint32_t> leafOf_;
};

}  // namespace gravlab
