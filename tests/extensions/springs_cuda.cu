// Springs on CUDA: one thread a body, slices of bodies.
#include "sim/api/errors.h"
#include "sim/api/method.h"
#include "springs.h"

#include <cuda_runtime_api.h>

namespace gravlab::extension {
namespace {

constexpr int kThreads = 64;
constexpr int kBlocks[] = {64, 128, 256};
// Small, so that forces of some thousand bodies need several slices.
constexpr std::size_t kBodiesPerSlice = 1024;

/// A copy of an array in device memory.
template <class T>
class DeviceCopy {
public:
    explicit DeviceCopy(const std::vector<T>& values) {
        if (values.empty()) return;
        const std::size_t bytes = values.size() * sizeof(T);
        if (cudaMalloc(&data_, bytes) != cudaSuccess) throw OutOfMemoryError("springs: the GPU has not enough free memory");
        if (cudaMemcpy(data_, values.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess)
            throw DeviceError("springs: the copy to the device failed");
    }
    ~DeviceCopy() { cudaFree(data_); }
    DeviceCopy(const DeviceCopy&) = delete;
    DeviceCopy& operator=(const DeviceCopy&) = delete;
    const T* data() const { return data_; }

private:
    T* data_ = nullptr;
};

template <class Real>
__global__ void pullSprings(DeviceTask<Real> task, const std::uint32_t* first, const SpringEnd* ends, Real strength) {
    const std::uint32_t i = task.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.last) return;
    const Packed<Real> at = task.positions[i];
    Real x = 0, y = 0, z = 0;
    for (std::uint32_t e = first[i]; at.w != 0 && e < first[i + 1]; ++e) {
        const SpringEnd end = ends[e];
        const Packed<Real> other = task.positions[end.other];
        const Real dx = other.x - at.x, dy = other.y - at.y, dz = other.z - at.z;
        const Real distance = sqrt(dx * dx + dy * dy + dz * dz);
        if (!(distance > 0)) continue;
        const Real pull =
            strength * static_cast<Real>(end.stiffness) * (distance - static_cast<Real>(end.length)) / (distance * at.w);
        x += pull * dx;
        y += pull * dy;
        z += pull * dz;
    }
    task.sums[i] = {x, y, z, 0};
}

template <class Real>
class CudaSprings final : public DeviceKernel<Real> {
public:
    CudaSprings(const SpringEnds& all, Real strength)
        : first_(all.first), deviceFirst_(all.first), deviceEnds_(all.ends), strength_(strength) {}

    void enqueue(const DeviceTask<Real>& task, unsigned block, CUstream_st* stream) override {
        pullSprings<Real><<<(task.last - task.first + block - 1) / block, block, 0, stream>>>(task, deviceFirst_.data(),
                                                                                              deviceEnds_.data(), strength_);
    }
    double interactions(std::size_t first, std::size_t last) const override {
        return static_cast<double>(first_[last] - first_[first]);
    }

private:
    std::vector<std::uint32_t> first_;
    DeviceCopy<std::uint32_t> deviceFirst_;
    DeviceCopy<SpringEnd> deviceEnds_;
    Real strength_;
};

template <class Real, int kStrength>
std::unique_ptr<DeviceKernel<Real>> make(const ForceTerm& term, const KernelParts& parts) {
    return std::make_unique<CudaSprings<Real>>(static_cast<const Springs&>(term).endsOf(parts.ids),
                                               static_cast<Real>(kStrength) / 1000);
}

const bool kWrong = addDeviceKernel({.term = Springs::kKind,
                                     .name = "wrong",
                                     .idea = "a thousandth too strong: checks must notice",
                                     .block = kThreads,
                                     .slice = kBodiesPerSlice,
                                     .fp32 = make<float, 1001>,
                                     .fp64 = make<double, 1001>});
const bool kBlock = addDeviceKernel({.term = Springs::kKind,
                                     .name = "blocks",
                                     .idea = "as many threads a block as one likes",
                                     .block = 256,
                                     .blocks = kBlocks,
                                     .slice = kBodiesPerSlice,
                                     .fp32 = make<float, 1000>,
                                     .fp64 = make<double, 1000>});
const bool kRight = addDeviceKernel({.term = Springs::kKind,
                                     .name = "list",
                                     .idea = "each body goes through its springs",
                                     .block = kThreads,
                                     .slice = kBodiesPerSlice,
                                     .fp32 = make<float, 1000>,
                                     .fp64 = make<double, 1000>});

}  // namespace
}  // namespace gravlab::extension
