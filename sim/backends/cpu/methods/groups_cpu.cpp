// The two rows that join sets of bodies on all threads: over a grid, and over a tree.
#include "sim/backends/groups.h"

#include "sim/backends/cpu/tree/key_sort.h"
#include "sim/core/work_watch.h"
#include "sim/groups/friends.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace gravlab {
namespace {

using cpu::KeyedBody;
using cpu::KeySort;
using cpu::RawArray;

constexpr std::size_t kGroupGrain = 4096, kSearchGrain = 512;

/// Bodies in the order of keys, and their sets.
class GroupSearch {
public:
    GroupSearch(const ParticleSet& bodies, const BackendOptions& options)
        : bodies_(bodies), pool_(options.threads.value_or(0)), count_(bodies.size()) {}

    FriendPlaces places() const {
        return {{axis_[0].data(), axis_[1].data(), axis_[2].data()}, static_cast<std::uint32_t>(count_)};
    }
    std::uint32_t* parent() { return parent_.data(); }
    int threads() const { return pool_.threads(); }

    template <class Use>
    void each(std::size_t count, std::size_t grain, const Use& use) {
        pool_.forRange(count, grain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) use(static_cast<std::uint32_t>(i));
        });
    }

    FriendFrame frame() {
        struct Part {
            FriendFrame frame{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, {}, 0};
            double far = 0;
            std::size_t counted = 0;
        };
        std::vector<Part> parts((count_ + kGroupGrain - 1) / kGroupGrain);
        const auto measure = [&](const auto& take) {
            pool_.forRange(count_, kGroupGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) {
                    const Double4& p = bodies_.position[i];
                    const double at[3] = {p.x, p.y, p.z};
                    if (isPlace(p.x) && isPlace(p.y) && isPlace(p.z)) take(parts[first / kGroupGrain], at);
                }
            });
        };
        measure([](Part& part, const double* at) {
            ++part.counted;
            for (int axis = 0; axis < 3; ++axis) {
                part.frame.low[axis] = std::min(part.frame.low[axis], at[axis]);
                part.frame.high[axis] = std::max(part.frame.high[axis], at[axis]);
                part.frame.centre[axis] += at[axis];
            }
        });
        Part all;
        for (const Part& part : parts) {
            all.counted += part.counted;
            for (int axis = 0; axis < 3; ++axis) {
                all.frame.low[axis] = std::min(all.frame.low[axis], part.frame.low[axis]);
                all.frame.high[axis] = std::max(all.frame.high[axis], part.frame.high[axis]);
                all.frame.centre[axis] += part.frame.centre[axis];
            }
        }
        FriendFrame made = all.frame;
        const double counted = static_cast<double>(std::max<std::size_t>(1, all.counted));
        for (double& x : made.centre) x /= counted;
        measure([&made](Part& part, const double* at) {
            double far = 0;
            for (int axis = 0; axis < 3; ++axis) far = std::max(far, std::abs(at[axis] - made.centre[axis]));
            part.frame.reach = std::max(part.frame.reach, far);
            part.far += far;
        });
        for (const Part& part : parts) {
            made.reach = std::max(made.reach, part.frame.reach);
            all.far += part.far;
        }
        made.reach = std::min(made.reach, kFriendMeans * all.far / counted);
        return made;
    }

    /// The same with progress, for the long part of a search.
    template <class Use>
    void eachInSlices(std::size_t count, std::size_t grain, const Use& use) {
        const std::size_t slice = std::max(count / grain / 64 + 1, std::size_t{1024}) * grain;
        for (std::size_t first = 0; first < count; first += slice) {
            each(std::min(slice, count - first), grain,
                 [&](std::uint32_t i) { use(static_cast<std::uint32_t>(first) + i); });
            WorkWatch::report("parts searched for friends", static_cast<std::int64_t>(std::min(first + slice, count)),
                              static_cast<std::int64_t>(count));
        }
    }

    /// `use(place, key)` is called for each place. Arrays exist as long as they are needed: 100 million bodies have room.
    template <class KeyOf, class Use>
    void sortBy(const KeyOf& keyOf, const Use& use) {
        {
            KeySort sort(count_);
            KeyedBody* const keyed = sort.data();
            each(count_, kGroupGrain, [&](std::uint32_t i) {
                const Double4& at = bodies_.position[i];
                keyed[i] = {keyOf(at.x, at.y, at.z), i};
            });
            for (int pass = 0; pass < KeySort::kPasses; ++pass) {
                sort.pass(pass, pool_);
                WorkWatch::report("passes of the sort", pass + 1, KeySort::kPasses);
            }
            sort.end();
            order_ = RawArray<std::uint32_t>(count_);
            each(count_, kGroupGrain, [&](std::uint32_t place) {
                order_[place] = sort.data()[place].body;
                use(place, sort.data()[place].key);
            });
        }
        for (auto& values : axis_) values = RawArray<double>(count_);
        parent_ = RawArray<std::uint32_t>(count_);
        each(count_, kGroupGrain, [&](std::uint32_t place) {
            const Double4& at = bodies_.position[bodyAt(place)];
            axis_[0][place] = at.x;
            axis_[1][place] = at.y;
            axis_[2][place] = at.z;
            parent_[place] = place;
        });
    }

    /// The smallest index in the set of each body.
    std::vector<std::uint32_t> labels() {
        for (auto& values : axis_) values = {};
        std::vector<std::uint32_t> least(count_, ~0u), labels(count_);
        each(count_, kGroupGrain,
             [&](std::uint32_t place) { lowerParent(least.data() + groupRoot(parent(), place), bodyAt(place)); });
        each(count_, kGroupGrain, [&](std::uint32_t place) { labels[bodyAt(place)] = least[groupRoot(parent(), place)]; });
        return labels;
    }

    /// Memory that it takes with `beside` of the structure of the search for each body.
    static double bytes(std::size_t bodies, double beside) { return (32 + beside) * static_cast<double>(bodies); }

    std::uint32_t bodyAt(std::uint32_t place) const { return order_[place]; }

private:
    const ParticleSet& bodies_;
    ThreadPool pool_;
    std::size_t count_;
    RawArray<double> axis_[3];
    RawArray<std::uint32_t> order_, parent_;
};

/// Runs `search`, which joins bodies of one group. The pool's threads start before the clock does.
template <class Search>
FoundGroups timedSearch(const ParticleSet& bodies, const BackendOptions& options, const Search& search) {
    GroupSearch all(bodies, options);
    const auto start = std::chrono::steady_clock::now();
    FoundGroups found;
    search(all, found);
    found.labels = all.labels();
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return found;
}

/// Sorts the bodies by cells a little larger than `length`; `keys` are those of the places.
FriendGrid gridOf(GroupSearch& all, double length, std::vector<std::uint64_t>& keys) {
    FriendGrid grid{};
    placeGrid(grid, all.frame(), length);
    const auto keep = [&](std::uint32_t place, std::uint64_t key) { keys[place] = key; };
    keys.resize(all.places().count);
    all.sortBy([&](double x, double y, double z) { return cellKey(grid, x, y, z); }, keep);
    grid.at = all.places();
    grid.key = keys.data();
    grid.parent = all.parent();
    return grid;
}

FoundGroups groupsByGrid(const ParticleSet& bodies, double length, const BackendOptions& options) {
    return timedSearch(bodies, options, [&](GroupSearch& all, FoundGroups& found) {
        std::vector<std::uint64_t> keys;
        const FriendGrid grid = gridOf(all, length, keys);
        const std::size_t pieces = (bodies.size() + kSearchGrain - 1) / kSearchGrain;
        all.eachInSlices(pieces, 1, [&](std::uint32_t piece) {
            CellRows rows;
            const auto first = static_cast<std::uint32_t>(piece * kSearchGrain);
            const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(bodies.size(), first + kSearchGrain));
            for (std::uint32_t place = first; place < last; ++place) joinFromCell(grid, place, rows);
        });
        std::size_t cells = 0;
        for (std::size_t k = 0; k < keys.size(); ++k) cells += k == 0 || keys[k] != keys[k - 1];
        found.figures = {{"cells", "", static_cast<double>(cells)}, {"threads", "", static_cast<double>(all.threads())}};
    });
}

FoundGroups groupsByTree(const ParticleSet& bodies, double length, const BackendOptions& options) {
    return timedSearch(bodies, options, [&](GroupSearch& all, FoundGroups& found) {
        const FriendFrame frame = all.frame();
        all.sortBy([&](double x, double y, double z) { return friendTreeKey(frame, x, y, z); },
                   [](std::uint32_t, std::uint64_t) {});
        FriendTree tree = friendTreeOf(static_cast<std::uint32_t>(bodies.size()));
        RawArray<FriendBox> boxes(tree.start[tree.levels]);
        tree.at = all.places();
        tree.boxes = boxes.data();
        tree.square = length * length;
        tree.parent = all.parent();
        for (int level = 0; level < tree.levels; ++level)
            all.each(tree.start[level + 1] - tree.start[level], kSearchGrain,
                     [&](std::uint32_t index) { makeFriendBox(tree, level, index); });
        all.each(bodies.size(), kGroupGrain, [&](std::uint32_t place) { tree.parent[place] = wholeBoxOf(tree, place); });
        all.each(bodies.size(), kGroupGrain, [&](std::uint32_t place) { joinNear(tree, place); });
        for (int level = 0; level < tree.levels; ++level)
            all.each(tree.start[level + 1] - tree.start[level], kSearchGrain,
                     [&](std::uint32_t index) { markJoined(tree, level, index); });
        const std::uint32_t leaves = tree.start[1];
        all.eachInSlices(leaves, kSearchGrain / kFriendLeaf, [&](std::uint32_t leaf) {
            joinFromLeaf(tree, leaf);
            const std::uint32_t first = leaf * kFriendLeaf, end = std::min(tree.at.count - first, kFriendLeaf) + first;
            for (std::uint32_t place = first; place < end; ++place) joinFromBody(tree, place);
        });
        std::size_t whole = 0;
        for (std::uint32_t leaf = 0; leaf < leaves; ++leaf) whole += isWhole(tree.boxes[leaf], tree.square);
        found.figures = {{"leaves", "", static_cast<double>(leaves)},
                         {"leaves of friends alone", "", static_cast<double>(whole)},
                         {"threads", "", static_cast<double>(all.threads())}};
    });
}

constexpr GroupRow kCpuRows[] = {
    {"cpu", "union-grid", "sets are joined, cell by cell of a grid as wide as the linking length, on all threads",
     [](std::size_t bodies) { return GroupSearch::bytes(bodies, sizeof(std::uint64_t)); }, groupsByGrid},
    {"cpu", "union-tree", "sets are joined over a tree: boxes out of reach are left out, boxes of one set taken at once",
     [](std::size_t bodies) { return GroupSearch::bytes(bodies, sizeof(FriendBox) / (0.75 * kFriendLeaf)); }, groupsByTree},
};

/// Places that a search has not reached, by the cells of a grid.
class Unreached {
public:
    /// `keys`: of all places, in order.
    explicit Unreached(const std::vector<std::uint64_t>& keys) : places_(keys.size()) {
        for (std::uint32_t place = 0; place < keys.size(); ++place) {
            if (place == 0 || keys[place] != keys[place - 1]) cells_.push_back({keys[place], place, 0});
            places_[place] = place;
            ++cells_.back().count;
        }
    }
    /// Calls take(place) for the places in the cells around one with that key. Places for which it is true leave.
    template <class Take>
    void around(std::uint64_t key, const Take& take) {
        if (key != key_) findNear(key);
        for (const std::uint32_t index : near_) {
            Cell& cell = cells_[index];
            for (std::uint32_t k = 0; k < cell.count;)
                if (take(places_[cell.first + k]))
                    places_[cell.first + k] = places_[cell.first + --cell.count];
                else
                    ++k;
        }
    }

private:
    struct Cell {
        std::uint64_t key;
        std::uint32_t first, count;
    };
    void findNear(std::uint64_t key) {
        key_ = key;
        near_.clear();
        for (std::uint64_t sheet = 0; sheet < 3; ++sheet)
            for (std::uint64_t row = 0; row < 3; ++row) {
                const std::uint64_t middle = key + sheet * kCellSheet + row * kCellRow - kCellSheet - kCellRow;
                auto cell = std::ranges::lower_bound(cells_, middle - 1, {}, &Cell::key);
                for (; cell != cells_.end() && cell->key <= middle + 1; ++cell)
                    near_.push_back(static_cast<std::uint32_t>(cell - cells_.begin()));
            }
    }

    std::vector<Cell> cells_;
    std::vector<std::uint32_t> places_, near_;
    std::uint64_t key_ = 0;  ///< of the cell that `near_` surrounds; cells have keys above 0
};

/// The bodies of a level search the cells around them. A body leaves its cell when it is reached.
FoundDepths depthsByCells(const ParticleSet& bodies, double length, std::uint32_t from, const BackendOptions& options) {
    GroupSearch all(bodies, options);
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::uint64_t> keys;
    const FriendGrid grid = gridOf(all, length, keys);
    Unreached unreached(keys);
    std::vector<std::uint32_t> depthAt(bodies.size(), kNoDepth), level, next;
    double visits = 0;
    const auto reach = [&](std::uint32_t place, std::uint32_t depth) {
        depthAt[place] = depth;
        next.push_back(place);
        return true;
    };
    for (std::uint32_t place = 0; place < grid.at.count; ++place)
        if (all.bodyAt(place) == from)
            unreached.around(keys[place], [&](std::uint32_t other) { return other == place && reach(place, 0); });
    std::uint32_t depth = 0;
    for (; !next.empty(); ++depth) {
        level.swap(next);
        next.clear();
        for (const std::uint32_t place : level)
            unreached.around(keys[place], [&](std::uint32_t other) {
                ++visits;
                return areFriends(grid.at, place, other, grid.square) && reach(other, depth + 1);
            });
    }
    FoundDepths found;
    found.depths.resize(bodies.size());
    for (std::uint32_t place = 0; place < grid.at.count; ++place) found.depths[all.bodyAt(place)] = depthAt[place];
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    found.figures = {{"levels", "", static_cast<double>(depth)},
                     {"visits a body", "", 1 + visits / static_cast<double>(bodies.size())}};
    return found;
}

}  // namespace

std::span<const DepthRow> cpuDepthRows() {
    static constexpr DepthRow kRows[] = {
        {"cpu", "cells",
         "on one thread: bodies of a level search the cells around them, and a body leaves its cell when it is reached",
         depthsByCells}};
    return kRows;
}

std::span<const GroupRow> cpuGroupRows() { return kCpuRows; }

}  // namespace gravlab
