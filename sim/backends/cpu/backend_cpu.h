// The CPU backend as the table of backends sees it.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/core/thread_pool.h"

namespace gravlab {

/// The row of the CPU backend: SIMD chosen at run time, a persistent pool of threads.
BackendRow cpuBackendRow();

/// Bytes that a run on the CPU takes for so many bodies.
double cpuBytes(std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel, bool inBlocks);

namespace cpu {
/// What the cores of this machine do at most, measured by all threads of the pool at once, the best of some short trials: a
/// processor does not tell its clock, and what it keeps depends on how many cores are at work. Takes about 0.2 s.
DevicePeaks measuredPeaks(const SimdTarget& simd, ThreadPool& pool);
}  // namespace cpu

}  // namespace gravlab
