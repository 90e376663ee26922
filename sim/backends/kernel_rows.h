// The kernel rows that each backend brings; kernel.cpp joins them. Pure data: rows exist also where they cannot run.
#pragma once
#include "sim/backends/kernel.h"

#include <span>

namespace gravlab {

/// Rows of the reference backend, in ladder order.
std::span<const KernelRow> referenceKernelRows();
/// Rows of the CPU backend, in ladder order.
std::span<const KernelRow> cpuKernelRows();
/// Why the CPU cannot compute this force with that row of its own; empty when it can.
Reason whyNotOnCpu(const KernelRow& row, const ForceSettings& force);
/// Rows of the CUDA backend, in ladder order; the same in builds without CUDA.
std::span<const KernelRow> cudaKernelRows();
/// Those that are wrong on purpose.
std::span<const KernelRow> cudaTrapRows();

}  // namespace gravlab
