// The kernel rows of each backend; kernel.cpp joins them. They are pure data: a row exists even where it cannot run.
#pragma once
#include "sim/backends/kernel.h"

#include <span>

namespace gravlab {

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
/// Rows of the CUDA backend, in ladder order; the same in builds without CUDA.
std::span<const KernelRow> cudaKernelRows();
/// Rows that are wrong on purpose.
std::span<const KernelRow> cudaTrapRows();

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
