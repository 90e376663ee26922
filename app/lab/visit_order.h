// The order in which a kernel visits the pairs, derived from the facts of its launch, for a picture. Rule: pure functions;
// time counts the sources that a thread has visited, and blocks of a wave run at equal speed.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/backends/launch_facts.h"
#include "sim/forces/precision.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

/// Pairs that one block visits between two of its reads: targets [row, rowEnd) with sources [column, columnEnd), one after
/// the other from `begin` to `end`.
struct VisitTile {
    std::uint32_t row = 0, rowEnd = 0, column = 0, columnEnd = 0;
    double begin = 0, end = 0;
    int block = 0, wave = 0;
    bool mirrored = false;  ///< the mirrored half of pairs computed once: its sources are the rows
};

struct VisitOrder {
    std::vector<VisitTile> tiles{};  ///< sorted by block, then by row, then by column
    double length = 0;               ///< time when all pairs are visited
    int waves = 0;
    int threads = 0, bodiesPerThread = 1;
    std::uint32_t tile =
        0;  ///< sources that a block loads into shared memory at once; 0: each thread reads from global memory
    std::uint32_t range = 0;  ///< sources of a block
    bool once = false;        ///< each pair is computed once, for both bodies
    std::string example{};    ///< why another launch is shown than the one in use, and which
    Reason unknown{};         ///< why the order is unknown; empty: it is known
};

/// The order for a force on `bodies` (at most some thousand) that is not cut into slices.
VisitOrder visitOrder(const KernelRow& row, const LaunchConfig& launch, const LaunchFacts& facts, Precision precision,
                      std::size_t bodies);

/// The tile with the pair, and the thread of its block; null when no tile has it.
const VisitTile* tileOf(const VisitOrder& order, std::uint32_t i, std::uint32_t j);
/// Which thread computes the pair, and from where it reads the bodies: a sentence.
std::string visitText(const VisitOrder& order, std::uint32_t i, std::uint32_t j);

}  // namespace gravlab
