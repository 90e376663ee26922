// A copy of the bodies of a run: the device makes it between two launches, and any thread may fetch it.
// Rule: the thread that steps never waits for it.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gravlab::cuda {

/// Fetches positions and velocities, once; it waits and throws in the thread that calls it.
using VectorsFuture = std::function<void(std::vector<Double4>&, std::vector<Double4>&)>;

template <class Real>
class StateCopy : public std::enable_shared_from_this<StateCopy<Real>> {
public:
    /// Allocates. Throws DeviceError when the device has too little memory.
    StateCopy(int device, std::uint32_t count);
    ~StateCopy();

    /// Enqueues the copy on `stream`. The result owns it too, and the caller must not call this before that is destroyed.
    VectorsFuture take(const Vec4<Real>* x, const Vec4<Real>* v, Stream stream);

private:
    void fetch(std::vector<Double4>& positions, std::vector<Double4>& velocities);
    void fetch(const DeviceArray<Vec4<Real>>& from, std::vector<Double4>& to);

    // Bodies in one piece of the copy: pinned host memory is slow to allocate, so there is little of it.
    static constexpr std::uint32_t kPart = 65536;

    int device_;
    std::uint32_t count_;
    DeviceArray<Vec4<Real>> x_, v_;
    OwnedStream stream_;
    OwnedEvent made_;
    PinnedArray<Vec4<Real>> part_;
};

}  // namespace gravlab::cuda
