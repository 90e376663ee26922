// A method of the pair law that no file of the program names, with its own state and accuracy: a ten-thousandth of each
// force is still the previous one. With trailing_cuda.cu the addition is complete.
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"

#include <algorithm>

namespace gravlab::extension {
namespace {

template <class T>
class CpuTrailing final : public cpu::CpuForceMethod<T> {
public:
    CpuTrailing(const cpu::MethodContext& context, Precision precision)
        : exact_(cpu::makeMethod<T>(cpu::cpuKernel(kernel("cpu", "simd-threads")), precision, context)),
          last_(context.bodies),
          sums_(context.bodies),
          count_(context.bodies) {}

    void prepare(const cpu::CpuBodies<T>& bodies, const ForceRequest& request) override { exact_->prepare(bodies, request); }
    ForceProgress enqueue(double seconds) override {
        const ForceProgress progress = exact_->enqueue(seconds);
        if (!progress.complete) return progress;
        const cpu::CpuForceSums<T> now = exact_->sums();
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t i = 0; i < count_; ++i) {
                const T a = now.axis[axis][i];
                sums_.axis[axis][i] = a + static_cast<T>(1e-4) * (last_.axis[axis][i] - a);
                last_.axis[axis][i] = a;
            }
        return progress;
    }
    bool underWay() const override { return exact_->underWay(); }
    double progress() const override { return exact_->progress(); }
    void abandon() override { exact_->abandon(); }
    cpu::CpuForceSums<T> sums() const override {
        return {{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()}, exact_->sums().factor};
    }
    Accuracy accuracy() const override { return {.gate = {.median = 1e-3, .p999 = 1e-2}, .allowedError = 1e-3}; }
    bool keepsState() const override { return true; }
    std::vector<StateArray> state() const override {
        std::vector<StateArray> arrays{{"x", {}}, {"y", {}}, {"z", {}}};
        for (std::size_t axis = 0; axis < 3; ++axis)
            arrays[axis].values.assign(last_.axis[axis].data(), last_.axis[axis].data() + count_);
        return arrays;
    }
    bool restore(const std::vector<StateArray>& state) override {
        if (state.size() != 3) return false;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (state[axis].values.size() != count_) return false;
            std::transform(state[axis].values.begin(), state[axis].values.end(), last_.axis[axis].data(),
                           [](double value) { return static_cast<T>(value); });
        }
        return true;
    }

private:
    std::unique_ptr<cpu::CpuForceMethod<T>> exact_;
    VectorArrays<T> last_, sums_;
    std::size_t count_;
};

template <class T, Precision kPrecision>
std::unique_ptr<cpu::CpuForceMethod<T>> make(const cpu::MethodContext& context) {
    return std::make_unique<CpuTrailing<T>>(context, kPrecision);
}

const bool kThere = cpu::CpuKernels::add(
    {.row = {.backend = "cpu",
             .name = "trailing",
             .idea = "a ten-thousandth of each force is the one before",
             .approximates = true,
             .keeps = [](const ForceSettings&, double, double) { return 1e-3; }},
     .sharesWork = true,
     .fp32 = make<float, Precision::fp32>,
     .mixed = make<double, Precision::mixed>,
     .fp64 = make<double, Precision::fp64>,
     .bytes = [](std::size_t bodies, const ForceSettings&) { return 96.0 * static_cast<double>(bodies); }});

}  // namespace
}  // namespace gravlab::extension
