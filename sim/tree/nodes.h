// Construction of an octree from sorted keys: where nodes begin, how many bodies and children they have, and how targets are
// cut into groups. Host and device. Nodes are numbered level by level and within a level in the order of keys. So children
// of a node are neighbours, and the first of them begins where the node does.
#pragma once
#include "sim/tree/key.h"
#include "sim/tree/moments.h"
#include "sim/tree/properties.h"

#include <cmath>
#include <cstdint>

namespace gravlab {

/// The power of two that brings `x` to (0.5, 1].
GRAVLAB_HOST_DEVICE float powerBelow(double x) {
    if (!(x > 0)) return 1;
    const int exponent = ilogb(x) + 1, most = exponent < 120 ? exponent : 120;
    return exp2f(static_cast<float>(-(most > -120 ? most : -120)));
}

/// Half edge of the grid of keys. A few bodies very far out must not leave all others in one cube, so they are put at its
/// edge. `most` and `sum` refer to the distances of bodies along their farthest axis.
GRAVLAB_HOST_DEVICE double gridEdge(double most, double sum, std::uint32_t bodies) {
    constexpr double kMeans = 128;
    return lower(most, kMeans * sum / bodies);
}

/// Levels of the nodes that begin at a place, in [first, end); those above `end - 1` are divided.
struct NodeLevels {
    int first, end;
};
/// `first`: one level below the last cube that contains this place and the one before. `deepest`: level of the deepest cube
/// that contains the place and more bodies than a leaf; -1: none.
GRAVLAB_HOST_DEVICE NodeLevels nodeLevels(int first, int deepest) {
    const int below = deepest + 1, end = (below < kTreeLevels ? below : kTreeLevels) + 1;
    return {first, first > end ? first : end};
}

/// Number of bodies of a leaf of that level, which begins at `first` with `key`, among `count` bodies. `keyAt` returns the
/// key of a place.
template <class KeyAt>
GRAVLAB_HOST_DEVICE std::uint32_t bodiesOfLeaf(std::uint64_t key, int level, std::uint32_t first, std::uint32_t count,
                                               std::uint32_t mostOfLeaf, const KeyAt& keyAt) {
    std::uint32_t end = first + 1;
    const std::uint32_t near = count < first + mostOfLeaf + 1 ? count : first + mostOfLeaf + 1;
    while (end < near && commonLevels(key, keyAt(end)) >= level) ++end;
    if (end == first + mostOfLeaf + 1 && level == kTreeLevels) {
        // One cube holds more bodies than keys can separate: the leaf contains them all.
        std::uint32_t beyond = count;
        while (end < beyond) {
            const std::uint32_t middle = end + (beyond - end) / 2;
            if (keyAt(middle) == key)
                end = middle + 1;
            else
                beyond = middle;
        }
    }
    return end - first;
}

/// Number of children of a divided node of that level, the first of which is `child`, among `nodes` nodes. `levelOf` and
/// `keyOf` return the level of a node and the key of its first body.
template <class LevelOf, class KeyOf>
GRAVLAB_HOST_DEVICE int childrenOf(std::uint64_t key, int level, std::uint32_t child, std::uint32_t nodes,
                                   const LevelOf& levelOf, const KeyOf& keyOf) {
    int children = 1;
    for (; children < 8 && child + static_cast<std::uint32_t>(children) < nodes; ++children) {
        const std::uint32_t next = child + static_cast<std::uint32_t>(children);
        if (levelOf(next) != level + 1) break;
        if (commonLevels(key, keyOf(next)) < level) break;
    }
    return children;
}

/// Box of the bodies of a node or of a run.
struct NodeBox {
    float low[3], high[3];
    std::uint32_t bodies;
};

/// Children of a node with more bodies than a run, and those of them that are divided; one bit each.
struct LargeChildren {
    unsigned large = 0, divided = 0;
};
/// `nodes` describes nodes: bodies(), children(), which is at most 0 for leaves, and, further below, box().
template <class Nodes>
GRAVLAB_HOST_DEVICE LargeChildren largeChildren(const Nodes& nodes, std::uint32_t child, int children) {
    LargeChildren found;
    for (int k = 0; k < children; ++k) {
        if (nodes.bodies(child + static_cast<std::uint32_t>(k)) <= kTreeRun) continue;
        found.large |= 1u << k;
        if (nodes.children(child + static_cast<std::uint32_t>(k)) > 0) found.divided |= 1u << k;
    }
    return found;
}

/// Groups of targets are cut from runs of bodies. A run consists of small siblings below a node that has more bodies than a
/// run. It ends where its box would overlap that of a large sibling, because a group around a dense neighbour would open all
/// of it. Calls emit(first, bodies) with each run of children that are not divided further, and enter(node) with each child
/// that is, in the order of bodies. `place`: first body of the node.
template <class Nodes, class Emit, class Enter>
GRAVLAB_HOST_DEVICE void cutRuns(const Nodes& nodes, std::uint32_t child, int children, LargeChildren found,
                                 std::uint32_t place, const Emit& emit, const Enter& enter) {
    NodeBox run;
    run.bodies = 0;
    std::uint32_t begin = 0;
    const auto close = [&] {
        if (run.bodies > 0) emit(begin, run.bodies);
        run.bodies = 0;
    };
    for (int k = 0; k < children; ++k) {
        const std::uint32_t id = child + static_cast<std::uint32_t>(k), bodies = nodes.bodies(id), first = place;
        place += bodies;
        if (found.divided >> k & 1) {
            close();
            enter(id);
            continue;
        }
        const NodeBox own = nodes.box(id);
        if (run.bodies > 0) {
            bool clear = run.bodies + bodies <= kTreeRun;
            float low[3], high[3];
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = lower(run.low[axis], own.low[axis]);
                high[axis] = higher(run.high[axis], own.high[axis]);
            }
            for (int other = 0; clear && other < children; ++other) {
                if (!(found.large >> other & 1)) continue;
                const NodeBox that = nodes.box(child + static_cast<std::uint32_t>(other));
                clear = low[0] > that.high[0] || high[0] < that.low[0] || low[1] > that.high[1] || high[1] < that.low[1] ||
                        low[2] > that.high[2] || high[2] < that.low[2];
            }
            if (clear) {
                run.bodies += bodies;
                for (int axis = 0; axis < 3; ++axis) {
                    run.low[axis] = low[axis];
                    run.high[axis] = high[axis];
                }
                continue;
            }
            close();
        }
        begin = first;
        run = own;
        run.bodies = bodies;
    }
    close();
}

/// One after the last place of a cube of that level, which begins at `first`, among the places before `last`. `keyAt`
/// returns the key of a place; keys rise from place to place. Steps grow, because most cubes hold less than a run.
template <class KeyAt>
GRAVLAB_HOST_DEVICE std::uint32_t endOfCube(std::uint32_t first, std::uint32_t last, int level, const KeyAt& keyAt) {
    const std::uint64_t key = keyAt(first);
    const auto within = [&](std::uint32_t place) { return commonLevels(key, keyAt(place)) >= level; };
    std::uint32_t step = kTreeRun;
    while (last - first > step && within(first + step)) {
        first += step;
        step *= 2;
    }
    if (last - first > step) last = first + step;
    for (++first; first < last;) {
        const std::uint32_t middle = first + (last - first) / 2;
        if (within(middle))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// Bodies without mass are in no node, so their runs are cut by keys. A cube of that level, with more bodies than a run,
/// begins at `first` among the places before `last`; a run consists of small cubes that are neighbours below it. Calls
/// emit(first, bodies) with each run, and enter(first, last) with each cube below that has more bodies than a run, in the
/// order of places.
template <class KeyAt, class Emit, class Enter>
GRAVLAB_HOST_DEVICE void cutCube(std::uint32_t first, std::uint32_t last, int level, const KeyAt& keyAt, const Emit& emit,
                                 const Enter& enter) {
    // Bodies that keys cannot separate are one run.
    if (level == kTreeLevels) return emit(first, endOfCube(first, last, level, keyAt) - first);
    const std::uint64_t key = keyAt(first);
    std::uint32_t begin = first, from = first;  // begin: of the run of small cubes
    while (from < last && commonLevels(key, keyAt(from)) >= level) {
        const std::uint32_t end = endOfCube(from, last, level + 1, keyAt);
        const bool large = end - from > kTreeRun;
        if (from > begin && (large || end - begin > kTreeRun)) {
            emit(begin, from - begin);
            begin = from;
        }
        if (large) {
            enter(from, end);
            begin = end;
        }
        from = end;
    }
    if (from > begin) emit(begin, from - begin);
}

/// Number of groups of at most `size` targets in a run, and one of these groups.
GRAVLAB_HOST_DEVICE std::uint32_t groupsOfRun(std::uint32_t bodies, std::uint32_t size) {
    return (bodies + size - 1) / size;
}
GRAVLAB_HOST_DEVICE TreeGroup groupOfRun(std::uint32_t first, std::uint32_t bodies, std::uint32_t k, std::uint32_t groups) {
    const auto begin = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bodies) * k / groups);
    const auto end = static_cast<std::uint32_t>(static_cast<std::uint64_t>(bodies) * (k + 1) / groups);
    return {first + begin, end - begin};
}

}  // namespace gravlab
