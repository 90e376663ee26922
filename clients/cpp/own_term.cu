// The trap on CUDA: one thread per body.
#include "trap.h"

#include <gravlab/method.h>

namespace {

template <class Real>
__global__ void pull(gravlab::DeviceTask<Real> task, Real k) {
    const unsigned i = task.first + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.last) return;
    const gravlab::Packed<Real> x = task.positions[i];
    task.sums[i] = {-k * x.x, -k * x.y, -k * x.z, 0};
}

template <class Real>
class CudaTrap final : public gravlab::DeviceKernel<Real> {
public:
    explicit CudaTrap(const Trap& trap) : k_(static_cast<Real>(trap.stiffness())) {}
    void enqueue(const gravlab::DeviceTask<Real>& task, unsigned block, CUstream_st* stream) override {
        pull<Real><<<(task.last - task.first + block - 1) / block, block, 0, stream>>>(task, k_);
    }

private:
    Real k_;
};

template <class Real>
std::unique_ptr<gravlab::DeviceKernel<Real>> make(const gravlab::ForceTerm& term, const gravlab::KernelParts&) {
    return std::make_unique<CudaTrap<Real>>(static_cast<const Trap&>(term));
}

const bool kRow = gravlab::addDeviceKernel({.term = "trap",
                                            .name = "each-body",
                                            .idea = "one thread per body",
                                            .block = 128,
                                            .fp32 = make<float>,
                                            .fp64 = make<double>});

}  // namespace
