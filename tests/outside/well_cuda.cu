// The well on CUDA: one thread a body.
#include "sim/backends/cuda/methods/force_method.h"
#include "well.h"

namespace outside {
namespace {

using namespace gravlab;
using namespace gravlab::cuda;

constexpr unsigned kThreads = 128;

template <class Real>
struct WellTask {
    const Vec4<Real>* bodies;
    Vec4<Real>* sums;
    std::uint32_t count;
    Real stiffness;
};

template <class Real>
__global__ void pull(WellTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const Vec4<Real> at = task.bodies[i];
    task.sums[i] = {-task.stiffness * at.x, -task.stiffness * at.y, -task.stiffness * at.z, 0};
}

template <class Real>
class CudaWell final : public DeviceTermMethod<Real> {
public:
    CudaWell(const Well& well, const TermParts& parts)
        : count_(parts.count), stream_(parts.stream), stiffness_(static_cast<Real>(well.stiffness())) {}

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
    }
    ForceProgress enqueue(double) override {
        if (count_ > 0)
            launchKernel(kernelOf(pull<Real>), {(count_ + kThreads - 1) / kThreads}, kThreads,
                         {bodies_.positions, bodies_.sums, count_, stiffness_}, 0, stream_);
        return {.complete = true, .work = {.pairs = static_cast<double>(count_)}};
    }
    bool underWay() const override { return false; }
    double progress() const override { return 0; }
    void abandon() override {}
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    std::uint32_t count_;
    Stream stream_;
    Real stiffness_;
    DeviceBodies<Real> bodies_;
    ForceRequest request_;
};

template <class Real>
std::unique_ptr<DeviceTermMethod<Real>> make(const ForceTerm& term, const TermParts& parts) {
    return std::make_unique<CudaWell<Real>>(static_cast<const Well&>(term), parts);
}

const bool kRow = CudaTermMethods::add(
    {.row =
         {.backend = "cuda", .term = Well::kKind, .name = "rows", .idea = "one thread a body", .usual = {.block = kThreads}},
     .fp32 = make<float>,
     .fp64 = make<double>});

}  // namespace
}  // namespace outside
