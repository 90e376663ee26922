// The potential of each body by a tree, for sums of the energy where all pairs are too many. All work is enqueued on one
// stream.
#pragma once
#include "sim/api/law.h"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/methods/launch_plan.h"
#include "sim/backends/memory_need.h"

#include <cstdint>
#include <memory>

namespace gravlab::cuda {

class TreeEnergy {
public:
    virtual ~TreeEnergy() = default;
    /// Error allowed for the forces of such a tree.
    virtual double accuracy() const = 0;
    /// Begins anew. `bodies` and the arrays of `fields` must stay valid until the device has finished.
    virtual void begin(const Float4* bodies, const ForceSettings& settings, const TreeFields& fields) = 0;
    /// Enqueues the next slice, of about `seconds`; true when it was the last. Throws DeviceError.
    virtual bool enqueue(double seconds) = 0;
};

/// Arrays of a tree: 102 bytes per body, or 180 below a million bodies; charges need 11 to 28 more.
MemoryRows treeRows(std::size_t bodies, std::size_t sources, const ForceSettings& force, bool oneState);

/// Makes a tree for energies, which needs as much memory as one for forces. Throws DeviceError when there is not enough.
std::unique_ptr<TreeEnergy> makeTreeEnergy(const LaunchPlan& plan, std::uint32_t count, const DeviceFacts& device,
                                           Stream stream, double accuracy);

}  // namespace gravlab::cuda
