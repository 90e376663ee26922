// How the forces of so many bodies are computed by one row of the kernel table: in slices, enqueued one after another.
// Rule: how a force is cut changes no bit of it.
#pragma once
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/methods/launch_choice.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace gravlab::cuda {

struct ManyStepsTask;

/// One force evaluation. Device memory.
template <class Real>
struct ForceJob {
    Vec4<Real>* bodies;       ///< padded, with pads that pull nobody; only `many-steps` writes them, with what is there
    Vec4<Real>* out;          ///< where the force goes, unless it comes in ranges
    double softeningSquared;  ///< [L^2], raised to the floor
    ForceSettings force;      ///< of this evaluation
};

/// What was enqueued of a force.
struct ForceSlice {
    double pairs = 0;  ///< directed
    bool last = false;
};

/// A finished force: the sum over `ranges` of sums[range * count + i].
template <class Real>
struct ForceSums {
    const Vec4<Real>* sums = nullptr;
    std::uint32_t ranges = 1;
};

template <class Real>
class ForcePlan {
public:
    explicit ForcePlan(const Choice& choice) : choice_(choice) {}
    virtual ~ForcePlan() = default;
    const Choice& choice() const { return choice_; }

    /// Enqueues the next slice, of about `pairs` if the row can be cut that finely. Throws DeviceError; nothing of this
    /// slice counts as enqueued then.
    virtual ForceSlice enqueue(const ForceJob<Real>& job, double pairs) = 0;
    /// Directed pairs that the next slice will hold if `pairs` are asked for.
    virtual double nextPairs(double pairs) const = 0;
    /// Share of the force under way that has been enqueued; 0 when none is under way.
    virtual double progress() const = 0;
    /// Forgets the force under way.
    virtual void restart() = 0;
    virtual ForceSums<Real> sums(const ForceJob<Real>& job) const { return {job.out, 1}; }
    /// The whole force as part of a fused launch; nothing when the row does not fuse or the force is worth more than
    /// `pairs`.
    virtual std::optional<ForceTask<Real>> fusable(const ForceJob<Real>&, double /*pairs*/) { return std::nullopt; }
    /// True for the row that can run batches of leapfrog steps by itself.
    virtual bool runsSteps() const { return false; }
    /// Enqueues a batch; the task lacks what the plan knows. Only where runsSteps().
    virtual void enqueueSteps(const ManyStepsTask&) {}

private:
    Choice choice_;
};

/// Throws DeviceError when there is not enough memory.
template <class Real>
std::unique_ptr<ForcePlan<Real>> makeForcePlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                               Stream stream);

}  // namespace gravlab::cuda
