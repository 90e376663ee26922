// The rows of each backend and of its kernels; backend.cpp and kernel.cpp join them. A row exists even where it cannot run.
#pragma once
#include "sim/backends/kernel.h"
#include "sim/integrators/integrator.h"

#include <span>

namespace gravlab {

struct BackendRow;
/// fp64, one thread, never unavailable.
BackendRow referenceBackendRow();
/// SIMD chosen at run time, a persistent pool of threads.
BackendRow cpuBackendRow();
/// In every build: without CUDA it says why it cannot run, see without_cuda.cpp.
BackendRow cudaBackendRow();

/// Rows of the reference backend, in ladder order.
std::span<const KernelRow> referenceKernelRows();
/// Rows of the CPU backend, in ladder order.
std::span<const KernelRow> cpuKernelRows();
/// Options of the machine that a row of the CPU backend uses.
struct CpuUse {
    bool threads = false;          ///< it divides its work among threads
    bool instructionSets = false;  ///< its loops are built for several instruction sets
};
CpuUse cpuUse(const KernelRow& row);
/// Why the CPU cannot compute this force with one of its own rows; empty when it can.
Reason whyNotOnCpu(const KernelRow& row, const ForceSettings& force);
/// Rows of the CUDA backend, in ladder order, in every build.
std::span<const KernelRow> cudaKernelRows();
/// Rows that are wrong on purpose.
std::span<const KernelRow> cudaTrapRows();

// Rows of terms beside the pair law, which are beside their code.

namespace cpu {
/// Each adds the rows of one term with their code.
bool addBondMethods();
bool addSecondPairMethods();
bool addOuterMethods();
}  // namespace cpu

namespace cuda {
/// Adds the rows of all terms with their code; in builds without CUDA only the rows of its record.
bool addTermMethods();
bool addBondMethods();
bool addSecondPairMethods();
bool addOuterMethods();
}  // namespace cuda

/// The launch with the values that the row uses. Numbers that the row does not tune get its usual values, because block and
/// unroll of another row mean nothing to it.
LaunchConfig tunable(const KernelRow& row, LaunchConfig launch);
/// The value nearest to `wanted`, in a list that is not empty.
int nearestOf(std::span<const int> values, int wanted);
/// Throws UsageError, naming the valid ones and the nearest, for a value that the row was not built with.
void requireListed(
    const KernelRow& row, const char* what, std::span<const int> values, int wanted,
    std::string (*shown)(int) = [](int value) { return std::to_string(value); });

}  // namespace gravlab
