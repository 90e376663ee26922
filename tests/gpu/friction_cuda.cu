// Friction on CUDA: a device method that reads velocities.
#include "sim/backends/cuda/methods/force_method.h"
#include "tests/extensions/friction.h"

#include <memory>

namespace gravlab {
namespace {

using namespace cuda;

constexpr unsigned kThreads = 64;

template <class Real>
struct FrictionTask {
    const Vec4<Real>* velocities;
    Vec4<Real>* sums;
    std::uint32_t count;
};

template <class Real>
__global__ void slowDown(FrictionTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<Real> v = task.velocities[i];
    const Real rate = static_cast<Real>(-Friction::kRate);
    task.sums[i] = {rate * v.x, rate * v.y, rate * v.z, 0};
}

template <class Real>
class CudaFriction final : public DeviceTermMethod<Real> {
public:
    explicit CudaFriction(const TermParts& parts) : count_(parts.count), stream_(parts.stream) {}
    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        underWay_ = count_ > 0;
    }
    ForceProgress enqueue(double) override {
        launchKernel(kernelOf(slowDown<Real>), {(count_ + kThreads - 1) / kThreads}, kThreads,
                     {bodies_.velocities, bodies_.sums, count_}, 0, stream_);
        underWay_ = false;
        return {.complete = true, .work = {.pairs = static_cast<double>(count_)}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return 0; }
    void abandon() override { underWay_ = false; }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    std::uint32_t count_;
    Stream stream_;
    DeviceBodies<Real> bodies_;
    ForceRequest request_;
    bool underWay_ = false;
};

template <class Real>
std::unique_ptr<DeviceTermMethod<Real>> makeFriction(const ForceTerm&, const TermParts& parts) {
    return std::make_unique<CudaFriction<Real>>(parts);
}

const bool kThere = CudaTermMethods::add({.row = {.backend = "cuda", .term = "friction", .name = "plain", .idea = ""},
                                          .fp32 = makeFriction<float>,
                                          .fp64 = makeFriction<double>});

}  // namespace
}  // namespace gravlab
