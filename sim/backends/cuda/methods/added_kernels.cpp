// Kernels of terms that a program adds by sim/api/method.h, on CUDA.
#include "sim/api/method.h"
#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>
#include <utility>

namespace gravlab {
namespace {

template <class Real>
class AddedDeviceMethod final : public cuda::SlicedTerm<Real> {
public:
    AddedDeviceMethod(std::unique_ptr<DeviceKernel<Real>> kernel, const cuda::TermParts& parts, std::size_t slice)
        : cuda::SlicedTerm<Real>(parts.count, static_cast<std::uint32_t>(std::min<std::size_t>(slice, parts.count))),
          kernel_(std::move(kernel)),
          stream_(parts.stream),
          block_(static_cast<unsigned>(parts.launch.block)) {}
    Accuracy accuracy() const override { return {.gate = gateOf(this->request_.settings)}; }

private:
    double enqueueBodies(std::uint32_t first, std::uint32_t last) override {
        const cuda::DeviceBodies<Real>& bodies = this->bodies_;
        kernel_->enqueue(DeviceTask<Real>{.positions = bodies.positions,
                                          .velocities = bodies.velocities,
                                          .sums = bodies.sums,
                                          .count = this->count_,
                                          .first = first,
                                          .last = last,
                                          .time = this->request_.time},
                         block_, stream_);
        CUDA_CHECK(cuda::takeLastError());
        return kernel_->interactions(first, last);
    }

    std::unique_ptr<DeviceKernel<Real>> kernel_;
    cuda::Stream stream_;
    unsigned block_;
};

}  // namespace

bool addDeviceKernel(const TermKernelRow<DeviceKernel>& row) {
    const auto maker =
        [slice = row.slice]<class Real>(std::unique_ptr<DeviceKernel<Real>> (*make)(const ForceTerm&, const KernelParts&)) {
            return [make, slice](const ForceTerm& term, const cuda::TermParts& parts) {
                return std::make_unique<AddedDeviceMethod<Real>>(make(term, {parts.count, parts.ids, parts.launch.block}),
                                                                 parts, slice);
            };
        };
    return cuda::CudaTermMethods::add({.row = addedRow("cuda", row), .fp32 = maker(row.fp32), .fp64 = maker(row.fp64)});
}

}  // namespace gravlab
