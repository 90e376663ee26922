// The copies and launches of changes to single bodies.
#include "sim/backends/cuda/kernels/body_changes.h"

#include <algorithm>

namespace gravlab::cuda {
namespace {

/// Grows both arrays to at least `count` values.
template <class T>
void reserveBoth(DeviceArray<T>& device, PinnedArray<T>& host, std::size_t count) {
    if (device.size() >= count) return;
    const std::size_t size = std::max<std::size_t>(2 * count, 256);
    host = PinnedArray<T>(size);
    device = DeviceArray<T>(size);
}

}  // namespace

void DeviceChanges::take(const BodyChanges& changes) {
    CUDA_CHECK(waitForEvent(copied_));
    changed_ = static_cast<std::uint32_t>(changes.changed.size());
    removals_ = static_cast<std::uint32_t>(changes.removed.size());
    reserveBoth(bodies_, bodiesHere_, changed_);
    reserveBoth(removed_, removedHere_, removals_);
    std::ranges::transform(changes.changed, bodiesHere_.data(), [](const BodyChanges::Body& body) {
        return ChangedBody{body.position, body.velocity, body.surface.radius, body.index};
    });
    std::ranges::copy(changes.removed, removedHere_.data());
    if (changed_ > 0)
        CUDA_CHECK(copyAsync(bodies_.data(), bodiesHere_.data(), changed_ * sizeof(ChangedBody), Copy::toDevice, stream_));
    if (removals_ > 0)
        CUDA_CHECK(
            copyAsync(removed_.data(), removedHere_.data(), removals_ * sizeof(std::uint32_t), Copy::toDevice, stream_));
    CUDA_CHECK(recordEvent(copied_, stream_));
}

template <class Real>
void DeviceChanges::scatter(Vec4<Real>* x, Vec4<Real>* v, double* radius) const {
    if (changed_ == 0) return;
    launchKernel(scatterKernel<Real>(), {(changed_ + kChangeThreads - 1) / kChangeThreads}, kChangeThreads,
                 {bodies_.data(), changed_, x, v, radius}, 0, stream_);
}

template <class T>
void DeviceChanges::keep(const T* from, T* to, std::uint32_t count, std::uint32_t end, const T& pad) const {
    if (end == 0) return;
    launchKernel(keepKernel<T>(), {(end + kChangeThreads - 1) / kChangeThreads}, kChangeThreads,
                 {from, to, count, end, removed_.data(), removals_, pad}, 0, stream_);
}

template void DeviceChanges::scatter<float>(Float4*, Float4*, double*) const;
template void DeviceChanges::scatter<double>(Double4*, Double4*, double*) const;
template void DeviceChanges::keep(const float*, float*, std::uint32_t, std::uint32_t, const float&) const;
template void DeviceChanges::keep(const double*, double*, std::uint32_t, std::uint32_t, const double&) const;
template void DeviceChanges::keep(const Float4*, Float4*, std::uint32_t, std::uint32_t, const Float4&) const;
template void DeviceChanges::keep(const Double4*, Double4*, std::uint32_t, std::uint32_t, const Double4&) const;

}  // namespace gravlab::cuda
