// The symmetric force as the host sees it: the division of an evaluation, and the parameters of its two kernels.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/backends/kernel.h"
#include "sim/backends/tile_partition.h"

#include <cstdint>

namespace gravlab::cuda {

/// The other number that is built in single precision: half the tile, for fewer bodies.
constexpr int kFewerSymmetricBodies = 4;
/// Most warps of a block, each with its own tile.
constexpr int kMostSymmetricWarps = 4;
template <class Real>
constexpr int kSymmetricTile = 32 * kSymmetricBodies<Real>;

/// One round. Units: tiles x (chunks of the round), plus `tiles` for the diagonal tiles in the first round; one warp each.
/// Device memory.
template <class Real>
struct SymmetricTask {
    const Vec4<Real>* bodies;  ///< padded; pads have mass 0 and lie where their force is exactly 0
    Real* scratch;             ///< [target slots][partner slots][diagonal tile], each [3][bodies]
    Real* sums;                ///< for the row that adds by atomics: x, y, z, 0 a body; else null
    TilePartition partition;
    int first, end;  ///< partners
    Real softeningSquared;
    bool diagonalTiles;
    std::uint32_t count;  ///< bodies without pads
    int units;
};
enum class SymmetricSums {
    slots,
    slotsEqualMasses,
    slotsMassRuns,  ///< where a tile and its chunk of partners have one mass each, only their final sums are multiplied
    atomics
};
/// The kernel; null for a launch that is not built. One factor may differ from the usual launch; in double precision none
/// may.
template <class Real>
Kernel<SymmetricTask<Real>> symmetricKernel(SymmetricSums sums, const LaunchConfig& launch);

constexpr int kMostSpans = 32;
/// Adds one round's slots in a fixed order, in fp64, and the sums that wait for them. A block has 256 threads for 32 bodies.
template <class Real>
struct SlotsTask {
    const Real* scratch;
    TilePartition partition;
    PairRound round;
    int begin[kMostSpans + 1];  ///< units of the round before each of its leaves; all units
    int chunks, width;          ///< slots of targets and of partners per unit
    int used, usedFar;          ///< slots of targets; of the far half of an even number of tiles
    int partners;               ///< tiles of partners
    int partnerSlot, ownSlot;   ///< first slots of partners and of diagonal tiles; below 0: not in this round
    double scale;               ///< the mass, when all are equal
    double* waiting;            ///< arrays of sums, each [3][bodies]
    Vec4<Real>* acceleration;   ///< takes the joined sum; null: an array does
    std::uint32_t count;
};
template <class Real>
Kernel<SlotsTask<Real>> addSlotsKernel(int bodies);

/// Joins the sums of all spans, which several methods computed. One thread per body and axis.
template <class Real>
struct JoinTask {
    const double* sums[kMostSpans] = {};  ///< a node each, [3][bodies]
    int joins[kMostSpans] = {};           ///< waiting sums that are added to that of the node, the last first
    int nodes;
    int bodies;
    double scale;  ///< the mass, when all are equal
    Vec4<Real>* acceleration;
    std::uint32_t count;
};
template <class Real>
Kernel<JoinTask<Real>> joinSpansKernel();

}  // namespace gravlab::cuda
