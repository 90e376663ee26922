// Compares a force with fp64 on the device, beside the steps. Rule: no call waits.
#pragma once
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/force_method.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gravlab::cuda {

template <class Real>
class ForceCheckJob {
public:
    explicit ForceCheckJob(Stream stream) : stream_(stream) {}

    /// Wants the next force of some of `count` bodies compared. Drops an earlier wish, and a result that was not taken.
    void request(std::vector<std::uint32_t> targets, std::uint32_t count);
    bool wanted() const { return !wanted_.empty(); }
    /// Of the wish.
    const std::vector<std::uint32_t>& targets() const { return wanted_; }
    /// Enqueues the check of accelerations `a` at `x`; the wish is fulfilled then. `v`: w = response. Device memory, as it
    /// is when the stream gets there. Throws DeviceError.
    void enqueue(const Vec4<Real>* x, const Vec4<Real>* v, const Vec4<Real>* a, std::uint32_t count,
                 const ForceRequest& request, const Accuracy& accuracy);
    /// The result, when it is there.
    std::optional<ForceCheck> take();

private:
    Stream stream_;
    std::vector<std::uint32_t> wanted_, targets_;
    ForceGate gate_{};
    bool running_ = false;
    DeviceArray<std::uint32_t> indices_;
    DeviceArray<Double4> result_;
    PinnedArray<Double4> host_;
    // What all forces sum up to, of methods that are allowed an error.
    DeviceArray<double> parts_;
    PinnedArray<double> hostParts_;
    OwnedEvent done_;
};

}  // namespace gravlab::cuda
