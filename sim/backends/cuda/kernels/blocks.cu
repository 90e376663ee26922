// Levels from the mean logarithm of accelerations, and lists of the bodies on some levels.
#include "sim/backends/cuda/kernels/blocks.h"
#include "sim/backends/cuda/kernels/pair.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <utility>

namespace gravlab::cuda {
namespace {

// More blocks would only add atomics.
constexpr std::uint32_t kMostBlocks = 1024;

template <class V>
__device__ __forceinline__ float lengthOf(const V& a) {
    return levelLength(a.x, a.y, a.z);
}

template <class Real>
__global__ __launch_bounds__(kBlocksThreads) void sumLevelLogarithms(LevelTask<Real> task) {
    LevelScale here;
    for (std::uint32_t i = blockIdx.x * kBlocksThreads + threadIdx.x; i < task.count; i += gridDim.x * kBlocksThreads)
        here.add(lengthOf(asVectors(task.accelerations)[i]), asVectors(task.positions)[i].w != 0);
    for (int part = 0; part < 2; ++part) {
        const LogarithmSum& own = part == 0 ? here.massive : here.others;
        unsigned long long sum = own.sum;
        unsigned counted = static_cast<unsigned>(own.counted);
        for (int other = 16; other > 0; other /= 2) {
            sum += __shfl_xor_sync(~0u, sum, other);
            counted += __shfl_xor_sync(~0u, counted, other);
        }
        if (threadIdx.x % 32 != 0 || counted == 0) continue;
        atomicAdd(&task.sums->sum[part], sum);
        atomicAdd(&task.sums->counted[part], static_cast<unsigned long long>(counted));
    }
}

template <class Real>
__global__ __launch_bounds__(kBlocksThreads) void giveLevels(LevelTask<Real> task) {
    __shared__ std::uint32_t bodies[kLevelCount];
    if (threadIdx.x < kLevelCount) bodies[threadIdx.x] = 0;
    __syncthreads();
    const LevelSums& sums = *task.sums;
    const float reference = LevelScale{{sums.sum[0], sums.counted[0]}, {sums.sum[1], sums.counted[1]}}.reference();
    for (std::uint32_t i = blockIdx.x * kBlocksThreads + threadIdx.x; i < task.count; i += gridDim.x * kBlocksThreads) {
        const int level = levelOf(lengthOf(asVectors(task.accelerations)[i]), reference);
        task.levels[i] = static_cast<std::uint8_t>(level);
        atomicAdd(bodies + level, 1u);
    }
    __syncthreads();
    if (threadIdx.x < kLevelCount && bodies[threadIdx.x]) atomicAdd(task.sums->bodies + threadIdx.x, bodies[threadIdx.x]);
}

struct IsActive {
    ActiveBodies active;
    __device__ bool operator()(std::uint32_t body) const { return active.has(body); }
};

template <class Real>
__global__ void gatherActive(ActiveCopyTask<Real> task) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < task.listed) asVectors(task.to)[k] = asVectors(task.from)[task.list[k]];
}

template <class Real>
__global__ void spreadActive(ActiveCopyTask<Real> task) {
    const std::uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (task.ranges == 1) {
        if (thread < task.listed) asVectors(task.to)[task.list[thread]] = asVectors(task.from)[thread];
        return;
    }
    // A warp sums a body's ranges, and its lanes' sums are added in a fixed order.
    const std::uint32_t k = thread / kSpreadLanes, lane = thread % kSpreadLanes;
    if (k >= task.listed) return;
    double sum[3] = {};
    for (std::uint32_t range = lane; range < task.ranges; range += kSpreadLanes) {
        const Vector<Real> a = asVectors(task.from)[static_cast<std::size_t>(range) * task.stride + k];
        sum[0] += a.x;
        sum[1] += a.y;
        sum[2] += a.z;
    }
    for (int other = kSpreadLanes / 2; other > 0; other /= 2)
        for (double& axis : sum) axis += __shfl_xor_sync(~0u, axis, other);
    if (lane == 0)
        asVectors(task.to)[task.list[k]] = {static_cast<Real>(sum[0]), static_cast<Real>(sum[1]), static_cast<Real>(sum[2]),
                                            0};
}

}  // namespace

void DeviceBlocks::begin(bool inBlocks) {
    enqueued_ = false;
    if (!inBlocks || levels_.size() > 0) return;
    sums_.reserve(1);
    levels_ = DeviceArray<std::uint8_t>(count_);
}

template <class Real>
bool DeviceBlocks::enqueueLevels(const Vec4<Real>* accelerations, const Vec4<Real>* positions) {
    if (enqueued_) return false;
    const Dim blocks{std::min(kMostBlocks, blocksFor(count_, kBlocksThreads))};
    const LevelTask<Real> task{accelerations, positions, count_, levels_.data(), sums_.device.data()};
    CUDA_CHECK(fillAsync(sums_.device.data(), 0, sizeof(LevelSums), stream_));
    launchKernel(kernelOf(sumLevelLogarithms<Real>), blocks, kBlocksThreads, task, 0, stream_);
    launchKernel(kernelOf(giveLevels<Real>), blocks, kBlocksThreads, task, 0, stream_);
    sums_.toHost(1, stream_);
    CUDA_CHECK(recordEvent(arrived_, stream_));
    enqueued_ = true;
    return true;
}
template bool DeviceBlocks::enqueueLevels<float>(const Vec4<float>*, const Vec4<float>*);
template bool DeviceBlocks::enqueueLevels<double>(const Vec4<double>*, const Vec4<double>*);

BlockClock DeviceBlocks::take() {
    CUDA_CHECK(waitForEvent(arrived_));
    LevelCounts bodies{};
    std::copy_n(sums_.host.data()->bodies, bodies.size(), bodies.begin());
    return BlockClock(bodies);
}

template <class Real>
Kernel<ActiveCopyTask<Real>> gatherActiveKernel() {
    return kernelOf(gatherActive<Real>);
}
template <class Real>
Kernel<ActiveCopyTask<Real>> spreadActiveKernel() {
    return kernelOf(spreadActive<Real>);
}
template Kernel<ActiveCopyTask<float>> gatherActiveKernel();
template Kernel<ActiveCopyTask<double>> gatherActiveKernel();
template Kernel<ActiveCopyTask<float>> spreadActiveKernel();
template Kernel<ActiveCopyTask<double>> spreadActiveKernel();

std::size_t activeListBytes(std::uint32_t count) {
    std::size_t bytes = 0;
    std::uint32_t* none = nullptr;
    CUDA_CHECK(
        cub::DeviceSelect::If(nullptr, bytes, thrust::counting_iterator<std::uint32_t>(0), none, none, count, IsActive()));
    return bytes;
}

void listActive(const ActiveListTask& task, void* scratch, std::size_t bytes, Stream stream) {
    CUDA_CHECK(cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), task.list, task.found,
                                     task.count, IsActive{task.active}, stream));
}

}  // namespace gravlab::cuda
