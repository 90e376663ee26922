// The launches of the search of contacts.
#include "sim/backends/cuda/jobs/contact_scan.h"

#include "sim/backends/cuda/kernels/tree.h"
#include "sim/forces/cell_grid.h"

#include <algorithm>

namespace gravlab::cuda {

// Arrays grow only: after a merger fewer bodies use the same memory.
void ContactScan::reserve(std::uint32_t count) {
    count_ = count;
    if (before_.size() >= count) return;
    before_ = DeviceArray<Vec4<double>>(count);
    box_ = DeviceArray<Vec4<double>>(count);
    radius_ = DeviceArray<double>(count);
    key_ = DeviceArray<std::uint64_t>(count);
    sortedKey_ = DeviceArray<std::uint64_t>(count);
    index_ = DeviceArray<std::uint32_t>(count);
    order_ = DeviceArray<std::uint32_t>(count);
    large_ = DeviceArray<std::uint32_t>(kMostLarge);
    scratch_ = DeviceArray<std::uint8_t>(sortBytes(count));
    pairs_ = DeviceArray<ContactPair>(std::max(count, 4096u));
}

template <class Vector>
ContactScan::TaskOf<Vector> ContactScan::task(const Vector* bodies) const {
    return {.bodies = bodies,
            .before = before_.data(),
            .radius = radius_.data(),
            .count = count_,
            .box = box_.data(),
            .key = key_.data(),
            .sortedKey = sortedKey_.data(),
            .index = index_.data(),
            .order = order_.data(),
            .large = large_.data(),
            .facts = facts_.data(),
            .pairs = pairs_.data(),
            .capacity = static_cast<unsigned>(pairs_.size()),
            .resting = true};
}

template <class Vector>
void ContactScan::begin(const Vector* bodies, const std::vector<Surface>& surfaces) {
    reserve(static_cast<std::uint32_t>(surfaces.size()));
    std::vector<double> radii(surfaces.size());
    std::ranges::transform(surfaces, radii.begin(), &Surface::radius);
    CUDA_CHECK(copyAsync(radius_.data(), radii.data(), radii.size() * sizeof(double), Copy::toDevice, stream_));
    launchKernel(contactKernels<decltype(Vector::x)>().keep, {(count_ + kContactThreads - 1) / kContactThreads},
                 kContactThreads, task(bodies), 0, stream_);
    CUDA_CHECK(waitForStream(stream_));
}

template <class Vector>
void ContactScan::find(const Vector* bodies, std::vector<ContactPair>& pairs, std::vector<Double4>& before) {
    const Dim blocks{(count_ + kContactThreads - 1) / kContactThreads};
    const auto kernels = contactKernels<decltype(Vector::x)>();
    static_assert(kCellKeyBits <= kTreeKeyBits);
    TaskOf<Vector> task = this->task(bodies);
    CUDA_CHECK(fillAsync(facts_.data(), 0, facts_.bytes(), stream_));
    launchKernel(kernels.boxes, blocks, kContactThreads, task, 0, stream_);
    launchKernel(kernels.cell, {1}, 1, task, 0, stream_);
    launchKernel(kernels.keys, blocks, kContactThreads, task, 0, stream_);
    sortKeys(keysOf(task), scratch_.data(), scratch_.size(), stream_);
    const auto search = [&] {
        launchKernel(kernels.search, blocks, kContactThreads, task, 0, stream_);
        CUDA_CHECK(copyAsync(host_.data(), facts_.data(), sizeof(ContactFacts), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
    };
    search();
    if (const unsigned found = host_.data()->pairs; found > task.capacity) {
        pairs_ = DeviceArray<ContactPair>(found);
        task.pairs = pairs_.data();
        task.capacity = found;
        CUDA_CHECK(fillAsync(&facts_.data()->pairs, 0, sizeof(unsigned), stream_));
        search();
    }
    pairs.resize(host_.data()->pairs);
    if (!pairs.empty()) {
        before.resize(count_);
        CUDA_CHECK(copyAsync(pairs.data(), pairs_.data(), pairs.size() * sizeof(ContactPair), Copy::toHost, stream_));
        CUDA_CHECK(copyAsync(before.data(), before_.data(), before.size() * sizeof(Double4), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
    }
    launchKernel(kernels.keep, blocks, kContactThreads, task, 0, stream_);
}

template void ContactScan::begin(const Float4*, const std::vector<Surface>&);
template void ContactScan::begin(const Double4*, const std::vector<Surface>&);
template void ContactScan::find(const Float4*, std::vector<ContactPair>&, std::vector<Double4>&);
template void ContactScan::find(const Double4*, std::vector<ContactPair>&, std::vector<Double4>&);

}  // namespace gravlab::cuda
