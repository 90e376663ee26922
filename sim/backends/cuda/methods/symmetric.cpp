// How a symmetric force is cut into rounds.
#include "sim/backends/cuda/kernels/symmetric.h"

namespace gravlab::cuda {
namespace {

// Directed pairs that a round holds at most: about 6 ms on the fastest device, so that a window keeps answering, and long
// enough that the last wave costs little.
constexpr double kPairsPerRound = 18e9;

}  // namespace

SymmetricCut symmetricCut(std::uint32_t count, int tile) {
    SymmetricCut cut;
    const int n = static_cast<int>(count);
    cut.tile = tile;
    cut.tiles = (n + tile - 1) / tile;
    cut.range = cut.tiles / 2 * tile;
    // Short chunks spread a small N over all multiprocessors, long ones write fewer partials. Measured at 8k, 16k, 32k and
    // up.
    cut.chunk = n <= 12288 ? 128 : n <= 24576 ? 256 : 512;
    cut.round = cut.chunk > tile ? cut.chunk : tile;
    while (cut.round < cut.range && 4.0 * cut.bodies() * cut.round <= kPairsPerRound) cut.round *= 2;
    return cut;
}

}  // namespace gravlab::cuda
