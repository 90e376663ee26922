// From what the user asks for to what is launched: checked against row and device, or chosen by N for `auto`.
#pragma once
#include "sim/backend.h"
#include "sim/cuda/api.h"

namespace gravlab::cuda {

/// A row with a launch that the device can do.
struct Choice {
    const KernelRow* row = nullptr;
    LaunchConfig launch;
    const void* kernel = nullptr;
    int residentBlocks = 1;  ///< on one multiprocessor
};

/// Throws UsageError with the limit and the nearest valid choice when row or device cannot do it. "auto" takes the launch
/// measured best for so many bodies; with a launch of the user's own, the plainest row that takes it.
Choice choose(const KernelChoice& wanted, std::size_t bodies, const DeviceFacts& device);

/// Bytes of dynamic shared memory that a launch needs.
std::size_t sharedBytes(const LaunchConfig& launch);

}  // namespace gravlab::cuda
