#include "sim/backends/cpu/tree/octree.h"

#include "sim/forces/law.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

namespace gravlab::cpu {
namespace {

// Bodies, and nodes, that one thread handles at a time.
constexpr std::size_t kBlock = 4096, kNodeGrain = 512;

float toFloat(float x) { return x; }
float toFloat(double x) { return static_cast<float>(x); }

}  // namespace

Octree::Octree(std::size_t bodies)
    : count_(bodies),
      sources_(bodies),
      capacity_(mostTreeNodes(bodies) + kTreePadding),
      sort_(bodies),
      order_(bodies),
      at_{RawArray<float>(bodies + kTreePadding), RawArray<float>(bodies + kTreePadding),
          RawArray<float>(bodies + kTreePadding)},
      source_(bodies + kTreePadding),
      firstLevel_(bodies),
      endLevel_(bodies),
      starts_(kTreeDepths * blocks()),
      partial_(blocks()),
      x_(capacity_),
      y_(capacity_),
      z_(capacity_),
      farthest_(capacity_),
      weight_(capacity_),
      weightCube_(capacity_),
      first_(capacity_),
      links_(capacity_),
      begin_(capacity_),
      level_(capacity_),
      cells_(capacity_),
      boxes_(capacity_),
      groups_(bodies) {
    for (std::size_t axis = 0; axis < 3; ++axis) std::fill_n(at_[axis].data() + bodies, kTreePadding, 0.0f);
    std::fill_n(source_.data() + bodies, kTreePadding, 0.0f);
}

double Octree::bytes(std::size_t bodies, bool eitherSign) {
    const double perNode = 6 * sizeof(float) + 3 * sizeof(std::int32_t) + 1 + sizeof(TreeCell) + sizeof(NodeBox) +
                           (eitherSign ? kDipoleStride * sizeof(float) : 0);
    const double perBody = sizeof(std::uint32_t) + 4 * sizeof(float) + 2 + sizeof(TreeGroup);
    return KeySort::bytes(bodies) + perBody * static_cast<double>(bodies) +
           perNode * static_cast<double>(mostTreeNodes(bodies));
}

std::size_t Octree::blocks() const { return (sources_ + kBlock - 1) / kBlock; }

TreeView Octree::view() const {
    return {.x = x_.data(),
            .y = y_.data(),
            .z = z_.data(),
            .farthest = farthest_.data(),
            .weight = weight_.data(),
            .weightCube = weightCube_.data(),
            .first = first_.data(),
            .count = links_.data(),
            .cells = cells_.data(),
            .body = {at_[0].data(), at_[1].data(), at_[2].data()},
            .source = source_.data(),
            .order = order_.data(),
            .dipoles = dipoles_.data(),
            .wide = nodes() > kMostGathered};
}

void Octree::takeSigned(bool either) {
    if (either && dipoles_.size() == 0) dipoles_ = RawArray<float>(static_cast<std::size_t>(kDipoleStride) * capacity_);
    signed_ = either;
}

template <class T>
void Octree::measure(const TreeBodies<T>& bodies, ThreadPool& pool) {
    pool.forRange(count_, kBlock, [&](std::size_t first, std::size_t last) {
        Measured here;
        for (std::size_t i = first; i < last; ++i) {
            const float x = std::abs(toFloat(bodies.axis[0][i])), y = std::abs(toFloat(bodies.axis[1][i]));
            const float z = std::abs(toFloat(bodies.axis[2][i])), source = std::abs(toFloat(bodies.source[i]));
            const float edge = std::max(x, std::max(y, z));
            if (std::isfinite(edge)) {
                here.most = std::max(here.most, static_cast<double>(edge));
                here.far += static_cast<double>(edge);
                if (edge > 0) {
                    here.exponents += static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(edge) >> 23) - 126;
                    ++here.counted;
                }
            }
            if (std::isfinite(source)) here.sources += static_cast<double>(source);
        }
        partial_[first / kBlock] = here;
    });
    Measured all;
    for (const Measured& part : partial_) {
        all.most = std::max(all.most, part.most);
        all.far += part.far;
        all.sources += part.sources;
        all.exponents += part.exponents;
        all.counted += part.counted;
    }
    scale_.grid = powerBelow(gridEdge(all.most, all.far, static_cast<std::uint32_t>(count_)));
    // The unit follows the mean exponent, but is large enough that the cube of the farthest distance does not overflow.
    const double usual = std::ldexp(1.0, static_cast<int>(all.exponents / std::max<std::int64_t>(1, all.counted)));
    scale_.length = all.counted == 0 ? 1 : powerBelow(std::max(usual * 0.75, std::ldexp(all.most, -36)));
    scale_.source = powerBelow(all.sources);
    const double length = static_cast<double>(scale_.length);
    scale_.acceleration = length * length / static_cast<double>(scale_.source);
}

template <class T>
void Octree::makeKeys(const TreeBodies<T>& bodies, const TreeKernels& kernels, ThreadPool& pool, TreeKeys curve) {
    measure(bodies, pool);
    KeyedBody* keyed = sort_.data();
    pool.forRange(count_, kBlock, [&](std::size_t first, std::size_t last) {
        std::array<std::array<std::uint32_t, kTreePadding>, 3> place{};
        std::uint64_t keys[kTreePadding];
        for (std::size_t begin = first; begin < last; begin += kTreePadding) {
            const std::size_t count = std::min(kTreePadding, last - begin);
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (std::size_t k = 0; k < count; ++k)
                    place[axis][k] = treePlace(toFloat(bodies.axis[axis][begin + k]) * scale_.grid);
            if (curve == TreeKeys::hilbert)
                kernels.hilbertKeys(place[0].data(), place[1].data(), place[2].data(), count, keys);
            else
                for (std::size_t k = 0; k < count; ++k) keys[k] = mortonKey(place[0][k], place[1][k], place[2][k]);
            for (std::size_t k = 0; sources_ < count_ && k < count; ++k)
                if (bodies.source[begin + k] == 0) keys[k] |= kOnlyTarget;
            for (std::size_t k = 0; k < count; ++k) keyed[begin + k] = {keys[k], static_cast<std::uint32_t>(begin + k)};
        }
    });
}

template <class T>
void Octree::gather(const TreeBodies<T>& bodies, ThreadPool& pool) {
    const KeyedBody* sorted = sort_.data();
    pool.forRange(count_, kBlock, [&](std::size_t first, std::size_t last) {
        for (std::size_t place = first; place < last; ++place) order_[place] = sorted[place].body;
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t place = first; place < last; ++place)
                at_[axis][place] = toFloat(bodies.axis[axis][order_[place]]) * scale_.length;
        for (std::size_t place = first; place < last; ++place)
            source_[place] = toFloat(bodies.source[order_[place]]) * scale_.source;
    });
}

void Octree::findLevels(std::size_t first, std::size_t last) {
    const KeyedBody* sorted = sort_.data();
    constexpr std::size_t kLeaf = kTreeLeaf;
    // One more than the levels that a place and the place one leaf size later have in common; 0 for none.
    std::array<std::uint8_t, kBlock + kLeaf> common{};
    const std::size_t places = last - first;
    for (std::size_t k = 0; k < places + kLeaf; ++k) {
        if (first + k < kLeaf || first + k >= sources_) continue;
        const std::size_t from = first + k - kLeaf;
        common[k] = static_cast<std::uint8_t>(1 + commonLevels(sorted[from].key, sorted[from + kLeaf].key));
    }
    std::array<std::uint8_t, kBlock> deep{};
    for (std::size_t j = 0; j <= kLeaf; ++j)
        for (std::size_t k = 0; k < places; ++k) deep[k] = std::max(deep[k], common[k + j]);
    for (std::size_t k = 0; k < places; ++k) {
        const std::size_t place = first + k;
        const int begins = place == 0 ? 0 : commonLevels(sorted[place - 1].key, sorted[place].key) + 1;
        const NodeLevels levels = nodeLevels(begins, deep[k] - 1);
        firstLevel_[place] = static_cast<std::uint8_t>(levels.first);
        endLevel_[place] = static_cast<std::uint8_t>(levels.end);
    }
}

void Octree::findNodes(ThreadPool& pool) {
    const std::size_t blocks = this->blocks();
    pool.forRange(sources_, kBlock, [&](std::size_t first, std::size_t last) {
        findLevels(first, last);
        std::array<std::uint32_t, kTreeDepths> counts{};
        for (std::size_t place = first; place < last; ++place)
            for (std::size_t level = firstLevel_[place]; level < endLevel_[place]; ++level) ++counts[level];
        for (std::size_t level = 0; level < kTreeDepths; ++level) starts_[level * blocks + first / kBlock] = counts[level];
    });
    std::uint32_t sum = 0;
    levels_ = 0;
    for (std::size_t level = 0; level < kTreeDepths; ++level) {
        levelStart_[level] = sum;
        for (std::size_t block = 0; block < blocks; ++block) sum += std::exchange(starts_[level * blocks + block], sum);
        if (sum > levelStart_[level]) levels_ = static_cast<int>(level) + 1;
    }
    levelStart_[kTreeDepths] = sum;
    nodes_ = sum;
    pool.forRange(sources_, kBlock, [&](std::size_t first, std::size_t last) {
        std::array<std::uint32_t, kTreeDepths> next;
        for (std::size_t level = 0; level < kTreeDepths; ++level) next[level] = starts_[level * blocks + first / kBlock];
        for (std::size_t place = first; place < last; ++place) {
            std::uint32_t child = 0;
            const std::size_t end = endLevel_[place];
            for (std::size_t level = end; level-- > firstLevel_[place];) {
                const std::uint32_t id = next[level]++;
                const bool divided = level + 1 < end;
                first_[id] = static_cast<std::int32_t>(divided ? child : place);
                links_[id] = divided;
                begin_[id] = static_cast<std::uint32_t>(place);
                level_[id] = static_cast<std::uint8_t>(level);
                child = id;
            }
        }
    });
}

void Octree::linkNodes(ThreadPool& pool) {
    const auto keyOfPlace = [this](std::uint32_t place) { return keyAt(place); };
    const auto keyOfNode = [this](std::uint32_t node) { return keyAt(begin_[node]); };
    const auto levelOf = [this](std::uint32_t node) -> int { return level_[node]; };
    std::atomic<std::size_t> leaves{0};
    pool.forRange(nodes_, kNodeGrain, [&](std::size_t first, std::size_t last) {
        std::size_t here = 0;
        for (std::size_t id = first; id < last; ++id) {
            const std::uint64_t key = keyAt(begin_[id]);
            if (links_[id] == 0) {
                links_[id] = -static_cast<std::int32_t>(
                    bodiesOfLeaf(key, level_[id], begin_[id], static_cast<std::uint32_t>(sources_), kTreeLeaf, keyOfPlace));
                ++here;
            } else {
                links_[id] = childrenOf(key, level_[id], static_cast<std::uint32_t>(first_[id]),
                                        static_cast<std::uint32_t>(nodes_), levelOf, keyOfNode);
            }
        }
        leaves.fetch_add(here, std::memory_order_relaxed);
    });
    leaves_ = leaves;
    // Padding that loops read past the last node.
    for (std::size_t id = nodes_; id < nodes_ + kTreePadding; ++id) {
        x_[id] = y_[id] = z_[id] = farthest_[id] = weight_[id] = weightCube_[id] = 0;
        first_[id] = links_[id] = 0;
    }
}

template <bool kSigned>
void Octree::store(std::size_t node, const NodeMoments<float, kSigned>& made) {
    x_[node] = made.cell.x;
    y_[node] = made.cell.y;
    z_[node] = made.cell.z;
    farthest_[node] = made.farthest;
    weight_[node] = made.weight;
    weightCube_[node] = made.weight * (made.farthest * made.farthest * made.farthest);
    const CellPull<float> pull = cellPull(made.cell, GravityField<float>::power());
    TreeCell& cell = cells_[node];
    cell = {pull.x, pull.y, pull.z, pull.source, {}, pull.trace, 0};
    std::copy_n(pull.q, kMoments, cell.q);
    if constexpr (kSigned) {
        cell.weight = made.weight;
        std::copy_n(made.dipole, 3, dipoles_.data() + kDipoleStride * node);
    }
    NodeBox& box = boxes_[node];
    std::copy_n(made.low, 3, box.low);
    std::copy_n(made.high, 3, box.high);
    box.bodies = made.bodies;
}

template <bool kSigned>
NodeMoments<float, kSigned> Octree::momentsOf(std::size_t node) const {
    NodeMoments<float, kSigned> made;
    const TreeCell& cell = cells_[node];
    made.cell = {cell.x, cell.y, cell.z, cell.source, {}};
    for (int k = 0; k < kMoments; ++k) made.cell.moments[k] = cell.q[k] * (1.0f / 3);
    made.farthest = farthest_[node];
    made.weight = weight_[node];
    std::copy_n(boxes_[node].low, 3, made.low);
    std::copy_n(boxes_[node].high, 3, made.high);
    made.bodies = boxes_[node].bodies;
    if constexpr (kSigned) std::copy_n(dipoles_.data() + kDipoleStride * node, 3, made.dipole);
    return made;
}
template NodeMoments<float> Octree::momentsOf<false>(std::size_t node) const;
template NodeMoments<float, true> Octree::momentsOf<true>(std::size_t node) const;

void Octree::addMoments(ThreadPool& pool) { signed_ ? addAllMoments<true>(pool) : addAllMoments<false>(pool); }

template <bool kSigned>
void Octree::addAllMoments(ThreadPool& pool) {
    const auto addTo = [&](std::size_t id) {
        const auto first = static_cast<std::size_t>(first_[id]);
        if (links_[id] > 0) {
            const auto child = [&](int k) { return momentsOf<kSigned>(first + static_cast<std::size_t>(k)); };
            return store<kSigned>(id, parentMoments<float, kSigned>(links_[id], child));
        }
        const auto body = [&](int k) {
            const std::size_t at = first + static_cast<std::size_t>(k);
            return TreeBody<float>{at_[0][at], at_[1][at], at_[2][at], source_[at]};
        };
        store<kSigned>(id, leafMoments<float, kSigned>(-links_[id], body));
    };
    for (int level = levels_; level-- > 0;) {
        const auto at = static_cast<std::size_t>(level);
        const std::size_t begin = levelStart_[at];
        pool.forRange(levelStart_[at + 1] - begin, kNodeGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t id = begin + first; id < begin + last; ++id) addTo(id);
        });
    }
}

void Octree::emit(std::uint32_t first, std::uint32_t bodies) {
    const std::uint32_t groups = groupsOfRun(bodies, kTreeGroup);
    for (std::uint32_t k = 0; k < groups; ++k) groups_[groupCount_++] = groupOfRun(first, bodies, k, groups);
}

void Octree::makeGroups() {
    groupCount_ = 0;
    if (boxes_[0].bodies > kTreeRun && links_[0] > 0)
        groupsBelow(0);
    else
        emit(0, static_cast<std::uint32_t>(sources_));
    if (sources_ < count_) groupsOfTargets(static_cast<std::uint32_t>(sources_), static_cast<std::uint32_t>(count_), 0);
}

/// Cuts bodies of one cube of that level, which are in no node, into groups of neighbouring cubes.
void Octree::groupsOfTargets(std::uint32_t first, std::uint32_t last, int level) {
    if (last - first <= kTreeRun) return emit(first, last - first);
    cutCube(
        first, last, level, [this](std::uint32_t place) { return keyAt(place); },
        [this](std::uint32_t begin, std::uint32_t bodies) { emit(begin, bodies); },
        [this, level](std::uint32_t begin, std::uint32_t end) { groupsOfTargets(begin, end, level + 1); });
}

void Octree::groupsBelow(std::uint32_t node) {
    struct Nodes {
        const Octree& tree;
        std::uint32_t bodies(std::uint32_t id) const { return tree.boxes_[id].bodies; }
        int children(std::uint32_t id) const { return tree.links_[id]; }
        const NodeBox& box(std::uint32_t id) const { return tree.boxes_[id]; }
    };
    const Nodes nodes{*this};
    const auto child = static_cast<std::uint32_t>(first_[node]);
    cutRuns(
        nodes, child, links_[node], largeChildren(nodes, child, links_[node]), begin_[node],
        [this](std::uint32_t first, std::uint32_t bodies) { emit(first, bodies); },
        [this](std::uint32_t large) { groupsBelow(large); });
}

TreeWalkTask walkTask(const Octree& tree, TreeWalk walk, const ForceRequest& request) {
    const ForceSettings& settings = request.settings;
    const TreeForce force = treeForce(settings);
    const bool power = force.law == TreeLaw::power;  // this law has a floor of its own
    const double angle = byAngle(walk) && request.opening > 0 ? request.opening : usualOpening(settings);
    const TreeScale& scale = tree.scale();
    const double length = static_cast<double>(scale.length);
    const double softening =
        static_cast<double>(flooredSoftening<float>(settings.softening, power ? 0 : request.smallestR2)) * length * length;
    TreeWalkTask task{
        .tree = tree.view(),
        .acceleration = scale.acceleration,
        .softeningSquared = std::max(static_cast<float>(softening), kSofteningSquaredFloor32),
        .opening = static_cast<float>(1 / (angle * angle)),
        .share = static_cast<float>(shareOfTargets(settings, request.allowedError,
                                                   {tree.bodies(), tree.sources(), request.active.all(), kTreeGroup}))};
    if (power) {
        task.power = {powerField(force.power, request.smallestR2, length),
                      static_cast<float>((force.power + 1) / (static_cast<double>(GravityField<float>::power()) + 1)),
                      leftOut(settings)};
        task.acceleration = force.factor * std::pow(length, force.power) / static_cast<double>(scale.source);
    }
    if (force.law == TreeLaw::charges) task.floorShare = static_cast<float>(floorShare(settings));
    return task;
}

template void Octree::makeKeys(const TreeBodies<float>&, const TreeKernels&, ThreadPool&, TreeKeys);
template void Octree::makeKeys(const TreeBodies<double>&, const TreeKernels&, ThreadPool&, TreeKeys);
template void Octree::gather(const TreeBodies<float>&, ThreadPool&);
template void Octree::gather(const TreeBodies<double>&, ThreadPool&);

}  // namespace gravlab::cpu
