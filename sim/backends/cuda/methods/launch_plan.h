// Makes the launch from the user's request: it is checked against row and device, or chosen by N for `auto`.
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
    Law loop = Law::gravity;            ///< law of the loops that run, see loopLaw()
    const void* machineCode = nullptr;  ///< for queries, not for launches
    int residentBlocks = 1;             ///< on one multiprocessor
    double equalMass = 1;               ///< factor of the sums: the mass, for a row that needs equal masses
    PairUnits units;                    ///< units of the pairs in mixed precision
    double heaviest = 0;                ///< largest |source| [M]
    std::uint32_t listWidth = 0;        ///< entries that a list of neighbours has room for
    MassiveBodies sources{};            ///< their number; the list comes with each request
    TreeLimits trees;                   ///< used by tree rows
    bool operator==(const LaunchPlan&) const = default;
};

/// Facts of the bodies that the plan depends on.
struct BodyFacts {
    std::size_t count = 0;
    double equalMass = 0;     ///< the mass of every body; 0 when they differ
    bool massRuns = false;    ///< enough tiles of 256 bodies have one mass for `symmetric-runs` to be faster
    double largest = 0;       ///< |coordinate| [L]
    double heaviest = 0;      ///< |source| [M]
    MassiveBodies sources{};  ///< without a list
    std::size_t acting() const { return sources.among(count); }
};
BodyFacts factsOf(const ParticleSet& bodies);
BodyFacts factsOf(const MadeBodies& bodies);
/// The same, except `largest`, of the bodies' masses.
BodyFacts factsOf(std::span<const double> masses);

/// Most bodies of the symmetric rows: an int counts the places of partners, which reach N / 2 beyond the last body.
constexpr std::size_t kMostSymmetricBodies = 1'400'000'000;

/// The fastest row for this number of bodies by measurement; see docs/benchmarks. Empty: a tiled row with a launch that
/// fills the device.
std::string_view measuredBest(const BodyFacts& bodies, const ForceSettings& force, const DeviceFacts& device);

/// Whether that row adds the forces of pairs in slots, and the bytes of the slots; without a number of bodies per lane in
/// the launch, those of the usual one.
bool usesSlots(const KernelEntry& entry);
double slotBytes(std::size_t bodies, const LaunchConfig& launch, Precision precision);
/// Memory of the first device for what arrives of the sums of helpers.
double landedBytes(std::size_t bodies, const LaunchConfig& launch, Precision precision, std::size_t helpers);

/// Whether the choice is the lists of neighbours: by name, or for its number of atoms.
bool takesLists(const KernelChoice& wanted, std::size_t bodies, const ForceSettings& force);

/// The plan for a choice. A choice without a kernel gives the launch measured best for N, or the plainest row that covers
/// the user's own launch. Throws UsageError with the limit and the nearest valid plan when row or device cannot run it.
LaunchPlan choose(const KernelChoice& wanted, const BodyFacts& bodies, const ForceSettings& force,
                  const DeviceFacts& device);

/// Facts of a launch on the device and of its driver, for a force on `bodies` bodies; unavailable facts are left out. It
/// queries driver and device, and waits for nothing that was enqueued.
LaunchFacts launchFacts(const LaunchPlan& plan, std::size_t bodies, const DeviceFacts& device);

}  // namespace gravlab::cuda
