// The kernel rows that each backend brings; kernel.cpp joins them. Pure data: rows exist also where they cannot run.
#pragma once
#include "sim/kernel.h"

#include <span>

namespace gravlab {

/// Rows of the reference backend, in ladder order.
std::span<const KernelRow> referenceKernelRows();
/// Rows of the CPU backend, in ladder order.
std::span<const KernelRow> cpuKernelRows();
/// Rows of the CUDA backend, in ladder order; the same in builds without CUDA.
std::span<const KernelRow> cudaKernelRows();

}  // namespace gravlab
