// The kernel rows that each backend brings; kernel.cpp joins them. Pure data: rows exist also where they cannot run.
#pragma once
#include "sim/backends/kernel.h"

#include <span>

namespace gravlab {

/// Rows of the reference backend, in ladder order.
std::span<const KernelRow> referenceKernelRows();
/// Rows of the CPU backend, in ladder order.
std::span<const KernelRow> cpuKernelRows();
/// What a row of the CPU backend heeds of its machine.
struct CpuUse {
    bool threads = false;          ///< it shares its work among threads
    bool instructionSets = false;  ///< its loops are built for several of them
};
CpuUse cpuUse(const KernelRow& row);
/// Why the CPU cannot compute this force with that row of its own; empty when it can.
Reason whyNotOnCpu(const KernelRow& row, const ForceSettings& force);
/// Rows of the CUDA backend, in ladder order; the same in builds without CUDA.
std::span<const KernelRow> cudaKernelRows();
/// Those that are wrong on purpose.
std::span<const KernelRow> cudaTrapRows();

/// That launch as the row takes it: what it does not tune keeps its usual value, for block and unroll of another row mean
/// nothing to it.
LaunchConfig tunable(const KernelRow& row, LaunchConfig launch);
/// Of a list that is not empty.
int nearestOf(std::span<const int> values, int wanted);
/// Throws UsageError, naming the valid ones and the nearest, for a value that the row was not built with.
void requireListed(
    const KernelRow& row, const char* what, std::span<const int> values, int wanted,
    std::string (*shown)(int) = [](int value) { return std::to_string(value); });

}  // namespace gravlab
