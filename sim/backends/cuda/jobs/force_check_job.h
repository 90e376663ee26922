// Compares a force with fp64 on the device while steps run. Rule: no call waits.
#pragma once
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/force_method.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gravlab::cuda {

/// Compares a kernel's accelerations of sampled bodies with a plain fp64 loop on the device. One block per target.
template <class Real>
struct CheckTask {
    const Vec4<Real>* bodies;
    const Vec4<Real>* accelerations;  ///< of the kernel under test
    const Vec4<Real>* velocities;     ///< w = response
    const std::uint32_t* targets;     ///< body indices, one a block
    Double4* result;                  ///< x, y, z = difference to fp64; w = scale of the difference
    std::uint32_t count;
    double softeningSquared;
    double sign;        ///< sign of the law
    double floorShare;  ///< see gravlab::floorShare()
};
template <class Real, class Law>
struct LawCheckTask {
    CheckTask<Real> check;
    Law law;  ///< in double
};
/// Code of the check for gravity and charges, so that it can be loaded early.
template <class Real>
const void* checkCode();

template <class Real>
class ForceCheckJob {
public:
    explicit ForceCheckJob(Stream stream) : stream_(stream) {}

    /// Requests a check of the next force on `targets`. Drops an earlier request, and a result that take() has not returned.
    void request(std::vector<std::uint32_t> targets) {
        wanted_ = std::move(targets);
        running_ = false;
    }
    /// Adds targets to the request.
    void add(const std::vector<std::uint32_t>& targets) {
        for (const std::uint32_t target : targets)
            if (std::find(wanted_.begin(), wanted_.end(), target) == wanted_.end()) wanted_.push_back(target);
    }
    /// Leaves as many targets as a frame can compare with all of `count` bodies.
    void fitFrame(std::uint32_t count);
    bool wanted() const { return !wanted_.empty(); }
    /// Targets of the request.
    const std::vector<std::uint32_t>& targets() const { return wanted_; }
    /// Enqueues the check of accelerations `a` at `x` and ends the request. `v`: w = response. The arrays are device memory
    /// and are read in stream order. Throws DeviceError.
    void enqueue(const Vec4<Real>* x, const Vec4<Real>* v, const Vec4<Real>* a, std::uint32_t count,
                 const ForceRequest& request, const Accuracy& accuracy);
    /// The result, once the device has finished it.
    std::optional<ForceCheck> take();

private:
    Stream stream_;
    std::vector<std::uint32_t> wanted_, targets_;
    ForceGate gate_{};
    bool running_ = false;
    DeviceArray<std::uint32_t> indices_;
    Copied<Double4> result_;
    // Sum of the forces on all bodies, for methods with an allowed error.
    Copied<double> parts_;
    OwnedEvent done_;
};

}  // namespace gravlab::cuda
