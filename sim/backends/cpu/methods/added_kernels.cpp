// Kernels of terms that a program adds by sim/api/method.h, on the CPU.
#include "sim/api/method.h"
#include "sim/backends/cpu/methods/range_method.h"

#include <algorithm>
#include <utility>

namespace gravlab {
namespace {

template <class T>
class AddedHostMethod final : public cpu::RangeMethod<T> {
public:
    AddedHostMethod(std::unique_ptr<HostKernel<T>> kernel, const cpu::MethodContext& context, bool usesVelocities)
        : cpu::RangeMethod<T>(context, static_cast<std::size_t>(std::max(1, context.launch.block))),
          kernel_(std::move(kernel)),
          usesVelocities_(usesVelocities) {}
    Accuracy accuracy() const override { return {.gate = gateOf(this->request_.settings)}; }

private:
    void begin() override {
        const cpu::CpuBodies<T>& bodies = this->bodies_;
        arrays_ = {.x = bodies.axis[0],
                   .y = bodies.axis[1],
                   .z = bodies.axis[2],
                   .vx = usesVelocities_ ? bodies.velocity[0] : nullptr,
                   .vy = usesVelocities_ ? bodies.velocity[1] : nullptr,
                   .vz = usesVelocities_ ? bodies.velocity[2] : nullptr,
                   .source = bodies.source,
                   .response = bodies.response,
                   .count = bodies.count,
                   .time = this->request_.time};
    }
    void sum(std::size_t first, std::size_t last) override {
        auto& axis = this->sums_.axis;
        kernel_->compute(arrays_, first, last, {axis[0].data(), axis[1].data(), axis[2].data()});
    }
    double interactions(std::size_t first, std::size_t last) const override { return kernel_->interactions(first, last); }

    std::unique_ptr<HostKernel<T>> kernel_;
    bool usesVelocities_;
    HostBodies<T> arrays_{};
};

}  // namespace

bool addHostKernel(const TermKernelRow<HostKernel>& row) {
    const auto maker = []<class T>(std::unique_ptr<HostKernel<T>> (*make)(const ForceTerm&, const KernelParts&)) {
        return [make](const ForceTerm& term, const cpu::MethodContext& context) {
            return std::make_unique<AddedHostMethod<T>>(make(term, {context.bodies, context.ids, context.launch.block}),
                                                        context, term.usesVelocities());
        };
    };
    return cpu::CpuTermMethods::add({.row = addedRow("cpu", row), .fp32 = maker(row.fp32), .fp64 = maker(row.fp64)});
}

}  // namespace gravlab
