// Friends of friends, in common for host and device: the test of two friends, union of sets, and the two structures for the
// search of friends. Davis, Efstathiou, Frenk & White 1985.
// Rule: only friendSquare() decides about friends, in double precision, and it rounds alike everywhere. So groups are the
// same for every method and number of threads.
#pragma once
#include "sim/api/vectors.h"
#include "sim/tree/key.h"

#include <atomic>
#include <cmath>
#include <cstdint>

namespace gravlab {

/// Squared distance without contraction, on a device too. Rounding keeps the order of numbers. So a box that is farther than
/// a length by this function has no body that is nearer by it, and one whose far corner is within the length has no body
/// beyond.
GRAVLAB_HOST_DEVICE double friendSquare(double x, double y, double z) {
#if defined(__CUDA_ARCH__)
    return __dadd_rn(__dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)), __dmul_rn(z, z));
#else
    return x * x + y * y + z * z;
#endif
}

/// Bodies in the order of a structure [L].
struct FriendPlaces {
    const double* axis[3];
    std::uint32_t count;
};

GRAVLAB_HOST_DEVICE bool isPlace(double x) { return x - x == 0; }
/// Bodies with NaN or infinite coordinates belong to no group.
GRAVLAB_HOST_DEVICE bool hasPlace(const FriendPlaces& at, std::uint32_t body) {
    return isPlace(at.axis[0][body]) && isPlace(at.axis[1][body]) && isPlace(at.axis[2][body]);
}

GRAVLAB_HOST_DEVICE bool areFriends(const FriendPlaces& at, std::uint32_t a, std::uint32_t b, double square) {
    return friendSquare(at.axis[0][a] - at.axis[0][b], at.axis[1][a] - at.axis[1][b], at.axis[2][a] - at.axis[2][b]) <=
           square;
}

// Growing sets of places: each place has a parent of a smaller number in its set, or itself when it is the root. A root that
// has received a parent is never a root again, and each of its former parents still leads to the root. So following a parent
// that another thread has replaced meanwhile is slower but not wrong.

GRAVLAB_HOST_DEVICE std::uint32_t loadParent(std::uint32_t* from) {
#if defined(__CUDA_ARCH__)
    return *from;
#else
    return std::atomic_ref<std::uint32_t>(*from).load(std::memory_order_relaxed);
#endif
}
GRAVLAB_HOST_DEVICE void storeParent(std::uint32_t* to, std::uint32_t parent) {
#if defined(__CUDA_ARCH__)
    *to = parent;
#else
    std::atomic_ref<std::uint32_t>(*to).store(parent, std::memory_order_relaxed);
#endif
}
/// Stores `parent` where `expected` is the present value; returns the former value.
GRAVLAB_HOST_DEVICE std::uint32_t swapParent(std::uint32_t* at, std::uint32_t expected, std::uint32_t parent) {
#if defined(__CUDA_ARCH__)
    return atomicCAS(at, expected, parent);
#else
    std::atomic_ref<std::uint32_t>(*at).compare_exchange_strong(expected, parent, std::memory_order_relaxed);
    return expected;
#endif
}
/// Returns the former value.
GRAVLAB_HOST_DEVICE std::uint32_t lowerParent(std::uint32_t* at, std::uint32_t parent) {
#if defined(__CUDA_ARCH__)
    return atomicMin(at, parent);
#else
    std::atomic_ref<std::uint32_t> shared(*at);
    std::uint32_t known = shared.load(std::memory_order_relaxed);
    while (parent < known && !shared.compare_exchange_weak(known, parent, std::memory_order_relaxed)) {
    }
    return known;
#endif
}

/// The root of a place as far as this thread knows; paths become shorter on the way. Only parents that are not roots are
/// replaced, so no union is lost.
GRAVLAB_HOST_DEVICE std::uint32_t groupRoot(std::uint32_t* parent, std::uint32_t place) {
    std::uint32_t now = loadParent(parent + place), before = place;
    if (now == place) return place;
    for (;;) {
        const std::uint32_t next = loadParent(parent + now);
        if (next >= now) return now;
        storeParent(parent + before, next);
        before = now;
        now = next;
    }
}

/// Unites the sets of two places and returns their root. It ends: each failed attempt continues from a smaller number.
GRAVLAB_HOST_DEVICE std::uint32_t joinGroups(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
    a = groupRoot(parent, a);
    b = groupRoot(parent, b);
    while (a != b) {
        if (a < b) {
            const std::uint32_t swap = a;
            a = b;
            b = swap;
        }
        const std::uint32_t found = swapParent(parent + a, a, b);
        if (found == a) return b;
        a = groupRoot(parent, found);
    }
    return a;
}

/// Extent of the bodies, for keys. A few bodies very far out must not leave all others in one cube of a curve.
struct FriendFrame {
    double low[3], high[3];  ///< bounds of all finite places [L]
    double centre[3];        ///< their mean
    double reach;            ///< distance from the centre to the edge of the curve's cube
};
/// Largest extent of the cube, in mean distances along the farthest axis.
constexpr double kFriendMeans = 128;

// The tree: bodies along a Hilbert curve, leaves of kFriendLeaf consecutive bodies, and boxes of kFriendBranch consecutive
// boxes up to a single one. It needs no links, and its depth is the same for bodies at one point.

constexpr std::uint32_t kFriendLeaf = 8;
constexpr int kFriendBranchBits = 2, kFriendLevels = 16;
constexpr std::uint32_t kFriendBranch = 1u << kFriendBranchBits;

/// The nearest float that is not above, or not below.
GRAVLAB_HOST_DEVICE float floatBelow(double x) {
#if defined(__CUDA_ARCH__)
    return __double2float_rd(x);
#else
    const auto near = static_cast<float>(x);
    return near > x ? std::nextafter(near, -INFINITY) : near;
#endif
}
GRAVLAB_HOST_DEVICE float floatAbove(double x) { return -floatBelow(-x); }

/// Bounds are rounded outwards, so a box holds its bodies in half of the memory.
struct FriendBox {
    float low[3], high[3];
    bool odd;     ///< some of its bodies have no finite place: the box contains the others
    bool joined;  ///< all of its bodies were in one set at the last test, see markJoined()
};

struct FriendTree {
    FriendPlaces at;
    FriendBox* boxes;
    std::uint32_t start[kFriendLevels + 1];  ///< first box of a level, the leaves first; one more at the end
    int levels;
    double square;          ///< of the linking length [L^2]
    std::uint32_t* parent;  ///< of each place
};

/// Levels and their boxes for `bodies` bodies, at least one level.
inline FriendTree friendTreeOf(std::uint32_t bodies) {
    FriendTree tree{};
    tree.at.count = bodies;
    std::uint32_t boxes = (bodies - 1) / kFriendLeaf + 1;
    for (;;) {
        tree.start[tree.levels + 1] = tree.start[tree.levels] + boxes;
        ++tree.levels;
        if (boxes == 1) return tree;
        boxes = (boxes - 1) / kFriendBranch + 1;
    }
}

GRAVLAB_HOST_DEVICE std::uint64_t friendTreeKey(const FriendFrame& frame, double x, double y, double z) {
    const double inverse = frame.reach > 0 ? 1 / frame.reach : 0;
    return hilbertKey(treePlace((x - frame.centre[0]) * inverse), treePlace((y - frame.centre[1]) * inverse),
                      treePlace((z - frame.centre[2]) * inverse));
}

template <class Number>
GRAVLAB_HOST_DEVICE void widen(Number* low, Number* high, const Number* otherLow, const Number* otherHigh) {
    for (int axis = 0; axis < 3; ++axis) {
        if (otherLow[axis] < low[axis]) low[axis] = otherLow[axis];
        if (otherHigh[axis] > high[axis]) high[axis] = otherHigh[axis];
    }
}

/// Box `index` of a level, when the level below is complete.
GRAVLAB_HOST_DEVICE void makeFriendBox(const FriendTree& tree, int level, std::uint32_t index) {
    FriendBox box{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false, false};
    if (level == 0) {
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        const std::uint32_t first = index * kFriendLeaf, left = tree.at.count - first;
        const std::uint32_t end = first + (left < kFriendLeaf ? left : kFriendLeaf);
        for (std::uint32_t place = first; place < end; ++place) {
            const double at[3] = {tree.at.axis[0][place], tree.at.axis[1][place], tree.at.axis[2][place]};
            if (hasPlace(tree.at, place))
                widen(low, high, at, at);
            else
                box.odd = true;
        }
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = floatBelow(low[axis]);
            box.high[axis] = floatAbove(high[axis]);
        }
    } else {
        const std::uint32_t below = tree.start[level - 1], all = tree.start[level] - below;
        const std::uint32_t first = index << kFriendBranchBits;
        for (std::uint32_t child = first; child < first + kFriendBranch && child < all; ++child) {
            const FriendBox& part = tree.boxes[below + child];
            widen(box.low, box.high, part.low, part.high);
            box.odd = box.odd || part.odd;
        }
    }
    tree.boxes[tree.start[level] + index] = box;
}

GRAVLAB_HOST_DEVICE double apart(float low, float high) { return static_cast<double>(high) - static_cast<double>(low); }
/// All bodies of the box are friends of each other.
GRAVLAB_HOST_DEVICE bool isWhole(const FriendBox& box, double square) {
    return !box.odd && friendSquare(apart(box.low[0], box.high[0]), apart(box.low[1], box.high[1]),
                                    apart(box.low[2], box.high[2])) <= square;
}
/// Some bodies of one may be friends of some of the other. In single precision, with more room than that loses.
GRAVLAB_HOST_DEVICE bool mayTouch(const FriendBox& a, const FriendBox& b, double square) {
    float sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float above = b.low[axis] - a.high[axis], below = a.low[axis] - b.high[axis];
        const float gap = above > 0 ? above : below > 0 ? below : 0;
        sum += gap * gap;
    }
    return sum <= static_cast<float>(square) * (1 + 1e-6f) + 1e-37f;
}
/// All bodies of one are friends of all of the other.
GRAVLAB_HOST_DEVICE bool allTouch(const FriendBox& a, const FriendBox& b, double square) {
    double reach[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double up = apart(a.low[axis], b.high[axis]), down = apart(b.low[axis], a.high[axis]);
        reach[axis] = up > down ? up : down;
    }
    return friendSquare(reach[0], reach[1], reach[2]) <= square;
}

/// First place of the largest box around a place whose bodies all are friends; the place itself where not even its leaf
/// qualifies. As parents these places unite all bodies of such boxes at once, before any comparison.
GRAVLAB_HOST_DEVICE std::uint32_t wholeBoxOf(const FriendTree& tree, std::uint32_t place) {
    std::uint32_t index = place / kFriendLeaf;
    if (!isWhole(tree.boxes[index], tree.square)) return place;
    int level = 0;
    while (level + 1 < tree.levels &&
           isWhole(tree.boxes[tree.start[level + 1] + (index >> kFriendBranchBits)], tree.square)) {
        index >>= kFriendBranchBits;
        ++level;
    }
    return (index << (kFriendBranchBits * level)) * kFriendLeaf;
}

/// Unites a body with its friends in its leaf and in the next along the curve. In dense regions most sets grow this way, and
/// their bodies need no further comparison.
GRAVLAB_HOST_DEVICE void joinNear(const FriendTree& tree, std::uint32_t place) {
    if (!hasPlace(tree.at, place)) return;
    const std::uint32_t behind = (place / kFriendLeaf + 2) * kFriendLeaf;
    const std::uint32_t end = behind < tree.at.count ? behind : tree.at.count;
    std::uint32_t mine = groupRoot(tree.parent, place);
    for (std::uint32_t other = place + 1; other < end; ++other)
        if (loadParent(tree.parent + other) != mine && areFriends(tree.at, place, other, tree.square))
            mine = joinGroups(tree.parent, mine, other);
}

/// Whether all bodies of box `index` of a level are in one set by now, when those of the level below are known. Bodies in
/// one set stay in one set.
GRAVLAB_HOST_DEVICE void markJoined(const FriendTree& tree, int level, std::uint32_t index) {
    FriendBox& box = tree.boxes[tree.start[level] + index];
    const std::uint32_t parts = level == 0 ? kFriendLeaf : kFriendBranch;
    const std::uint32_t all = level == 0 ? tree.at.count : tree.start[level] - tree.start[level - 1];
    const std::uint32_t bodies = level == 0 ? 1 : kFriendLeaf << (kFriendBranchBits * (level - 1));  // of a part
    const std::uint32_t first = index * parts;
    std::uint32_t root = ~0u;
    box.joined = true;
    for (std::uint32_t part = first; part < first + parts && part < all && box.joined; ++part) {
        if (level > 0 && !tree.boxes[tree.start[level - 1] + part].joined) box.joined = false;
        const std::uint32_t its = groupRoot(tree.parent, part * bodies);
        if (part == first) root = its;
        if (its != root) box.joined = false;
    }
}

/// Unites places `first` to `end`, of one set or a single one, with their friends in the leaves behind the one after `leaf`:
/// joinNear() has covered the nearer ones.
GRAVLAB_HOST_DEVICE void joinLater(const FriendTree& tree, std::uint32_t leaf, const FriendBox& own, std::uint32_t first,
                                   std::uint32_t end) {
    int level = 0;
    std::uint32_t index = leaf + 2;
    bool up = true;
    std::uint32_t mine = first;  // of its set: what was its root once
    for (;;) {
        while (up && level + 1 < tree.levels && index % kFriendBranch == 0) {
            index >>= kFriendBranchBits;
            ++level;
        }
        if (index >= tree.start[level + 1] - tree.start[level]) return;
        const FriendBox& box = tree.boxes[tree.start[level] + index];
        bool open = mayTouch(own, box, tree.square);
        if (open && box.joined) {
            const std::uint32_t there = (index << (kFriendBranchBits * level)) * kFriendLeaf;
            mine = groupRoot(tree.parent, mine);
            if (mine == groupRoot(tree.parent, there)) {
                open = false;
            } else if (allTouch(own, box, tree.square)) {
                mine = joinGroups(tree.parent, mine, there);
                open = false;
            }
        }
        up = !open || level == 0;
        if (!up) {
            index <<= kFriendBranchBits;
            --level;
            continue;
        }
        if (open) {
            const std::uint32_t begin = index * kFriendLeaf, left = tree.at.count - begin;
            const std::uint32_t stop = begin + (left < kFriendLeaf ? left : kFriendLeaf);
            bool done = false;
            mine = groupRoot(tree.parent, mine);
            for (std::uint32_t other = begin; other < stop && !done; ++other) {
                if (loadParent(tree.parent + other) == mine) {  // bodies of the same set need no comparison
                    done = box.joined;
                    continue;
                }
                for (std::uint32_t place = first; place < end; ++place)
                    if (areFriends(tree.at, place, other, tree.square)) {
                        mine = joinGroups(tree.parent, mine, other);
                        done = box.joined;  // all others of it are joined with this one
                        break;
                    }
            }
        }
        ++index;
    }
}

/// The search of a leaf whose bodies are in one set; does nothing for others.
GRAVLAB_HOST_DEVICE void joinFromLeaf(const FriendTree& tree, std::uint32_t leaf) {
    const FriendBox own = tree.boxes[leaf];
    if (!own.joined) return;
    const std::uint32_t first = leaf * kFriendLeaf, left = tree.at.count - first;
    joinLater(tree, leaf, own, first, first + (left < kFriendLeaf ? left : kFriendLeaf));
}

/// The search of a body in any other leaf; does nothing for bodies of such leaves.
GRAVLAB_HOST_DEVICE void joinFromBody(const FriendTree& tree, std::uint32_t place) {
    const std::uint32_t leaf = place / kFriendLeaf;
    if (tree.boxes[leaf].joined || !hasPlace(tree.at, place)) return;
    FriendBox own{};
    for (int axis = 0; axis < 3; ++axis) {
        own.low[axis] = floatBelow(tree.at.axis[axis][place]);
        own.high[axis] = floatAbove(tree.at.axis[axis][place]);
    }
    joinLater(tree, leaf, own, place, place + 1);
}

// The grid: bodies in the order of cells, which are a little larger than the linking length. So rounding never puts two
// friends into cells that are not neighbours.

struct FriendGrid {
    FriendPlaces at;
    const std::uint64_t* key;
    double low[3];
    double inverse;  ///< cells per length [1/L]
    double square;   ///< of the linking length [L^2]
    std::uint32_t* parent;
};

constexpr std::uint64_t kCellRow = 1ull << kTreeLevels, kCellSheet = 1ull << (2 * kTreeLevels);

/// Where bodies extend over more cells than keys can count, cells are larger: the search compares more pairs and misses
/// none.
GRAVLAB_HOST_DEVICE void placeGrid(FriendGrid& grid, const FriendFrame& frame, double length) {
    constexpr double kMost = kTreeGrid - 8, kRoom = 1 + 1e-6;
    double side = length * kRoom;
    for (int axis = 0; axis < 3; ++axis) {
        const double needed = (frame.high[axis] - frame.low[axis]) / kMost;
        if (needed > side) side = needed;
        grid.low[axis] = frame.low[axis];
    }
    grid.inverse = side > 0 && isPlace(side) ? 1 / side : 0;
    grid.square = length * length;
}

/// Cells are counted from 1, so that the neighbours of every cell have keys.
GRAVLAB_HOST_DEVICE std::uint64_t cellPlace(double x) {
    constexpr double kLast = kTreeGrid - 4;
    if (!(x > 0)) return 1;
    return 1 + static_cast<std::uint64_t>(x < kLast ? x : kLast);
}
GRAVLAB_HOST_DEVICE std::uint64_t cellKey(const FriendGrid& grid, double x, double y, double z) {
    return cellPlace((x - grid.low[0]) * grid.inverse) * kCellSheet +
           cellPlace((y - grid.low[1]) * grid.inverse) * kCellRow + cellPlace((z - grid.low[2]) * grid.inverse);
}

/// The first place from `from` on whose key is at least `key`.
GRAVLAB_HOST_DEVICE std::uint32_t firstOfKey(const FriendGrid& grid, std::uint64_t key, std::uint32_t from) {
    std::uint32_t end = grid.at.count;
    while (from < end) {
        const std::uint32_t middle = from + (end - from) / 2;
        if (grid.key[middle] < key)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/// Rows of three cells behind a cell; they contain its friends at later places.
struct CellRows {
    std::uint64_t key = 0;  ///< key of the cell; 0: no cell
    std::uint32_t begin[4], end[4];
};
GRAVLAB_HOST_DEVICE void findRows(const FriendGrid& grid, std::uint32_t place, CellRows& rows) {
    rows.key = grid.key[place];
    const std::uint64_t middle[4] = {rows.key + kCellRow, rows.key + kCellSheet - kCellRow, rows.key + kCellSheet,
                                     rows.key + kCellSheet + kCellRow};
    std::uint32_t from = place;
    for (int row = 0; row < 4; ++row) {
        rows.begin[row] = firstOfKey(grid, middle[row] - 1, from);
        rows.end[row] = from = firstOfKey(grid, middle[row] + 2, rows.begin[row]);
    }
}

/// The search of a body; `rows` belong to its cell or to none.
GRAVLAB_HOST_DEVICE void joinFromCell(const FriendGrid& grid, std::uint32_t place, CellRows& rows) {
    if (!hasPlace(grid.at, place)) return;
    if (rows.key != grid.key[place]) findRows(grid, place, rows);
    for (std::uint32_t other = place + 1; other < grid.at.count && grid.key[other] <= rows.key + 1; ++other)
        if (areFriends(grid.at, place, other, grid.square)) joinGroups(grid.parent, place, other);
    for (int row = 0; row < 4; ++row)
        for (std::uint32_t other = rows.begin[row]; other < rows.end[row]; ++other)
            if (areFriends(grid.at, place, other, grid.square)) joinGroups(grid.parent, place, other);
}

/// Calls `meet` with every friend of a body, in the order of places.
template <class Meet>
GRAVLAB_HOST_DEVICE void forFriends(const FriendGrid& grid, std::uint32_t place, const Meet& meet) {
    if (!hasPlace(grid.at, place)) return;
    const std::uint64_t key = grid.key[place];
    std::uint32_t from = 0;
    for (int sheet = -1; sheet <= 1; ++sheet)
        for (int row = -1; row <= 1; ++row) {
            // Unsigned: it wraps below 0, and back.
            const std::uint64_t middle =
                key + static_cast<std::uint64_t>(sheet) * kCellSheet + static_cast<std::uint64_t>(row) * kCellRow;
            from = firstOfKey(grid, middle - 1, from);
            for (; from < grid.at.count && grid.key[from] <= middle + 1; ++from)
                if (from != place && areFriends(grid.at, place, from, grid.square)) meet(from);
        }
}

/// Lists of friends, one row per place.
struct FriendLists {
    const std::uint64_t* begin;  ///< one more at the end
    const std::uint32_t* list;
    std::uint32_t* label;
    std::uint32_t* mark;  ///< the level at which a label was last lowered
};
constexpr std::uint32_t kNoLevel = ~0u;

/// A body without a friend at a smaller place begins a search, with itself as label.
GRAVLAB_HOST_DEVICE void beginSearch(const FriendLists& lists, std::uint32_t place) {
    std::uint64_t from = lists.begin[place];
    lists.label[place] = place;
    lists.mark[place] = from == lists.begin[place + 1] || lists.list[from] > place ? 0 : kNoLevel;
}

/// One level of the searches for a body. If it was reached at the previous level, its friends get its label unless theirs is
/// smaller. True when one did. A body that is reached again while it passes its label on is processed again at the next
/// level.
GRAVLAB_HOST_DEVICE bool searchLevel(const FriendLists& lists, std::uint32_t place, std::uint32_t level) {
    if (loadParent(lists.mark + place) != level) return false;
    const std::uint32_t label = loadParent(lists.label + place);
    bool any = false;
    for (std::uint64_t k = lists.begin[place]; k < lists.begin[place + 1]; ++k) {
        const std::uint32_t other = lists.list[k];
        if (lowerParent(lists.label + other, label) <= label) continue;
        storeParent(lists.mark + other, level + 1);
        any = true;
    }
    return any;
}

}  // namespace gravlab
