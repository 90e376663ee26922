// Springs on CUDA: one thread a body, slices of bodies.
#include "sim/backends/cuda/methods/force_method.h"
#include "springs.h"

#include <algorithm>

namespace gravlab::extension {
namespace {

using namespace cuda;

constexpr int kThreads = 64;
constexpr int kBlocks[] = {64, 128, 256};
// Small, so that forces of some thousand bodies need several slices.
constexpr std::uint32_t kBodiesPerSlice = 1024;

template <class Real>
struct SpringTask {
    const Vec4<Real>* bodies;
    Vec4<Real>* sums;
    const std::uint32_t* first;
    const SpringEnd* ends;
    std::uint32_t begin, end;
    Real strength;
};

template <class Real>
__global__ void pullSprings(SpringTask<Real> task) {
    const std::uint32_t i = task.begin + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.end) return;
    const Vec4<Real> at = task.bodies[i];
    Real x = 0, y = 0, z = 0;
    for (std::uint32_t e = task.first[i]; at.w != 0 && e < task.first[i + 1]; ++e) {
        const SpringEnd end = task.ends[e];
        const Vec4<Real> other = task.bodies[end.other];
        const Real dx = other.x - at.x, dy = other.y - at.y, dz = other.z - at.z;
        const Real distance = sqrt(dx * dx + dy * dy + dz * dz);
        if (!(distance > 0)) continue;
        const Real pull = task.strength * static_cast<Real>(end.stiffness) * (distance - static_cast<Real>(end.length)) /
                          (distance * at.w);
        x += pull * dx;
        y += pull * dy;
        z += pull * dz;
    }
    task.sums[i] = {x, y, z, 0};
}

template <class Real>
class CudaSprings final : public DeviceTermMethod<Real> {
public:
    CudaSprings(const Springs& springs, const TermParts& parts, Real strength)
        : count_(parts.count),
          stream_(parts.stream),
          all_(springs.endsOf(parts.ids)),
          strength_(strength),
          threads_(static_cast<unsigned>(parts.launch.block)) {
        first_ = DeviceArray<std::uint32_t>(all_.first.size());
        ends_ = DeviceArray<SpringEnd>(all_.ends.size());
        CUDA_CHECK(copyAsync(first_.data(), all_.first.data(), first_.bytes(), Copy::toDevice, stream_));
        if (ends_.size() > 0) CUDA_CHECK(copyAsync(ends_.data(), all_.ends.data(), ends_.bytes(), Copy::toDevice, stream_));
        CUDA_CHECK(waitForStream(stream_));
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        next_ = 0;
        underWay_ = count_ > 0;
    }
    ForceProgress enqueue(double) override {
        const std::uint32_t end = std::min(next_ + kBodiesPerSlice, count_);
        launchKernel(kernelOf(pullSprings<Real>), {(end - next_ + threads_ - 1) / threads_}, threads_,
                     {bodies_.positions, bodies_.sums, first_.data(), ends_.data(), next_, end, strength_}, 0, stream_);
        const double pairs = all_.first[end] - all_.first[next_];
        next_ = end;
        underWay_ = next_ < count_;
        return {.complete = !underWay_, .work = {.pairs = pairs}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return underWay_ ? static_cast<double>(next_) / count_ : 0; }
    void abandon() override { underWay_ = false; }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    std::uint32_t count_;
    Stream stream_;
    SpringEnds all_;
    Real strength_;
    unsigned threads_;
    DeviceArray<std::uint32_t> first_;
    DeviceArray<SpringEnd> ends_;
    DeviceBodies<Real> bodies_;
    ForceRequest request_;
    std::uint32_t next_ = 0;
    bool underWay_ = false;
};

template <class Real, int kStrength>
std::unique_ptr<DeviceTermMethod<Real>> make(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<CudaSprings<Real>>(static_cast<const Springs&>(term), parts,
                                               static_cast<Real>(kStrength) / 1000);
}

const bool kWrong = CudaTermMethods::add({.row = {.backend = "cuda",
                                                  .term = Springs::kKind,
                                                  .name = "wrong",
                                                  .idea = "a thousandth too strong: checks must notice",
                                                  .usual = {.block = kThreads}},
                                          .fp32 = make<float, 1001>,
                                          .fp64 = make<double, 1001>});
const bool kBlock = CudaTermMethods::add({.row = {.backend = "cuda",
                                                  .term = Springs::kKind,
                                                  .name = "blocks",
                                                  .idea = "as many threads a block as one likes",
                                                  .blocks = {64, 256},
                                                  .blockSizes = kBlocks,
                                                  .usual = {.block = 256}},
                                          .fp32 = make<float, 1000>,
                                          .fp64 = make<double, 1000>});
const bool kRight = CudaTermMethods::add({.row = {.backend = "cuda",
                                                  .term = Springs::kKind,
                                                  .name = "list",
                                                  .idea = "each body goes through its springs",
                                                  .usual = {.block = kThreads}},
                                          .fp32 = make<float, 1000>,
                                          .fp64 = make<double, 1000>});

}  // namespace
}  // namespace gravlab::extension
