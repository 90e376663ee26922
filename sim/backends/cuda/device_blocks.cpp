#include "sim/backends/cuda/device_blocks.h"

#include <algorithm>
#include <utility>

namespace gravlab::cuda {
namespace {

// More blocks would only add atomics.
constexpr std::uint32_t kMostBlocks = 1024;

}  // namespace

void DeviceBlocks::begin(bool inBlocks) {
    enqueued_ = false;
    if (!inBlocks || rungs_.size() > 0) return;
    DeviceArray<std::uint8_t> rungs(count_);
    DeviceArray<RungSums> sums(1);
    PinnedArray<RungSums> read(1);
    rungs_ = std::move(rungs);
    sums_ = std::move(sums);
    read_ = std::move(read);
}

template <class Real>
bool DeviceBlocks::enqueueRungs(const Vec4<Real>* accelerations, const Vec4<Real>* positions) {
    if (enqueued_) return false;
    const Dim blocks{std::min(kMostBlocks, (count_ + kBlocksThreads - 1) / kBlocksThreads)};
    const RungTask<Real> task{accelerations, positions, count_, rungs_.data(), sums_.data()};
    CUDA_CHECK(fillAsync(sums_.data(), 0, sums_.bytes(), stream_));
    launchKernel(rungLogarithmKernel<Real>(), blocks, kBlocksThreads, task, 0, stream_);
    launchKernel(rungKernel<Real>(), blocks, kBlocksThreads, task, 0, stream_);
    CUDA_CHECK(copyAsync(read_.data(), sums_.data(), sums_.bytes(), Copy::toHost, stream_));
    CUDA_CHECK(recordEvent(arrived_, stream_));
    enqueued_ = true;
    return true;
}
template bool DeviceBlocks::enqueueRungs<float>(const Vec4<float>*, const Vec4<float>*);
template bool DeviceBlocks::enqueueRungs<double>(const Vec4<double>*, const Vec4<double>*);

BlockClock DeviceBlocks::take() {
    CUDA_CHECK(waitForEvent(arrived_));
    RungCounts bodies{};
    std::copy_n(read_.data()->bodies, bodies.size(), bodies.begin());
    return BlockClock(bodies);
}

}  // namespace gravlab::cuda
