// The well on CUDA: one thread a body.
#include <gravlab/method.h>
#include "well.h"

namespace outside {
namespace {

using namespace gravlab;

template <class Real>
__global__ void pull(DeviceTask<Real> task, Real stiffness) {
    const std::uint32_t i = task.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.last) return;
    const Packed<Real> at = task.positions[i];
    task.sums[i] = {-stiffness * at.x, -stiffness * at.y, -stiffness * at.z, 0};
}

template <class Real>
class CudaWell final : public DeviceKernel<Real> {
public:
    explicit CudaWell(const Well& well) : stiffness_(static_cast<Real>(well.stiffness())) {}
    void enqueue(const DeviceTask<Real>& task, unsigned block, CUstream_st* stream) override {
        pull<Real><<<(task.last - task.first + block - 1) / block, block, 0, stream>>>(task, stiffness_);
    }

private:
    Real stiffness_;
};

template <class Real>
std::unique_ptr<DeviceKernel<Real>> make(const ForceTerm& term, const KernelParts&) {
    return std::make_unique<CudaWell<Real>>(static_cast<const Well&>(term));
}

const bool kRow = addDeviceKernel({.term = Well::kKind,
                                   .name = "rows",
                                   .idea = "one thread a body",
                                   .block = 128,
                                   .fp32 = make<float>,
                                   .fp64 = make<double>});

}  // namespace
}  // namespace outside
