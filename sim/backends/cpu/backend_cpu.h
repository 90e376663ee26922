// The CPU backend as the table of backends sees it.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/core/thread_pool.h"
#include "sim/measure/diagnostics.h"

namespace gravlab {

/// The row of the CPU backend: SIMD chosen at run time, a persistent pool of threads.
BackendRow cpuBackendRow();

/// Bytes that a run on the CPU takes for so many bodies.
double cpuBytes(std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel, bool inBlocks);

/// Sums pairs under a law that treeLaw() knows by a tree whose forces keep `accuracy`, on so many threads (0 = all), which
/// it waits for. The same bits for any number of threads. Some bodies at random are compared with fp64, which gives
/// PairSum::error; the closest pair is that of the bodies that the walk evaluates one by one. Throws std::bad_alloc.
PairSummation pairsByTree(double accuracy);

namespace cpu {
/// What the cores of this machine do at most, measured by all threads of the pool at once, the best of some short trials: a
/// processor does not tell its clock, and what it keeps depends on how many cores are at work. Takes about 0.2 s.
DevicePeaks measuredPeaks(const SimdTarget& simd, ThreadPool& pool);
}  // namespace cpu

}  // namespace gravlab
