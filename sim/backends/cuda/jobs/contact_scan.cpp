// The launches of the search of contacts.
#include "sim/backends/cuda/jobs/contact_scan.h"

#include "sim/backends/cuda/kernels/tree.h"
#include "sim/tree/key.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {

template <class Real>
template <class T>
void ContactScan<Real>::Copied<T>::reserve(std::size_t count) {
    if (device.size() >= count) return;
    host = PinnedArray<T>(count);
    device = DeviceArray<T>(count);
}

template <class Real>
template <class T>
std::span<const T> ContactScan<Real>::Copied<T>::copy(std::size_t count, Stream stream) {
    if (count > 0) CUDA_CHECK(copyAsync(host.data(), device.data(), count * sizeof(T), Copy::toHost, stream));
    return {host.data(), count};
}

// Arrays grow only: after a merger fewer bodies use the same memory.
template <class Real>
void ContactScan<Real>::reserve(std::uint32_t count) {
    count_ = count;
    if (before_.device.size() >= count) return;
    before_.reserve(count);
    positions_ = PinnedArray<V>(count);
    velocities_ = PinnedArray<V>(count);
    box_ = DeviceArray<Vec4<double>>(count);
    half_ = DeviceArray<Vec4<double>>(count);
    nodes_ = DeviceArray<PathBounds>(count / (kPathFan - 1) + kPathLevels);
    radius_ = DeviceArray<double>(count);
    spareRadius_ = DeviceArray<double>(count);
    key_ = DeviceArray<std::uint64_t>(count);
    sortedKey_ = DeviceArray<std::uint64_t>(count);
    index_ = DeviceArray<std::uint32_t>(count);
    order_.reserve(count);
    lists_.reserve(count);
    scratch_ = DeviceArray<std::uint8_t>(sortBytes(count));
    // Most bodies have few others near them, so these arrays seldom grow.
    pairs_.reserve(std::max(count, 4096u));
    nearLarge_.reserve(4096);
    near_.reserve(std::max(8 * std::size_t{count}, std::size_t{4096}));
}

template <class Real>
ContactTask<Real> ContactScan<Real>::task(const V* bodies) const {
    ContactTask<Real> task{.bodies = bodies,
                           .before = before_.device.data(),
                           .radius = radius_.data(),
                           .count = count_,
                           .box = box_.data(),
                           .half = half_.data(),
                           .nodes = nodes_.data(),
                           .level = 0,
                           .levels = 0,
                           .firstNode = {},
                           .key = key_.data(),
                           .sortedKey = sortedKey_.data(),
                           .index = index_.data(),
                           .order = order_.device.data(),
                           .facts = facts_.data(),
                           .pairs = pairs_.device.data(),
                           .nearLarge = nearLarge_.device.data(),
                           .lists = lists_.device.data(),
                           .near = near_.device.data(),
                           .pairRoom = static_cast<unsigned>(pairs_.device.size()),
                           .nearRoom = static_cast<unsigned>(near_.device.size()),
                           .nearLargeRoom = static_cast<unsigned>(nearLarge_.device.size())};
    // Levels up to one of at most kPathFan nodes.
    for (std::uint32_t nodes = count_; task.levels == 0 || nodes > kPathFan;) {
        nodes = (nodes + kPathFan - 1) / kPathFan;
        task.firstNode[task.levels + 1] = task.firstNode[task.levels] + nodes;
        ++task.levels;
    }
    return task;
}

template <class Real>
void ContactScan<Real>::keep(const V* bodies) {
    launchKernel(contactKernels<Real>().keep, {(count_ + kContactThreads - 1) / kContactThreads}, kContactThreads,
                 task(bodies), 0, stream_);
}

template <class Real>
void ContactScan<Real>::begin(const V* bodies, const std::vector<Surface>& surfaces) {
    reserve(static_cast<std::uint32_t>(surfaces.size()));
    std::vector<double> radii(surfaces.size());
    std::ranges::transform(surfaces, radii.begin(), &Surface::radius);
    CUDA_CHECK(copyAsync(radius_.data(), radii.data(), radii.size() * sizeof(double), Copy::toDevice, stream_));
    keep(bodies);
    CUDA_CHECK(waitForStream(stream_));
}

template <class Real>
bool ContactScan<Real>::find(const V* bodies, const V* velocities, FoundContacts& found) {
    const Dim blocks{(count_ + kContactThreads - 1) / kContactThreads};
    const auto kernels = contactKernels<Real>();
    ContactTask<Real> task = this->task(bodies);
    CUDA_CHECK(fillAsync(facts_.data(), 0, facts_.bytes(), stream_));
    launchKernel(kernels.boxes, blocks, kContactThreads, task, 0, stream_);
    launchKernel(kernels.scale, {1}, 1, task, 0, stream_);
    launchKernel(kernels.keys, blocks, kContactThreads, task, 0, stream_);
    sortKeys(keysOf(task), scratch_.data(), scratch_.size(), stream_);
    for (; task.level < task.levels; ++task.level) {
        const std::uint32_t nodes = task.firstNode[task.level + 1] - task.firstNode[task.level];
        launchKernel(kernels.bounds, {(nodes + kContactThreads - 1) / kContactThreads}, kContactThreads, task, 0, stream_);
    }
    const ContactFacts& facts = *host_.data();
    const auto search = [&] {
        launchKernel(kernels.search, blocks, kContactThreads, task, 0, stream_);
        CUDA_CHECK(copyAsync(host_.data(), facts_.data(), sizeof(ContactFacts), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
    };
    search();
    while (facts.pairs > task.pairRoom || facts.near > task.nearRoom || facts.nearLarge > task.nearLargeRoom) {
        // Lists without room were not written, nor were their bodies near large ones.
        requireFewPairs(std::max<std::size_t>(facts.pairs, facts.near / 2 + facts.nearLarge), count_);
        constexpr double kAhead = 1.25;
        const auto grown = [&](unsigned count) { return static_cast<std::size_t>(kAhead * count); };
        if (facts.pairs > task.pairRoom) pairs_.reserve(grown(facts.pairs));
        if (facts.near > task.nearRoom) near_.reserve(grown(facts.near));
        if (facts.nearLarge > task.nearLargeRoom) nearLarge_.reserve(grown(facts.nearLarge));
        task = this->task(bodies);
        CUDA_CHECK(fillAsync(&facts_.data()->pairs, 0, 3 * sizeof(unsigned), stream_));
        search();
    }
    if (facts.pairs > 0) {
        const auto raw = [](const PinnedArray<V>& vectors) -> RawVectors {
            if constexpr (std::is_same_v<Real, float>)
                return {.single = &vectors.data()->x};
            else
                return {.wide = &vectors.data()->x};
        };
        before_.copy(count_, stream_);
        CUDA_CHECK(copyAsync(positions_.data(), bodies, count_ * sizeof(V), Copy::toHost, stream_));
        CUDA_CHECK(copyAsync(velocities_.data(), velocities, count_ * sizeof(V), Copy::toHost, stream_));
        found.before = raw(before_.host);
        found.position = raw(positions_);
        found.velocity = raw(velocities_);
        found.pairs = pairs_.copy(facts.pairs, stream_);
        found.lists = lists_.copy(count_, stream_);
        found.near = near_.copy(facts.near, stream_);
        found.nearLarge = nearLarge_.copy(facts.nearLarge, stream_);
        found.order = order_.copy(count_, stream_);
        found.large = {facts.largeBodies, facts.large};
        found.mostReach = facts.mostReach;
        CUDA_CHECK(waitForStream(stream_));
    }
    keep(bodies);
    return facts.pairs > 0;
}

template <class Real>
void ContactScan<Real>::change(const DeviceChanges& changes, std::uint32_t count, const V* bodies) {
    changes.scatter<Real>(nullptr, nullptr, radius_.data());
    if (changes.removes()) {
        changes.keep(radius_.data(), spareRadius_.data(), count, count, 0.0);
        std::swap(radius_, spareRadius_);
    }
    count_ = count;
    keep(bodies);
}

template class ContactScan<float>;
template class ContactScan<double>;

}  // namespace gravlab::cuda
