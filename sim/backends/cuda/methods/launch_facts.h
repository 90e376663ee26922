// What the device makes of a launch, and what its driver tells of itself. Rule: a fact that cannot be had is left out.
#pragma once
#include "sim/backends/cuda/methods/launch_plan.h"
#include "sim/backends/launch_facts.h"

namespace gravlab::cuda {

/// Facts of a force on so many bodies. Asks driver and device; waits for nothing that was enqueued.
LaunchFacts launchFacts(const LaunchPlan& plan, std::size_t bodies, const DeviceFacts& device);

}  // namespace gravlab::cuda
