// Between the host's doubles and the device's arrays.
#include "sim/backends/cuda/device_state.h"

#include "sim/forces/force_settings.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace gravlab::cuda {
namespace {

template <class Real>
Vec4<Real> converted(const Double4& value) {
    return {static_cast<Real>(value.x), static_cast<Real>(value.y), static_cast<Real>(value.z), static_cast<Real>(value.w)};
}

template <class Real>
void upload(const DeviceArray<Vec4<Real>>& to, const std::vector<Double4>& from, Stream stream) {
    std::vector<Vec4<Real>> host(from.size());
    std::transform(from.begin(), from.end(), host.begin(), converted<Real>);
    // Arrays with pads are longer than there are bodies.
    constexpr Real far = kPadDistance<Real>;
    host.resize(to.size(), {far, far, far, 0});
    CUDA_CHECK(copyAsync(to.data(), host.data(), to.bytes(), Copy::toDevice, stream));
    CUDA_CHECK(waitForStream(stream));
}

}  // namespace

template <class Real>
DeviceState<Real>::DeviceState(std::uint32_t count, Stream stream) : count_(count), stream_(stream) {
    for (Arrays& state : states_) {
        state.x = DeviceArray<V>(padded(count_));
        state.v = DeviceArray<V>(count_);
        state.a = DeviceArray<V>(count_);
        if (count_ > 0) CUDA_CHECK(fillAsync(state.a.data(), 0, state.a.bytes(), stream_));
    }
}

template <class Real>
void DeviceState<Real>::upload(const ParticleSet& bodies) {
    hasResponses_ = std::ranges::any_of(bodies.velocity, [](const Double4& v) { return v.w != 1; });
    if (count_ == 0) return;
    cuda::upload<Real>(work().x, {}, stream_);  // its pads
    cuda::upload<Real>(complete().x, bodies.position, stream_);
    cuda::upload<Real>(complete().v, bodies.velocity, stream_);
    double heaviest = 0;
    for (const Double4& body : bodies.position) heaviest = std::max(heaviest, std::abs(body.w));
    constexpr bool kSingle = std::is_same_v<Real, float>;
    smallestR2_ = std::max<double>(kSingle ? kSofteningSquaredFloor32 : kSofteningSquaredFloor64,
                                   std::pow(heaviest / (kSingle ? 1e37 : 1e307), 2.0 / 3));
}

template <class Real>
void DeviceState<Real>::uploadAccelerations(const std::vector<Double4>& accelerations) {
    cuda::upload<Real>(complete().a, accelerations, stream_);
    complete().forceKnown = true;
}

template <class Real>
std::vector<Double4> DeviceState<Real>::download(const DeviceArray<V>& from) const {
    std::vector<V> host(count_);
    CUDA_CHECK(copyAsync(host.data(), from.data(), count_ * sizeof(V), Copy::toHost, stream_));
    CUDA_CHECK(waitForStream(stream_));
    std::vector<Double4> result(count_);
    std::transform(host.begin(), host.end(), result.begin(), [](const V& a) { return Double4{a.x, a.y, a.z, a.w}; });
    return result;
}

template <class Real>
void DeviceState<Real>::download(std::vector<Double4>& positions, std::vector<Double4>& velocities) const {
    positions = download(complete().x);
    velocities = download(complete().v);
}

template <class Real>
void DeviceState<Real>::requireScratch() {
    if (x0.size() == count_) return;
    for (DeviceArray<V>* scratch : {&x0, &v0, &dx, &dv}) {
        *scratch = DeviceArray<V>(count_);
        CUDA_CHECK(fillAsync(scratch->data(), 0, scratch->bytes(), stream_));
    }
}

template class DeviceState<float>;
template class DeviceState<double>;

}  // namespace gravlab::cuda
