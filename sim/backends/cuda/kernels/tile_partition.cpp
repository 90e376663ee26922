// Division of the symmetric force. Every build has it, because the matrix of the lab shows it without a device, too.
#include "sim/backends/cuda/kernels/symmetric.h"

namespace gravlab::cuda {
namespace {

// Most directed pairs of a round: about 6 ms on the fastest device, short enough for a responsive window and long enough
// that the last wave costs little.
constexpr double kPairsPerRound = 18e9;

}  // namespace

TilePartition tilePartition(std::uint32_t count, int tile) {
    TilePartition partition;
    const int n = static_cast<int>(count);
    partition.tile = tile;
    partition.tiles = static_cast<int>((count + static_cast<std::uint32_t>(tile) - 1) / static_cast<std::uint32_t>(tile));
    partition.range = partition.tiles / 2 * tile;
    // Short chunks spread a small N over all multiprocessors, long ones write fewer partials. Measured at 8k, 16k, 32k and
    // up.
    partition.chunk = n <= 12288 ? 128 : n <= 24576 ? 256 : 512;
    partition.round = partition.chunk > tile ? partition.chunk : tile;
    while (partition.round < partition.range && 4.0 * partition.bodies() * partition.round <= kPairsPerRound)
        partition.round *= 2;
    return partition;
}

}  // namespace gravlab::cuda
