// Finds CUDA devices and whether this build can use one. Rule: detection never throws and never gives a wrong answer.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/runtime/api.h"

#include <string>

namespace gravlab::cuda {

/// Empty when the backend can run on device `index`; else cause and fix in one sentence.
Reason whyNotDevice(int index);

/// One line per device, or the reason why there is none.
std::string deviceList();

/// "NVIDIA H200, 132 multiprocessors, sm_90, 139.8 GiB".
std::string deviceText(const DeviceFacts& facts);

/// fp32 instructions that a multiprocessor issues a clock, all lanes counted.
int lanesPerMultiprocessor(const DeviceFacts& facts);

/// Peaks as units times clock: multiply-adds of all lanes, special functions, and two transfers a clock over the whole
/// memory bus.
DevicePeaks peaksOf(const DeviceFacts& facts);

/// Directed pairs per second until a rate is measured: the rate of a well-filled device, or less where `threads` do not fill
/// it.
double expectedPairRate(const DeviceFacts& facts, double threads);

}  // namespace gravlab::cuda
