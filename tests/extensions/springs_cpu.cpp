// Springs on the CPU, and reading them from a file.
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"
#include "springs.h"

#include <algorithm>

namespace gravlab::extension {
namespace {

// Small, so that forces of some hundred bodies need several slices; it is the block of one kernel.
constexpr int kBodiesPerSlice = 64;
constexpr int kBlocks[] = {16, 64, 256};

template <class T>
class CpuSprings final : public cpu::CpuForceMethod<T> {
public:
    /// `strength`: 1, except in a method that is wrong on purpose.
    CpuSprings(const Springs& springs, const cpu::MethodContext& context, T strength)
        : all_(springs.endsOf(context.ids)),
          sums_(context.bodies),
          strength_(strength),
          slice_(static_cast<std::size_t>(context.launch.block)) {}

    void prepare(const cpu::CpuBodies<T>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        next_ = 0;
        underWay_ = bodies.count > 0;
    }
    ForceProgress enqueue(double seconds) override {
        const std::size_t end = seconds < 1 ? std::min(next_ + slice_, bodies_.count) : bodies_.count;
        const std::size_t from = next_;
        for (; next_ < end; ++next_) pull(next_);
        underWay_ = next_ < bodies_.count;
        return {.complete = !underWay_, .work = {.pairs = static_cast<double>(all_.first[end] - all_.first[from])}};
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
    void pull(std::size_t i) {
        T sum[3]{};
        for (std::uint32_t e = all_.first[i]; bodies_.source[i] != 0 && e < all_.first[i + 1]; ++e) {
            const SpringEnd& end = all_.ends[e];
            T apart[3], squared = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                apart[axis] = bodies_.axis[axis][end.other] - bodies_.axis[axis][i];
                squared += apart[axis] * apart[axis];
            }
            const T distance = std::sqrt(squared);
            if (!(distance > 0)) continue;
            const T pull = strength_ * static_cast<T>(end.stiffness) * (distance - static_cast<T>(end.length)) /
                           (distance * bodies_.source[i]);
            for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += pull * apart[axis];
        }
        for (std::size_t axis = 0; axis < 3; ++axis) sums_.axis[axis][i] = sum[axis];
    }

    SpringEnds all_;
    VectorArrays<T> sums_;
    T strength_;
    std::size_t slice_;
    cpu::CpuBodies<T> bodies_;
    ForceRequest request_;
    std::size_t next_ = 0;
    bool underWay_ = false;
};

/// In thousandths: a template argument that every compiler accepts.
template <class T, int kStrength>
std::unique_ptr<cpu::CpuForceMethod<T>> make(const ForceTerm& term, const cpu::MethodContext& context) {
    return std::make_unique<CpuSprings<T>>(static_cast<const Springs&>(term), context, static_cast<T>(kStrength) / 1000);
}

const bool kKnown = addTermKind({Springs::kKind, Springs::make, "springs between named bodies", Springs::example});
const bool kWrong = cpu::CpuTermMethods::add({.row = {.backend = "cpu",
                                                      .term = Springs::kKind,
                                                      .name = "wrong",
                                                      .idea = "a thousandth too strong: checks must notice",
                                                      .usual = {.block = kBodiesPerSlice}},
                                              .fp32 = make<float, 1001>,
                                              .fp64 = make<double, 1001>});
const bool kBlock = cpu::CpuTermMethods::add({.row = {.backend = "cpu",
                                                      .term = Springs::kKind,
                                                      .name = "blocks",
                                                      .idea = "as many bodies at a time as the block says",
                                                      .blocks = {16, 256},
                                                      .blockSizes = kBlocks,
                                                      .usual = {.block = 256}},
                                              .fp32 = make<float, 1000>,
                                              .fp64 = make<double, 1000>});
const bool kRight = cpu::CpuTermMethods::add({.row = {.backend = "cpu",
                                                      .term = Springs::kKind,
                                                      .name = "list",
                                                      .idea = "each body goes through its springs",
                                                      .usual = {.block = kBodiesPerSlice}},
                                              .fp32 = make<float, 1000>,
                                              .fp64 = make<double, 1000>});

}  // namespace
}  // namespace gravlab::extension
