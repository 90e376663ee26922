// Scatters changed bodies, and closes the gaps that removed ones leave.
#include "sim/backends/cuda/kernels/body_changes.h"

#include "sim/backends/cuda/runtime/launch.h"

#include <algorithm>
#include <utility>

namespace gravlab::cuda {
namespace {

constexpr unsigned kChangeThreads = 256;

/// Writes changed bodies. One thread per body. Device memory.
template <class Real>
struct ScatterTask {
    const ChangedBody* changed;
    std::uint32_t count;
    Vec4<Real>*x, *v;  ///< null: not written
    double* radius;    ///< null: not written
};
/// Copies the values of the bodies that stay, in their order, and fills the rest with `pad`. One thread a value of `to`.
template <class T>
struct KeepTask {
    const T* from;
    T* to;
    std::uint32_t count, end;  ///< values that stay; end of `to`
    const std::uint32_t* removed;
    std::uint32_t removals;
    T pad;
};
/// Finds the first bad body. One thread per body. Device memory.
template <class Real>
struct BadTask {
    const Vec4<Real>*x, *v;
    std::uint32_t count;
    double farthest;
    std::uint32_t* first;
};
template <class Real>
__global__ void findBad(BadTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kChangeThreads + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<Real> x = task.x[i], v = task.v[i];
    const auto good = [&](Real coordinate, Real velocity) {
        return isfinite(coordinate) && isfinite(velocity) && fabs(coordinate) <= task.farthest;
    };
    if (!good(x.x, v.x) || !good(x.y, v.y) || !good(x.z, v.z)) atomicMin(task.first, i);
}

template <class Real>
__global__ void scatterChanged(ScatterTask<Real> task) {
    const std::uint32_t k = blockIdx.x * kChangeThreads + threadIdx.x;
    if (k >= task.count) return;
    const ChangedBody& body = task.changed[k];
    if (task.x) task.x[body.index] = packedIn<Real>(body.position);
    if (task.v) task.v[body.index] = packedIn<Real>(body.velocity);
    if (task.radius) task.radius[body.index] = body.radius;
}

template <class T>
__global__ void keepOthers(KeepTask<T> task) {
    const std::uint32_t place = blockIdx.x * kChangeThreads + threadIdx.x;
    if (place >= task.end) return;
    if (place >= task.count) {
        task.to[place] = task.pad;
        return;
    }
    // removed[r] - r bodies that stay are before the removed body r.
    std::uint32_t before = 0;
    for (std::uint32_t length = task.removals; length > 0;) {
        const std::uint32_t half = length / 2;
        const bool below = task.removed[before + half] - (before + half) <= place;
        before += below ? half + 1 : 0;
        length = below ? length - half - 1 : half;
    }
    task.to[place] = task.from[place + before];
}

/// Room for more than `count`, where there is less.
template <class T>
void reserveMore(Copied<T>& values, std::size_t count) {
    if (values.device.size() < count) values.reserve(std::max<std::size_t>(2 * count, 256));
}

}  // namespace

void DeviceChanges::take(const BodyChanges& changes) {
    CUDA_CHECK(waitForEvent(copied_));
    changed_ = static_cast<std::uint32_t>(changes.changed.size());
    removals_ = static_cast<std::uint32_t>(changes.removed.size());
    reserveMore(bodies_, changed_);
    reserveMore(removed_, removals_);
    std::ranges::transform(changes.changed, bodies_.host.data(), [](const BodyChanges::Body& body) {
        return ChangedBody{body.position, body.velocity, body.surface.radius, body.index};
    });
    std::ranges::copy(changes.removed, removed_.host.data());
    bodies_.toDevice(changed_, stream_);
    removed_.toDevice(removals_, stream_);
    CUDA_CHECK(recordEvent(copied_, stream_));
}

template <class Real>
void DeviceChanges::scatter(Vec4<Real>* x, Vec4<Real>* v, double* radius) const {
    if (changed_ == 0) return;
    launchEach(kernelOf(scatterChanged<Real>), changed_, kChangeThreads, {bodies_.device.data(), changed_, x, v, radius},
               stream_);
}

template <class T>
void DeviceChanges::keep(const T* from, T* to, std::uint32_t count, std::uint32_t end, const T& pad) const {
    if (end == 0) return;
    launchEach(kernelOf(keepOthers<T>), end, kChangeThreads, {from, to, count, end, removed_.device.data(), removals_, pad},
               stream_);
}
template <class Real>
std::uint32_t firstBad(const Vec4<Real>* x, const Vec4<Real>* v, std::uint32_t count, double farthest, Stream stream) {
    if (count == 0) return 0;
    const DeviceArray<std::uint32_t> first(1);
    std::uint32_t found = count;
    CUDA_CHECK(copyAsync(first.data(), &found, sizeof found, Copy::toDevice, stream));
    launchEach(kernelOf(findBad<Real>), count, kChangeThreads, {x, v, count, farthest, first.data()}, stream);
    copyNow(&found, first.data(), 1, Copy::toHost, stream);
    return found;
}

template std::uint32_t firstBad<float>(const Float4*, const Float4*, std::uint32_t, double, Stream);
template std::uint32_t firstBad<double>(const Double4*, const Double4*, std::uint32_t, double, Stream);
template void DeviceChanges::scatter<float>(Float4*, Float4*, double*) const;
template void DeviceChanges::scatter<double>(Double4*, Double4*, double*) const;
template void DeviceChanges::keep(const float*, float*, std::uint32_t, std::uint32_t, const float&) const;
template void DeviceChanges::keep(const double*, double*, std::uint32_t, std::uint32_t, const double&) const;
template void DeviceChanges::keep(const Float4*, Float4*, std::uint32_t, std::uint32_t, const Float4&) const;
template void DeviceChanges::keep(const Double4*, Double4*, std::uint32_t, std::uint32_t, const Double4&) const;

}  // namespace gravlab::cuda
