// The CPU rows of the kernel table. Data only: the code behind them is in cpu/.
#include "sim/backends/kernel_rows.h"

namespace gravlab {

std::span<const KernelRow> cpuKernelRows() {
    static const KernelRow rows[] = {
        {.backend = "cpu",
         .name = "naive",
         .idea = "the textbook double loop, one thread, one pair at a time",
         .source = "kernels_plain.cpp:targets",
         .refuses = whyNotOnCpu},
        {.backend = "cpu",
         .name = "naive-symmetric",
         .idea = "each pair once: what i does to j, j does to i with the sign turned",
         .shape = WorkShape::pairTiles,
         .source = "kernels_plain.cpp:pairs",
         .refuses = whyNotOnCpu},
        {.backend = "cpu",
         .name = "openmp",
         .idea = "the textbook loop with directives only: parallel for and simd",
         .source = "kernels_openmp.cpp:targets",
         .refuses = whyNotOnCpu},
        {.backend = "cpu",
         .name = "simd",
         .idea = "many bodies in one vector register, one thread, chosen for this CPU at run time",
         .source = "kernels_simd.cpp:targetGroup",
         .refuses = whyNotOnCpu},
        {.backend = "cpu",
         .name = "simd-threads",
         .idea = "targets shared out over all cores by a persistent pool",
         .source = "force_evaluation.cpp",
         .refuses = whyNotOnCpu},
        {.backend = "cpu",
         .name = "symmetric-threads",
         .idea = "each pair once on all cores, tiles in rounds: same bits for any number of threads",
         .shape = WorkShape::pairTiles,
         .source = "kernels_simd.cpp:pairGroup",
         .refuses = whyNotOnCpu},
    };
    return rows;
}

}  // namespace gravlab
