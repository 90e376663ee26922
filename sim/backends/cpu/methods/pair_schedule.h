// The order in which a symmetric force visits its pairs of tiles. Rule: round r holds the pairs (a, b) with a + b = r mod
// tiles. Each tile is then in exactly one pair of each round and receives its partial sums in the order of the rounds. The
// result has the same bits for any number of threads, without a copy of the sums for each thread.
#pragma once
#include <cstdint>

namespace gravlab::cpu {

struct TilePair {
    std::int64_t a, b, round;  ///< a <= b
};

/// Number of unordered pairs of `tiles` tiles, each tile with itself included.
constexpr std::int64_t pairCount(std::int64_t tiles) { return tiles * (tiles + 1) / 2; }

/// The pair at position `index` in the order of rounds.
constexpr TilePair pairAt(std::int64_t tiles, std::int64_t index) {
    // Odd: every round has (tiles + 1) / 2 pairs. Even: tiles / 2 + 1 in even rounds, tiles / 2 in odd ones.
    std::int64_t round = 0, place = 0;
    if (tiles % 2) {
        const std::int64_t perRound = (tiles + 1) / 2;
        round = index / perRound;
        place = index % perRound;
    } else {
        const std::int64_t evenRound = tiles / 2 + 1, inTwo = index % (tiles + 1);
        const bool odd = inTwo >= evenRound;
        round = index / (tiles + 1) * 2 + odd;
        place = odd ? inTwo - evenRound : inTwo;
    }
    const std::int64_t unwrapped = round / 2 + 1;  // pairs with a + b = round; the others have a + b = round + tiles
    const std::int64_t a = place < unwrapped ? place : round + 1 + (place - unwrapped);
    return {a, place < unwrapped ? round - a : round + tiles - a, round};
}

}  // namespace gravlab::cpu
