// Plans of the rows whose threads own targets: the sources are cut into ranges and slices.
#pragma once
#include "sim/backends/cuda/methods/force_plan.h"

namespace gravlab::cuda {

template <class Real>
std::unique_ptr<ForcePlan<Real>> makeOneSidedPlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                                  Stream stream);

}  // namespace gravlab::cuda
