// How rows that compute each pair once divide their work on a device. The lab shows it on every machine.
#pragma once
#include "sim/api/vectors.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gravlab {

/// Bodies of a lane; a tile has 32 times as many. More would spill registers; fewer would read shared memory too often.
template <class Real>
constexpr int kSymmetricBodies = sizeof(Real) == 4 ? 8 : 4;

/// Leaves of a round that are summed at the same time.
constexpr int kSlotGroups = 8;

/// Division of one force evaluation. It depends on N alone, never on a budget, so that the order of sums is always the
/// same. Partners of a tile are counted from the tile's end, cyclically: half of all tiles lie ahead. The pairs with the
/// other half belong to those tiles. The partners are cut into leaves; a leaf is summed in order, and a binary tree joins
/// the leaves of a round, then the spans. Only the rounds of one span form a chain. So a device can compute some spans
/// alone.
struct TilePartition {
    int tile = 0;      ///< targets that a warp holds
    int tiles = 0;     ///< whole tiles; bodies beyond N are pads
    int chunk = 0;     ///< partners per warp task
    int range = 0;     ///< partners ahead of each tile, over all rounds
    int unit = 1;      ///< partners of the smallest leaf: whole chunks and whole tiles
    int units = 0;     ///< of `range`; the last may have fewer partners
    int spans = 1;     ///< parts for several devices; a power of two
    int rounds = 1;    ///< slices; a power of two
    int leafBits = 0;  ///< binary logarithm of the number of leaves
    int round = 0;     ///< most partners of a round: the room of its slots

    GRAVLAB_HOST_DEVICE int bodies() const { return tiles * tile; }
    GRAVLAB_HOST_DEVICE int targetSlots() const { return round / chunk; }
    GRAVLAB_HOST_DEVICE int partnerSlots() const { return round / tile; }
    /// Units before a leaf.
    GRAVLAB_HOST_DEVICE int unitsBefore(int leaf) const {
        return static_cast<int>(static_cast<long long>(units) * leaf >> leafBits);
    }
    int leavesOfSpan() const { return (1 << leafBits) / spans; }
    /// Numbers of scratch: three axes, and one more slot for each diagonal tile, which is a tile with itself.
    std::size_t scratch() const {
        return std::size_t{3} * static_cast<std::size_t>(bodies()) *
               static_cast<std::size_t>(targetSlots() + partnerSlots() + 1);
    }
};

inline TilePartition tilePartition(std::uint32_t count, int tile) {
    // Most directed pairs of a round: 6 to 12 ms on the fastest device, short enough for a responsive window and long enough
    // that the last wave costs little.
    constexpr double kPairsPerRound = 36e9;
    TilePartition partition;
    const int n = static_cast<int>(count);
    partition.tile = tile;
    partition.tiles = static_cast<int>((count + static_cast<std::uint32_t>(tile) - 1) / static_cast<std::uint32_t>(tile));
    partition.range = partition.tiles / 2 * tile;
    // Short chunks spread a small N over all multiprocessors, long ones write fewer partials. Measured at 8k, 16k, 32k and
    // up.
    partition.chunk = n <= 12288 ? 128 : n <= 24576 ? 256 : 512;
    partition.unit = partition.chunk > tile ? partition.chunk : tile;
    partition.units = (partition.range + partition.unit - 1) / partition.unit;
    while (partition.rounds < partition.units &&
           4.0 * partition.bodies() * partition.range / partition.rounds > kPairsPerRound)
        partition.rounds *= 2;
    partition.spans = partition.units < 64 ? kSlotGroups : 32;
    const int together = partition.spans / partition.rounds;
    const int leaves = partition.rounds * (together > kSlotGroups ? together : kSlotGroups);
    while (1 << partition.leafBits < leaves) ++partition.leafBits;
    partition.round = (partition.units + partition.rounds - 1) / partition.rounds * partition.unit;
    if (partition.round == 0) partition.round = partition.unit;
    return partition;
}

/// One round, and the arrays of sums that wait to be joined with its sum.
struct PairRound {
    int leaf = 0, leaves = 0;  ///< the number is a power of two
    int first = 0, end = 0;    ///< units
    int into = 0;              ///< the array for the joined sum
    int add = 0;               ///< arrays from `into` on that are added, the last of them first
};

/// Goes through the rounds of the spans [first, last). Afterwards the arrays 0, 1, ... have the sums of spanNodes().
class PairRounds {
public:
    PairRounds(const TilePartition& partition, int first, int last)
        : partition_(&partition),
          first_(first * partition.leavesOfSpan()),
          end_(last * partition.leavesOfSpan()),
          at_(first_) {}
    bool atEnd() const { return at_ == end_; }
    int leaf() const { return at_; }
    PairRound next() {
        const int span = partition_->leavesOfSpan(), most = (1 << partition_->leafBits) / partition_->rounds;
        PairRound round{.leaf = at_, .leaves = span < most ? span : most, .into = waiting_};
        const auto doubles = [&](int width) { return at_ % (2 * width) == 0 && at_ + 2 * width <= end_; };
        while (2 * round.leaves <= most && doubles(round.leaves)) round.leaves *= 2;
        if (at_ % span != 0) round.add = 1;  // the earlier rounds of the span
        at_ += round.leaves;
        round.first = partition_->unitsBefore(round.leaf), round.end = partition_->unitsBefore(at_);
        if (at_ % span != 0) return round;
        int width = span > round.leaves ? span : round.leaves;
        for (int from = at_ - width; from / width % 2 != 0 && from - width >= first_; from -= width, width *= 2)
            ++round.add, --round.into;
        waiting_ = round.into + 1;
        return round;
    }

private:
    const TilePartition* partition_;
    int first_, end_, at_;
    int waiting_ = 0;  ///< arrays with sums of whole spans
};

/// A node of the tree of sums.
struct SpanNode {
    int first = 0, spans = 0;  ///< `first` is a multiple of `spans`, a power of two
    bool operator==(const SpanNode&) const = default;
};
/// The fewest nodes that are [first, last).
inline std::vector<SpanNode> spanNodes(int first, int last) {
    std::vector<SpanNode> nodes;
    for (int width = 1; first < last; first += width) {
        for (width = 1; first % (2 * width) == 0 && first + 2 * width <= last;) width *= 2;
        nodes.push_back({first, width});
    }
    return nodes;
}
/// How many waiting sums are added to that of each node, the last first, when `nodes` are joined in their order. Empty: they
/// are not the whole tree.
inline std::vector<int> spanJoins(std::span<const SpanNode> nodes, int spans) {
    std::vector<SpanNode> waiting;
    std::vector<int> joins;
    for (SpanNode node : nodes) {
        if (node.first != (waiting.empty() ? 0 : waiting.back().first + waiting.back().spans)) return {};
        int added = 0;
        for (; !waiting.empty() && waiting.back().spans == node.spans && node.first / node.spans % 2 != 0; ++added) {
            node = {waiting.back().first, 2 * node.spans};
            waiting.pop_back();
        }
        waiting.push_back(node);
        joins.push_back(added);
    }
    return waiting == std::vector<SpanNode>{{0, spans}} ? joins : std::vector<int>{};
}

/// Memory that the spans [first, last) need.
struct SpanRoom {
    int round = 0;   ///< partners of the longest round
    int arrays = 0;  ///< of sums that wait; those of all spans end in accelerations
};
inline SpanRoom spanRoom(const TilePartition& partition, int first, int last) {
    SpanRoom room{.round = partition.unit};
    const bool all = first == 0 && last == partition.spans;
    for (PairRounds rounds(partition, first, last); !rounds.atEnd();) {
        const PairRound round = rounds.next();
        room.round = std::max(room.round, (round.end - round.first) * partition.unit);
        if (!all || !rounds.atEnd()) room.arrays = std::max(room.arrays, round.into + 1);
    }
    return room;
}

}  // namespace gravlab
