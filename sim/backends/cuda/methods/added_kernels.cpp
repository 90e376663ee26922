// Kernels of terms that a program adds by sim/api/method.h, on CUDA.
#include "sim/api/method.h"
#include "sim/backends/cuda/methods/force_method.h"

#include <algorithm>
#include <utility>

namespace gravlab {
namespace {

template <class Real>
class AddedDeviceMethod final : public cuda::DeviceTermMethod<Real> {
public:
    AddedDeviceMethod(std::unique_ptr<DeviceKernel<Real>> kernel, const cuda::TermParts& parts, std::size_t slice)
        : kernel_(std::move(kernel)),
          stream_(parts.stream),
          block_(static_cast<unsigned>(parts.launch.block)),
          slice_(static_cast<std::uint32_t>(std::min<std::size_t>(slice, parts.count))) {
        task_.count = parts.count;
    }

    void prepare(const cuda::DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        request_ = request;
        task_.positions = bodies.positions;
        task_.velocities = bodies.velocities;
        task_.sums = bodies.sums;
        task_.time = request.time;
        task_.last = 0;
        underWay_ = task_.count > 0;
    }
    ForceProgress enqueue(double) override {
        if (!underWay_) return {.complete = true};
        task_.first = task_.last;
        task_.last += std::min(slice_, task_.count - task_.first);
        kernel_->enqueue(task_, block_, stream_);
        CUDA_CHECK(cuda::takeLastError());
        underWay_ = task_.last < task_.count;
        return {.complete = !underWay_, .work = {.pairs = kernel_->interactions(task_.first, task_.last)}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return underWay_ ? static_cast<double>(task_.last) / task_.count : 0; }
    void abandon() override { underWay_ = false; }
    cuda::DeviceSums<Real> sums() const override { return {task_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    std::unique_ptr<DeviceKernel<Real>> kernel_;
    cuda::Stream stream_;
    unsigned block_;
    std::uint32_t slice_;
    DeviceTask<Real> task_{};
    ForceRequest request_;
    bool underWay_ = false;
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
