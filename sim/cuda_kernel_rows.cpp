// The CUDA rows of the kernel table. Data only, no CUDA header, so that every build lists them.
#include "sim/kernel_rows.h"

namespace gravlab {

std::span<const KernelRow> cudaKernelRows() {
    static const int unrolls[] = {1, 2, 4, 8, 16, 32};
    static const int bodiesPerThread[] = {1, 2, 4, 8};
    // 13 instructions a pair, one read of shared memory for each pair (or for as many as a thread has bodies), and about 1 %
    // for the second level of the sum.
    static const KernelRow rows[] = {
        {.backend = "cuda",
         .name = "tiled",
         .idea = "a block reads a tile of bodies into shared memory once for all its threads",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .issuedPerDirectedPair = 14},
        {.backend = "cuda",
         .name = "tiled-split",
         .idea = "several blocks share a body's sources and a fixed order adds their sums: small systems fill the device",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .splits = {1, 128},
         .issuedPerDirectedPair = 14},
        {.backend = "cuda",
         .name = "tiled-registers",
         .idea = "a thread holds several bodies in registers, so one read of shared memory serves them all",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .bodiesPerThread = bodiesPerThread,
         .splits = {1, 128},
         .issuedPerDirectedPair = 13.1},
    };
    return rows;
}

}  // namespace gravlab
