// Devices of other ranks of a job: each computes parts of the forces of rank 0's device. Rule: data goes by CUDA IPC, or
// through pinned memory and messages where a rank cannot map the memory of rank 0, and no bit depends on that.
#pragma once
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/exchange.h"

#include <memory>
#include <string>

namespace gravlab::cuda {

/// A method that divides the evaluations of `first` among its device and those of the ranks.
template <class Real>
MadeMethod<Real> makeRanked(MadeMethod<Real> first, const MethodParts& parts, Exchange& ranks);

/// Sends known data to all ranks and back. Returns how it went, to follow their number: " by CUDA IPC". Throws DeviceError.
std::string linkRanks(Exchange& ranks, Stream stream);

/// The helper of a rank, part `part`, on that device. Throws NoDeviceError, also where the device is no `like`.
std::unique_ptr<Helper> deviceHelper(std::size_t part, int device, const std::string& like);

}  // namespace gravlab::cuda
