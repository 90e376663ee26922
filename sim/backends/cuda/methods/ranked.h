// Devices of other ranks of a job: each computes parts of the forces of rank 0's device. Rule: data between processes goes
// through pinned memory, and no bit depends on their number.
#pragma once
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/exchange.h"

#include <memory>
#include <string>

namespace gravlab::cuda {

/// A method that divides the evaluations of `first` among its device and those of the ranks.
template <class Real>
MadeMethod<Real> makeRanked(MadeMethod<Real> first, const MethodParts& parts, Exchange& ranks);

/// The helper of a rank, part `part`, on that device. Throws NoDeviceError, also where the device is no `like`.
std::unique_ptr<Helper> deviceHelper(std::size_t part, int device, const std::string& like);

}  // namespace gravlab::cuda
