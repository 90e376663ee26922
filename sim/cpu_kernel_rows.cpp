// The CPU rows of the kernel table. Data only: the code behind them is in cpu/.
#include "sim/kernel_rows.h"

namespace gravlab {

std::span<const KernelRow> cpuKernelRows() {
    static const KernelRow rows[] = {
        {.backend = "cpu", .name = "naive", .idea = "the textbook double loop, one thread, one body at a time"},
        {.backend = "cpu", .name = "simd", .idea = "many bodies in one vector register, chosen for this CPU at run time"},
        {.backend = "cpu", .name = "simd-threads", .idea = "targets shared out over all cores by a persistent pool"},
    };
    return rows;
}

}  // namespace gravlab
