// The CPU backend as the table of backends sees it.
#pragma once
#include "sim/backends/backend.h"

namespace gravlab {

/// The row of the CPU backend: SIMD chosen at run time, a persistent pool of threads.
BackendRow cpuBackendRow();

/// Bytes that a run on the CPU takes for so many bodies.
double cpuBytes(std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel, bool inBlocks);

}  // namespace gravlab
