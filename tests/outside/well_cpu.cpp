// The well on the CPU, and reading it from a file.
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "well.h"

namespace outside {
namespace {

using namespace gravlab;

template <class T>
class CpuWell final : public cpu::CpuForceMethod<T> {
public:
    CpuWell(const Well& well, const cpu::MethodContext& context)
        : pool_(context.pool), sums_(context.bodies), stiffness_(static_cast<T>(well.stiffness())) {}

    void prepare(const cpu::CpuBodies<T>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
    }
    ForceProgress enqueue(double) override {
        constexpr std::size_t kGrain = 4096;
        pool_.forRange(bodies_.count, kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (std::size_t i = first; i < last; ++i) sums_.axis[axis][i] = -stiffness_ * bodies_.axis[axis][i];
        });
        return {.complete = true, .work = {.pairs = static_cast<double>(bodies_.count)}};
    }
    bool underWay() const override { return false; }
    double progress() const override { return 0; }
    void abandon() override {}
    cpu::CpuForceSums<T> sums() const override {
        return {{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()}, 1};
    }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }

private:
    ThreadPool& pool_;
    VectorArrays<T> sums_;
    T stiffness_;
    cpu::CpuBodies<T> bodies_;
    ForceRequest request_;
};

template <class T>
std::unique_ptr<cpu::CpuForceMethod<T>> make(const ForceTerm& term, const cpu::MethodContext& context) {
    return std::make_unique<CpuWell<T>>(static_cast<const Well&>(term), context);
}

const bool kKnown = addTermKind({Well::kKind, Well::make, "a harmonic well about the origin", Well::example});
const bool kRow = cpu::CpuTermMethods::add(
    {.row = {.backend = "cpu", .term = Well::kKind, .name = "rows", .idea = "each thread takes some thousand bodies"},
     .fp32 = make<float>,
     .fp64 = make<double>});

}  // namespace
}  // namespace outside
