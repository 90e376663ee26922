// The tree of sums of rows that compute each pair once: parts of it, in any number, join to the bits of the whole.
#include "sim/backends/tile_partition.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace gravlab {
namespace {

/// The sums that wait after the spans [first, last), as the device adds them; leaf k has the sum `leaves[k]`.
std::vector<double> waitingSums(const TilePartition& partition, const std::vector<double>& leaves, int first, int last) {
    std::vector<double> waiting(64, 1e300);
    std::size_t used = 0;
    for (PairRounds rounds(partition, first, last); !rounds.atEnd();) {
        const PairRound round = rounds.next();
        std::vector<double> level(leaves.begin() + round.leaf, leaves.begin() + round.leaf + round.leaves);
        for (; level.size() > 1; level.resize(level.size() / 2))
            for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = level[2 * i] + level[2 * i + 1];
        double total = level[0];
        for (int k = round.add - 1; k >= 0; --k) total = waiting[static_cast<std::size_t>(round.into + k)] + total;
        used = static_cast<std::size_t>(round.into) + 1;
        waiting[used - 1] = total;
    }
    waiting.resize(used);
    return waiting;
}

double joined(const std::vector<double>& sums, const std::vector<int>& joins) {
    std::vector<double> waiting;
    for (std::size_t node = 0; node < joins.size(); ++node) {
        double sum = sums[node];
        for (int k = 0; k < joins[node]; ++k, waiting.pop_back()) sum = waiting.back() + sum;
        waiting.push_back(sum);
    }
    return waiting.size() == 1 ? waiting[0] : 0;
}

TEST(TilePartition, partsOfTheTreeJoinToTheBitsOfTheWhole) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> value(-1, 1);
    int inTurn = 0, byOtherOrders = 0;
    for (const std::uint32_t count : {1u, 257u, 4096u, 65536u, 70001u, 300000u, 1048576u, 3000001u})
        for (const int tile : {128, 256}) {
            SCOPED_TRACE(std::to_string(count) + ' ' + std::to_string(tile));
            const TilePartition partition = tilePartition(count, tile);
            std::vector<double> leaves(std::size_t{1} << partition.leafBits);
            for (double& leaf : leaves) leaf = value(random);
            const std::vector<double> whole = waitingSums(partition, leaves, 0, partition.spans);
            ASSERT_EQ(whole.size(), 1u);
            double chain = 0;
            for (const double leaf : leaves) chain += leaf;
            byOtherOrders += chain != whole[0];
            for (const int methods : {1, 2, 3, 4, 5, 8}) {
                std::vector<SpanNode> nodes;
                std::vector<double> sums;
                for (int k = 0; k < methods; ++k) {
                    const int first = partition.spans * k / methods, last = partition.spans * (k + 1) / methods;
                    const std::vector<SpanNode> part = spanNodes(first, last);
                    const std::vector<double> waiting = waitingSums(partition, leaves, first, last);
                    ASSERT_EQ(part.size(), waiting.size());
                    nodes.insert(nodes.end(), part.begin(), part.end());
                    sums.insert(sums.end(), waiting.begin(), waiting.end());
                }
                EXPECT_EQ(joined(sums, spanJoins(nodes, partition.spans)), whole[0]) << methods;
                inTurn += methods > 1;
                nodes.pop_back();
                EXPECT_TRUE(spanJoins(nodes, partition.spans).empty()) << "the last part is missing";
            }
        }
    EXPECT_EQ(inTurn, 8 * 2 * 5);
    EXPECT_GT(byOtherOrders, 10) << "the sums are too round to prove anything";
}

TEST(TilePartition, roundsHaveEachPartnerOnceInTheirRoom) {
    for (const std::uint32_t count : {1u, 300u, 30000u, 65536u, 200000u, 1000000u, 5000000u})
        for (int first = 0; first < 8; first += 3) {
            const TilePartition partition = tilePartition(count, 256);
            const SpanRoom room = spanRoom(partition, first, partition.spans);
            int units = partition.unitsBefore(first * partition.leavesOfSpan()), rounds = 0;
            for (PairRounds each(partition, first, partition.spans); !each.atEnd(); ++rounds) {
                const PairRound round = each.next();
                EXPECT_EQ(round.first, units);
                EXPECT_LE((round.end - round.first) * partition.unit, room.round);
                units = round.end;
            }
            EXPECT_EQ(units, partition.units);
            if (first > 0) continue;
            EXPECT_EQ(rounds, partition.rounds);
            EXPECT_LE(room.arrays, 6);
            EXPECT_EQ(room.arrays == 0, rounds == 1) << "one round needs no array";
        }
    EXPECT_EQ(tilePartition(1048576, 256).rounds, 64);
    EXPECT_EQ(tilePartition(65536, 256).spans, 32);
}

TEST(TilePartition, aPartHasTheFewestNodes) {
    EXPECT_EQ(spanNodes(0, 32), (std::vector<SpanNode>{{0, 32}}));
    EXPECT_EQ(spanNodes(11, 22), (std::vector<SpanNode>{{11, 1}, {12, 4}, {16, 4}, {20, 2}}));
    EXPECT_EQ(spanNodes(1, 31).size(), 8u);
}

}  // namespace
}  // namespace gravlab
