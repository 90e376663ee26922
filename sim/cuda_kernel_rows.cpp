// The CUDA rows of the kernel table. Data only, no CUDA header, so that every build lists them.
#include "sim/kernel_rows.h"

namespace gravlab {

std::span<const KernelRow> cudaKernelRows() {
    static const int unrolls[] = {1, 2, 4, 8, 16, 32};
    static const KernelRow rows[] = {
        {.backend = "cuda",
         .name = "tiled",
         .idea = "a block reads a tile of bodies into shared memory once for all its threads",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .issuedPerDirectedPair = 13},
    };
    return rows;
}

}  // namespace gravlab
