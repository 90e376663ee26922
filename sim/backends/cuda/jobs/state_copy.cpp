// The copy is made on the run's stream; after an event, a separate stream transfers it to the host.
#include "sim/backends/cuda/jobs/state_copy.h"

#include <algorithm>
#include <iterator>

namespace gravlab::cuda {

template <class Real>
StateCopy<Real>::StateCopy(int device, std::uint32_t count) : device_(device), count_(count), x_(count), v_(count) {}

template <class Real>
StateCopy<Real>::~StateCopy() {
    // The last owner may be a thread without a current device.
    setDevice(device_);
}

template <class Real>
VectorsFuture StateCopy<Real>::take(const Vec4<Real>* x, const Vec4<Real>* v, Stream stream) {
    CUDA_CHECK(copyAsync(x_.data(), x, x_.bytes(), Copy::onDevice, stream));
    CUDA_CHECK(copyAsync(v_.data(), v, v_.bytes(), Copy::onDevice, stream));
    CUDA_CHECK(recordEvent(made_, stream));
    return [copy = this->shared_from_this()](std::vector<Double4>& positions, std::vector<Double4>& velocities) {
        copy->fetch(positions, velocities);
    };
}

template <class Real>
void StateCopy<Real>::fetch(std::vector<Double4>& positions, std::vector<Double4>& velocities) {
    CUDA_CHECK(setDevice(device_));
    if (part_.size() == 0) part_ = PinnedArray<Vec4<Real>>(std::min(count_, kPart));
    CUDA_CHECK(waitInStream(stream_, made_));
    fetch(x_, positions);
    fetch(v_, velocities);
}

template <class Real>
void StateCopy<Real>::fetch(const DeviceArray<Vec4<Real>>& from, std::vector<Double4>& to) {
    to.clear();
    to.reserve(count_);
    for (std::uint32_t first = 0; first < count_; first += kPart) {
        const std::uint32_t part = std::min(kPart, count_ - first);
        copyNow(part_.data(), from.data() + first, part, Copy::toHost, stream_);
        std::transform(part_.data(), part_.data() + part, std::back_inserter(to), [](const Vec4<Real>& a) {
            return Double4{a.x, a.y, a.z, a.w};
        });
    }
}

template class StateCopy<float>;
template class StateCopy<double>;

}  // namespace gravlab::cuda
