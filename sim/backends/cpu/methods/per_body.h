// A method for forces on each body by itself: slices of bodies, on all threads.
// Rule: each body's sum is independent of the others, so neither slices nor threads change a bit.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"

#include <algorithm>

namespace gravlab::cpu {

/// `Rule` is made from the term and the context, and has begin(bodies, request), pull(bodies, i), the acceleration of body i
/// without its response [L/T^2], and perBody(), the interactions that a body counts for.
template <class T, class Rule>
class PerBodyMethod final : public CpuForceMethod<T> {
public:
    PerBodyMethod(const ForceTerm& term, const MethodContext& context)
        : rule_(term, context), pool_(context.pool), sums_(context.bodies) {}

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        next_ = 0;
        underWay_ = bodies.count > 0;
        rule_.begin(bodies, request);
    }
    ForceProgress enqueue(double seconds) override {
        // About 0.1 ms of a field on one core.
        constexpr std::size_t kGrain = 4096;
        const std::size_t from = next_;
        const auto range = [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) {
                const Vec3<T> a = rule_.pull(bodies_, i);
                sums_.axis[0][i] = a.x;
                sums_.axis[1][i] = a.y;
                sums_.axis[2][i] = a.z;
            }
        };
        const auto pieces = static_cast<std::int64_t>((bodies_.count + kGrain - 1) / kGrain);
        auto piece = [&](std::int64_t index) {
            const std::size_t first = static_cast<std::size_t>(index) * kGrain;
            range(first, std::min(first + kGrain, bodies_.count));
        };
        if (bodies_.count <= kTinyBodies) {
            range(0, bodies_.count);
            next_ = bodies_.count;
        } else {
            const std::int64_t reached =
                pool_.run(static_cast<std::int64_t>(next_ / kGrain), pieces, deadlineAfter(seconds), piece);
            next_ = std::min(static_cast<std::size_t>(reached) * kGrain, bodies_.count);
        }
        underWay_ = next_ < bodies_.count;
        return {.complete = !underWay_, .work = {.pairs = static_cast<double>(next_ - from) * rule_.perBody()}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override {
        return underWay_ ? static_cast<double>(next_) / static_cast<double>(bodies_.count) : 0;
    }
    void abandon() override { underWay_ = false; }
    CpuForceSums<T> sums() const override { return {{sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()}, 1}; }
    Accuracy accuracy() const override { return {.gate = sizeof(T) == sizeof(float) ? kGate32 : kGate64}; }

private:
    Rule rule_;
    ThreadPool& pool_;
    VectorArrays<T> sums_;
    CpuBodies<T> bodies_;
    ForceRequest request_;
    std::size_t next_ = 0;
    bool underWay_ = false;
};

template <class T, template <class> class Rule>
std::unique_ptr<CpuForceMethod<T>> makePerBody(const ForceTerm& term, const MethodContext& context) {
    return std::make_unique<PerBodyMethod<T, Rule<T>>>(term, context);
}

}  // namespace gravlab::cpu
