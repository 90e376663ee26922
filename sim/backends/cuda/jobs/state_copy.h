// A copy of the bodies beside the run: made on the device between two launches, fetched on whatever thread wants it.
// Rule: the thread that steps never waits for it.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/core/particles.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gravlab::cuda {

/// Positions and velocities that are still to be fetched, once; waits and throws where it is called.
using VectorsFuture = std::function<void(std::vector<Double4>&, std::vector<Double4>&)>;

template <class Real>
class StateCopy : public std::enable_shared_from_this<StateCopy<Real>> {
public:
    /// Throws DeviceError when the device has not the memory.
    StateCopy(int device, std::uint32_t count);
    ~StateCopy();

    /// True until what take() gave is dropped.
    bool held() const { return held_.load(std::memory_order_acquire); }
    /// Enqueues the copy on `stream`. Not while held().
    VectorsFuture take(const Vec4<Real>* x, const Vec4<Real>* v, Stream stream);

private:
    struct Hold;
    void fetch(std::vector<Double4>& positions, std::vector<Double4>& velocities);
    void fetch(const DeviceArray<Vec4<Real>>& from, std::vector<Double4>& to);

    // Host memory that the device reaches takes long to get, so there is little of it and the copy comes in parts.
    static constexpr std::uint32_t kPart = 65536;

    int device_;
    std::uint32_t count_;
    DeviceArray<Vec4<Real>> x_, v_;
    OwnedStream stream_;
    OwnedEvent made_;
    PinnedArray<Vec4<Real>> part_;
    std::atomic<bool> held_{false};
};

}  // namespace gravlab::cuda
