// The method of trailing_cpu.cpp on CUDA, around the tiled kernel.
#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>

namespace gravlab::extension {
namespace {

using namespace cuda;

constexpr LaunchConfig kTiles{.block = 128, .unroll = 8, .bodiesPerThread = 1, .split = 1};

template <class Real>
struct TrailTask {
    const Vec4<Real>* now;
    Vec4<Real>* last;
    Vec4<Real>* sums;
    std::uint32_t count;
};

template <class Real>
__global__ void trail(TrailTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<Real> now = task.now[i], last = task.last[i];
    const Real share = static_cast<Real>(1e-4);
    task.sums[i] = {now.x + share * (last.x - now.x), now.y + share * (last.y - now.y), now.z + share * (last.z - now.z), 0};
    task.last[i] = now;
}

template <class Real>
class CudaTrailing final : public DeviceForceMethod<Real> {
public:
    CudaTrailing(const MethodParts& parts, const LaunchPlan& tiles)
        : DeviceForceMethod<Real>(parts.plan, parts.count, parts.rate),
          stream_(parts.stream),
          exact_(makeOneSided<Real>({tiles, parts.count, parts.device, parts.stream, parts.rate})),
          last_(parts.count),
          now_(parts.count) {
        if (parts.count > 0) CUDA_CHECK(fillAsync(last_.data(), 0, last_.bytes(), stream_));
    }

    Accuracy accuracy() const override { return {.gate = {.median = 1e-3, .p999 = 1e-2}, .allowedError = 1e-3}; }
    bool keepsState() const override { return true; }
    std::vector<StateArray> state() const override {
        std::vector<Vec4<Real>> host(last_.size());
        CUDA_CHECK(copyAsync(host.data(), last_.data(), last_.bytes(), Copy::toHost, stream_));
        CUDA_CHECK(waitForStream(stream_));
        std::vector<StateArray> arrays{{"last", {}}};
        for (const Vec4<Real>& a : host)
            arrays[0].values.insert(arrays[0].values.end(),
                                    {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)});
        return arrays;
    }
    bool restore(const std::vector<StateArray>& state) override {
        if (state.size() != 1 || state[0].values.size() != 3 * last_.size()) return false;
        std::vector<Vec4<Real>> host(last_.size());
        for (std::size_t i = 0; i < host.size(); ++i) {
            const double* a = state[0].values.data() + 3 * i;
            host[i] = {static_cast<Real>(a[0]), static_cast<Real>(a[1]), static_cast<Real>(a[2]), 0};
        }
        CUDA_CHECK(copyAsync(last_.data(), host.data(), last_.bytes(), Copy::toDevice, stream_));
        CUDA_CHECK(waitForStream(stream_));
        return true;
    }

private:
    ForceProgress enqueuePairs(double pairs) override {
        if (!exact_->underWay()) exact_->prepare({this->bodies().positions, now_.data()}, this->request());
        const ForceProgress done = exact_->enqueue(pairs / this->rate()->perSecond());
        if (done.complete) {
            constexpr unsigned kThreads = 256;
            launchKernel(kernelOf(trail<Real>), {(this->count() + kThreads - 1) / kThreads}, kThreads,
                         {exact_->sums().sums, last_.data(), this->bodies().sums, this->count()}, 0, stream_);
        }
        return done;
    }
    double nextPairs(double seconds) const override { return exact_->sliceSeconds(seconds) * this->rate()->perSecond(); }
    double doneShare() const override { return exact_->progress(); }
    void rewind() override { exact_->abandon(); }

    Stream stream_;
    MadeMethod<Real> exact_;
    DeviceArray<Vec4<Real>> last_, now_;
};

template <class Real>
std::unique_ptr<DeviceForceMethod<Real>> make(const MethodParts& parts) {
    LaunchPlan tiles = parts.plan;
    tiles.entry = &kernelEntry("tiled");
    tiles.launch = kTiles;
    return std::make_unique<CudaTrailing<Real>>(parts, tiles);
}

const void* tilesCode(Precision precision) {
    return precision == Precision::fp64 ? tiledKernel<double>(kTiles.unroll, 1).address
                                        : tiledKernel<float>(kTiles.unroll, 1).address;
}

const bool kThere =
    KernelEntries::add({.row = {.backend = "cuda",
                                .name = "trailing",
                                .idea = "a ten-thousandth of each force is the one before",
                                .usual = kTiles,
                                .approximates = true,
                                .keeps = [](const ForceSettings&, double, double) { return 1e-3; }},
                        .code = MethodCode{.make32 = make<float>, .make64 = make<double>, .machineCode = tilesCode}});

}  // namespace
}  // namespace gravlab::extension
