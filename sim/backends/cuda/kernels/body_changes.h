// Changes some bodies of a run where they are, on the device, and finds bad ones. Rule: the order of the others stays.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <cstdint>

namespace gravlab::cuda {

/// A changed body on its way to the device.
struct ChangedBody {
    Double4 position, velocity;
    double radius;
    std::uint32_t index;
};

/// Changes on the device, as the last call of take() copied them. Calls enqueue work on the stream.
class DeviceChanges {
public:
    explicit DeviceChanges(Stream stream) : stream_(stream) {}

    /// Copies the changes to the device. Waits only where the copy before is still under way. Throws DeviceError.
    void take(const BodyChanges& changes);
    bool removes() const { return removals_ > 0; }
    /// Writes the changed bodies into arrays of positions, velocities and radii, or only those that are not null.
    template <class Real>
    void scatter(Vec4<Real>* x, Vec4<Real>* v, double* radius) const;
    /// Copies the `count` values that stay from one array to another one, and fills that up to `end` with `pad`.
    template <class T>
    void keep(const T* from, T* to, std::uint32_t count, std::uint32_t end, const T& pad) const;

private:
    Stream stream_;
    std::uint32_t changed_ = 0, removals_ = 0;
    Copied<ChangedBody> bodies_;
    Copied<std::uint32_t> removed_;
    OwnedEvent copied_;
};

/// Index of the first body with a number that is not finite, or with a coordinate beyond `farthest`; `count`: there is none.
/// Device memory. Waits.
template <class Real>
std::uint32_t firstBad(const Vec4<Real>* x, const Vec4<Real>* v, std::uint32_t count, double farthest, Stream stream);

}  // namespace gravlab::cuda
