// From what the user asks for to what is launched: checked against row and device, or chosen by N for `auto`.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/cuda/kernel_table.h"
#include "sim/backends/cuda/methods/tree_limits.h"
#include "sim/backends/cuda/runtime/api.h"
#include "sim/forces/law.h"
#include "sim/forces/single_precision.h"

namespace gravlab::cuda {

/// A row with a launch that the device can do.
struct LaunchPlan {
    const KernelEntry* entry = nullptr;
    LaunchConfig launch;
    Precision precision = Precision::fp32;
    Law loop = Law::gravity;            ///< whose loops run, see loopLaw()
    const void* machineCode = nullptr;  ///< to be asked about, not to be launched
    int residentBlocks = 1;             ///< on one multiprocessor
    double equalMass = 1;               ///< what sums are multiplied by: the mass, for a row that needs all masses equal
    PairUnits units;                    ///< of mixed precision: what its pairs are computed in
    double heaviest = 0;                ///< largest |source| [M]
    TreeLimits trees;                   ///< of a row that is one
};

/// What the plan depends on beside the device.
struct BodyFacts {
    std::size_t count = 0;
    double equalMass = 0;   ///< the mass of every body; 0 when they differ
    bool massRuns = false;  ///< so many bodies weigh what the 255 others of their tile do that `symmetric-runs` pays
    double largest = 0;     ///< |coordinate| [L]
    double heaviest = 0;    ///< |source| [M]
};
BodyFacts factsOf(const ParticleSet& bodies);

/// Of the symmetric rows: places of partners, which go half of all bodies beyond the last one, are counted in an int.
constexpr std::size_t kMostSymmetricBodies = 1'400'000'000;

/// The row that measures best for so many bodies; see docs/benchmarks. Empty: a tiled row with a launch that fills the
/// device.
std::string_view measuredBest(const BodyFacts& bodies, const ForceSettings& force, const DeviceFacts& device);

/// Throws UsageError with the limit and the nearest valid plan when row or device cannot do it. No kernel takes the launch
/// measured best for so many bodies; with a launch of the user's own, the plainest row that takes it.
LaunchPlan choose(const KernelChoice& wanted, const BodyFacts& bodies, const ForceSettings& force,
                  const DeviceFacts& device);

/// What the device makes of a launch, and what its driver tells of itself, for a force on so many bodies; a fact that cannot
/// be had is left out. Asks driver and device; waits for nothing that was enqueued.
LaunchFacts launchFacts(const LaunchPlan& plan, std::size_t bodies, const DeviceFacts& device);

}  // namespace gravlab::cuda
