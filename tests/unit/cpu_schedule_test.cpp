// The order of tile pairs: each pair once, each tile once per round.
#include "sim/backends/cpu/methods/pair_schedule.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace gravlab::cpu {
namespace {

TEST(CpuSchedule, everyPairOnceAndEveryTileOnceARound) {
    for (std::int64_t tiles = 1; tiles <= 41; ++tiles) {
        SCOPED_TRACE(tiles);
        std::set<std::pair<std::int64_t, std::int64_t>> seen;
        std::vector<std::int64_t> turn(static_cast<std::size_t>(tiles));
        std::int64_t round = 0;
        for (std::int64_t i = 0; i < pairCount(tiles); ++i) {
            const TilePair pair = pairAt(tiles, i);
            ASSERT_GE(pair.a, 0);
            ASSERT_LE(pair.a, pair.b);
            ASSERT_LT(pair.b, tiles);
            ASSERT_GE(pair.round, round) << "a piece would wait for one that is handed out later";
            round = pair.round;
            EXPECT_TRUE(seen.emplace(pair.a, pair.b).second);
            EXPECT_EQ(turn[static_cast<std::size_t>(pair.a)]++, pair.round);
            if (pair.a != pair.b) {
                EXPECT_EQ(turn[static_cast<std::size_t>(pair.b)]++, pair.round);
            }
        }
        EXPECT_EQ(static_cast<std::int64_t>(seen.size()), tiles * (tiles + 1) / 2);
        for (const std::int64_t t : turn) EXPECT_EQ(t, tiles) << "a tile's sums would never be closed";
    }
}

}  // namespace
}  // namespace gravlab::cpu
