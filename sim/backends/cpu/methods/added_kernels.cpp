// Kernels of terms that a program adds by sim/api/method.h, on the CPU.
#include "sim/api/method.h"
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gravlab {
namespace {

/// Slices of an added kernel: each thread takes a block of bodies.
template <class T>
class AddedHostMethod final : public cpu::CpuForceMethod<T> {
public:
    AddedHostMethod(std::unique_ptr<HostKernel<T>> kernel, const cpu::MethodContext& context, bool usesVelocities)
        : kernel_(std::move(kernel)),
          pool_(context.pool),
          sums_(context.bodies),
          grain_(static_cast<std::size_t>(std::max(1, context.launch.block))),
          usesVelocities_(usesVelocities) {}

    void prepare(const cpu::CpuBodies<T>& bodies, const ForceRequest& request) override {
        request_ = request;
        next_ = 0;
        underWay_ = bodies.count > 0;
        bodies_ = {.x = bodies.axis[0],
                   .y = bodies.axis[1],
                   .z = bodies.axis[2],
                   .vx = usesVelocities_ ? bodies.velocity[0] : nullptr,
                   .vy = usesVelocities_ ? bodies.velocity[1] : nullptr,
                   .vz = usesVelocities_ ? bodies.velocity[2] : nullptr,
                   .source = bodies.source,
                   .response = bodies.response,
                   .count = bodies.count,
                   .time = request.time};
    }
    ForceProgress enqueue(double seconds) override {
        const std::size_t from = next_;
        const HostSums<T> out{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()};
        const auto pieces = static_cast<std::int64_t>((bodies_.count + grain_ - 1) / grain_);
        auto piece = [&](std::int64_t index) {
            const std::size_t first = static_cast<std::size_t>(index) * grain_;
            kernel_->compute(bodies_, first, std::min(first + grain_, bodies_.count), out);
        };
        const std::int64_t reached =
            pool_.run(static_cast<std::int64_t>(next_ / grain_), pieces, deadlineAfter(seconds), piece);
        next_ = std::min(static_cast<std::size_t>(reached) * grain_, bodies_.count);
        underWay_ = next_ < bodies_.count;
        return {.complete = !underWay_, .work = {.pairs = kernel_->interactions(from, next_)}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override {
        return underWay_ ? static_cast<double>(next_) / static_cast<double>(bodies_.count) : 0;
    }
    void abandon() override { underWay_ = false; }
    cpu::CpuForceSums<T> sums() const override {
        return {{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()}, 1};
    }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    std::unique_ptr<HostKernel<T>> kernel_;
    ThreadPool& pool_;
    VectorArrays<T> sums_;
    std::size_t grain_;
    bool usesVelocities_;
    HostBodies<T> bodies_{};
    ForceRequest request_;
    std::size_t next_ = 0;
    bool underWay_ = false;
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
