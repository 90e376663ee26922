// What other rooms take from the CPU: sums by its tree, its rates, and threads of OpenMP.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cpu/kernels/simd_targets.h"
#include "sim/core/thread_pool.h"

namespace gravlab {

struct RankSelf;
/// This process as a rank of a job: its cores, and a helper of the CPU backend.
RankSelf rankOfCpu();

/// Sums pairs, under a law that treeLaw() knows, by a tree whose forces keep `accuracy`. It runs on the given number of
/// threads (0 = all), waits for them, and gives the same bits for any number. PairSum::error comes from a comparison of some
/// random bodies with fp64. The closest pair is searched among the pairs that the walk evaluates body by body. Throws
/// std::bad_alloc.
PairSummation pairsByTree(double accuracy);

namespace cpu {
/// Highest rates of this machine's cores, measured by all threads of the pool at once; the best of some short trials counts.
/// A processor does not report its clock, and its sustained rate depends on how many cores work. Takes about 0.2 s.
DevicePeaks measuredPeaks(const SimdTarget& simd, ThreadPool& pool);

/// Stack size in bytes that `text`, in the format of OMP_STACKSIZE, requests: a number with B, K, M or G, by default K. 0
/// where `text` is null or not understood.
std::size_t openMpStack(const char* text);
/// How many of `wanted` threads of `stack` bytes (0: the usual size) the system allows, the calling one included. The check
/// is needed because the library ends the whole program when it cannot start a thread. Waits for threads that it starts.
int threadsAllowed(int wanted, std::size_t stack);
/// The same with the present settings of the library; each calling thread looks it up once.
int openMpThreads(int wanted);
}  // namespace cpu

}  // namespace gravlab
