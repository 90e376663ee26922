// How rows that compute each pair once divide their work on a device. The lab shows it on every machine.
#pragma once
#include "sim/core/host_device.h"

#include <cstddef>
#include <cstdint>

namespace gravlab {

/// Bodies of a lane; a tile has 32 times as many. More would spill registers; fewer would read shared memory too often.
template <class Real>
constexpr int kSymmetricBodies = sizeof(Real) == 4 ? 8 : 4;

/// Division of one force evaluation. It depends on N alone, never on a budget, so that the order of sums is always the
/// same. Partners of a tile are counted from the tile's end, cyclically: half of all tiles lie ahead. The pairs with the
/// other half belong to those tiles.
struct TilePartition {
    int tile = 0;   ///< targets a warp holds
    int tiles = 0;  ///< whole tiles; bodies beyond N are pads
    int chunk = 0;  ///< partners per warp task
    int range = 0;  ///< partners ahead of each tile, over all rounds
    int round = 0;  ///< partners per round: the unit of slices

    GRAVLAB_HOST_DEVICE int bodies() const { return tiles * tile; }
    int rounds() const { return range == 0 ? 1 : (range + round - 1) / round; }
    GRAVLAB_HOST_DEVICE int targetSlots() const { return round / chunk; }
    GRAVLAB_HOST_DEVICE int partnerSlots() const { return round / tile; }
    /// Numbers of scratch: three axes, and one more slot for each diagonal tile, which is a tile with itself.
    std::size_t scratch() const {
        return std::size_t{3} * static_cast<std::size_t>(bodies()) *
               static_cast<std::size_t>(targetSlots() + partnerSlots() + 1);
    }
};

inline TilePartition tilePartition(std::uint32_t count, int tile) {
    // Most directed pairs of a round: about 6 ms on the fastest device, short enough for a responsive window and long enough
    // that the last wave costs little.
    constexpr double kPairsPerRound = 18e9;
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

}  // namespace gravlab
