// What the cores of this machine do at most, measured: a processor does not tell its clock, and what it keeps depends on
// how many cores are at work.
#pragma once
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/backends/launch_facts.h"
#include "sim/core/thread_pool.h"

namespace gravlab::cpu {
/// By all threads of the pool at once, the best of some short trials. Takes about 0.2 s.
DevicePeaks measuredPeaks(const SimdTarget& simd, ThreadPool& pool);
}  // namespace gravlab::cpu
