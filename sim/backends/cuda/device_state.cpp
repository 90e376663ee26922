// Conversion between the host's doubles and the device's arrays.
#include "sim/backends/cuda/device_state.h"

#include "sim/api/law.h"
#include "sim/core/pages.h"
#include "sim/core/thread_pool.h"
#include "sim/forces/law.h"
#include "sim/forces/sources.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace gravlab::cuda {
namespace {

// Bodies in one transfer between host and device: hundreds of millions of bodies have no second array on the host.
constexpr std::size_t kPart = std::size_t{1} << 20;
// Fewest bodies that a thread converts at a time.
constexpr std::size_t kGrain = 65536;

/// Fills `size` places by way of `part`; those after the bodies are pads.
template <class Real>
void upload(Vec4<Real>* to, std::size_t size, std::span<const Double4> from, std::vector<Vec4<Real>>& part, Stream stream) {
    for (std::size_t done = 0; done < size; done += part.size()) {
        const std::size_t count = std::min(part.size(), size - done);
        parallelFor(count, 0, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k)
                part[k] = done + k < from.size() ? packedIn<Real>(from[done + k]) : kPad<Real>;
        });
        copyNow(to + done, part.data(), count, Copy::toDevice, stream);
    }
}

template <class Real>
void upload(const DeviceArray<Vec4<Real>>& to, std::span<const Double4> from, Stream stream) {
    std::vector<Vec4<Real>> part(std::min(kPart, to.size()));
    upload<Real>(to.data(), to.size(), from, part, stream);
}

}  // namespace

template <class Real>
DeviceState<Real>::DeviceState(std::uint32_t count, Stream stream, bool one) : count_(count), stream_(stream), one_(one) {
    for (Arrays& state : std::span(states_).first(one ? 1 : 2)) {
        state.x = DeviceArray<V>(padded(count_));
        state.v = DeviceArray<V>(count_);
        state.a = DeviceArray<V>(count_);
        if (count_ > 0) CUDA_CHECK(fillAsync(state.a.data(), 0, state.a.bytes(), stream_));
    }
}

template <class Real>
void DeviceState<Real>::upload(const BodiesToRead& bodies, double heaviest) {
    std::atomic<bool> responses{false};
    if (bodies.set)
        parallelFor(bodies.size(), 0, kGrain, [&](std::size_t first, std::size_t last) {
            const std::span<const Double4> some = std::span(bodies.set->velocity).subspan(first, last - first);
            if (std::ranges::any_of(some, [](const Double4& v) { return v.w != 1; })) responses = true;
        });
    hasResponses_ = responses;
    if (count_ == 0) return;
    const SourceList sources = bodies.set ? sourcesOf(bodies.set->position)
                                          : sourcesOf(bodies.size(), [&](std::size_t i) { return bodies.made->mass(i); });
    // The one allocation comes first, so that a lack of memory changes nothing.
    if (sources.places.size() > sourceList_.size()) sourceList_ = DeviceArray<std::uint32_t>(sources.places.size());
    CUDA_CHECK(fillAsync(complete().a.data(), 0, complete().a.bytes(), stream_));
    complete().forceKnown = false;
    const std::vector<V> pads(work().x.size() - count_, kPad<Real>);  // of the other state
    if (!pads.empty())
        CUDA_CHECK(copyAsync(work().x.data() + count_, pads.data(), pads.size() * sizeof(V), Copy::toDevice, stream_));
    if (bodies.set) {
        cuda::upload<Real>(complete().x, bodies.set->position, stream_);
        cuda::upload<Real>(complete().v, bodies.set->velocity, stream_);
    } else {
        ParticleSet part;
        std::vector<V> staged(std::min<std::size_t>(kPart, count_));
        for (std::size_t done = 0; done < count_; done += part.size()) {
            part.resize(std::min<std::size_t>(kPart, count_ - done));
            bodies.made->read(done, 1, part);
            const std::size_t places = done + part.size() == count_ ? complete().x.size() - done : part.size();
            cuda::upload<Real>(complete().x.data() + done, places, part.position, staged, stream_);
            cuda::upload<Real>(complete().v.data() + done, part.size(), part.velocity, staged, stream_);
        }
    }
    heaviest_ = heaviest;
    sources_ = {nullptr, sources.count};
    if (sources.places.empty()) return;
    copyNow(sourceList_.data(), sources.places.data(), sources.places.size(), Copy::toDevice, stream_);
    sources_.list = sourceList_.data();
}

template <class Real>
void DeviceState<Real>::change(const DeviceChanges& changes, std::uint32_t count, double heaviest) {
    changes.scatter<Real>(complete().x.data(), complete().v.data(), nullptr);
    heaviest_ = heaviest;
    if (!changes.removes()) return;
    const auto size = static_cast<std::uint32_t>(complete().x.size());
    changes.keep(complete().x.data(), work().x.data(), count, size, kPad<Real>);
    changes.keep(complete().v.data(), work().v.data(), count, count, V{});
    completeIndex_ = 1 - completeIndex_;
    changes.keep<V>(nullptr, work().x.data() + count, 0, size - count, kPad<Real>);
    count_ = count;
}

template <class Real>
double DeviceState<Real>::smallestR2(const ForceSettings& force) const {
    const double least = gravlab::smallestR2<Real>(force, heaviest_);
    if (loopLaw(force) != Law::gravity) return least;  // other laws have their own floor
    constexpr bool kSingle = std::is_same_v<Real, float>;
    return std::max<double>(kSingle ? kSofteningSquaredFloor32 : kSofteningSquaredFloor64, least);
}

template <class Real>
void DeviceState<Real>::uploadAccelerations(const std::vector<Double4>& accelerations) {
    cuda::upload<Real>(complete().a, accelerations, stream_);
    complete().forceKnown = true;
}

template <class Real>
std::vector<Double4> DeviceState<Real>::download(const DeviceArray<V>& from) const {
    std::vector<Double4> result;
    download(from, result);
    return result;
}

template <class Real>
void DeviceState<Real>::download(const DeviceArray<V>& from, std::vector<Double4>& result) const {
    resizeTouched(result, count_);
    download(from, 0, result);
}

template <class Real>
void DeviceState<Real>::download(const DeviceArray<V>& from, std::size_t begin, std::span<Double4> result) const {
    const auto part = std::make_unique_for_overwrite<V[]>(std::min(kPart, result.size()));
    for (std::size_t done = 0; done < result.size(); done += kPart) {
        const std::size_t bodies = std::min(kPart, result.size() - done);
        copyNow(part.get(), from.data() + begin + done, bodies, Copy::toHost, stream_);
        parallelFor(bodies, 0, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) result[done + k] = {part[k].x, part[k].y, part[k].z, part[k].w};
        });
    }
}

template <class Real>
void DeviceState<Real>::download(std::vector<Double4>& positions, std::vector<Double4>& velocities) const {
    download(complete().x, positions);
    download(complete().v, velocities);
}

template <class Real>
void DeviceState<Real>::requireScratch() {
    if (x0.size() >= count_) return;
    for (DeviceArray<V>* scratch : {&x0, &v0, &dx, &dv}) {
        *scratch = DeviceArray<V>(count_);
        CUDA_CHECK(fillAsync(scratch->data(), 0, scratch->bytes(), stream_));
    }
}

template class DeviceState<float>;
template class DeviceState<double>;

}  // namespace gravlab::cuda
