// In which order a kernel visits the pairs: from the facts of its launch alone, so that a picture can show it.
// Rule: pure; time is counted in sources that a thread has met, and blocks of a wave run side by side at one pace.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/backends/launch_facts.h"
#include "sim/forces/precision.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gravlab {

/// Pairs that one block visits between two of its reads: targets [row, rowEnd) with sources [column, columnEnd), which come
/// one after the other from `begin` to `end`.
struct VisitTile {
    std::uint32_t row = 0, rowEnd = 0, column = 0, columnEnd = 0;
    double begin = 0, end = 0;
    int block = 0, wave = 0;
    bool mirrored = false;  ///< the other half of pairs that are computed once: its sources are the rows
};

struct VisitOrder {
    std::vector<VisitTile> tiles;  ///< of a block together, its rows and then its columns ascending
    double length = 0;             ///< when all have been visited
    int waves = 0;
    int threads = 0, bodiesPerThread = 1;
    std::uint32_t tile = 0;   ///< sources that a block reads into shared memory at once; 0: each thread reads for itself
    std::uint32_t range = 0;  ///< sources of a block
    bool once = false;        ///< each pair is computed once, for both
    std::string example;      ///< of another launch than the one in use: why, and which
    Reason unknown;           ///< why it is not known; empty: it is
};

/// Of a force on `bodies`, of at most some thousand, which nobody cuts.
VisitOrder visitOrder(const KernelRow& row, const LaunchConfig& launch, const LaunchFacts& facts, Precision precision,
                      std::size_t bodies);

/// The tile that has the pair, and the thread of its block; null where there is none.
const VisitTile* tileOf(const VisitOrder& order, std::uint32_t i, std::uint32_t j);
/// Which thread computes the pair, and who reads its bodies from where: a sentence.
std::string visitText(const VisitOrder& order, std::uint32_t i, std::uint32_t j);

}  // namespace gravlab
