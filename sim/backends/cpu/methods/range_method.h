// Methods that sum each body by itself: slices of bodies, on all threads.
// Rule: each body's sum is independent of the others, so neither slices nor threads change a bit.
#pragma once
#include "sim/backends/cpu/aligned_array.h"
#include "sim/backends/cpu/methods/cpu_method.h"

#include <algorithm>

namespace gravlab::cpu {

/// Threads take ranges of bodies, up to `grain` at a time.
template <class T>
class RangeMethod : public CpuForceMethod<T> {
public:
    RangeMethod(const MethodContext& context, std::size_t grain)
        : pool_(context.pool), sums_(context.bodies), grain_(grain) {}

    void prepare(const CpuBodies<T>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        next_ = 0;
        underWay_ = bodies.count > 0;
        begin();
    }
    ForceProgress enqueue(double seconds) override {
        const std::size_t from = next_, count = bodies_.count;
        auto piece = [&](std::int64_t index) {
            const std::size_t first = static_cast<std::size_t>(index) * grain_;
            sum(first, std::min(first + grain_, count));
        };
        const auto begun = static_cast<std::int64_t>(next_ / grain_),
                   pieces = static_cast<std::int64_t>((count + grain_ - 1) / grain_);
        const Deadline deadline = deadlineAfter(seconds);
        const std::int64_t reached = count <= kTinyBodies ? ThreadPool::runHere(begun, pieces, deadline, piece)
                                                          : pool_.run(begun, pieces, deadline, piece);
        next_ = std::min(static_cast<std::size_t>(reached) * grain_, count);
        underWay_ = next_ < count;
        return {.complete = !underWay_, .work = {.pairs = interactions(from, next_)}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override {
        return underWay_ ? static_cast<double>(next_) / static_cast<double>(bodies_.count) : 0;
    }
    void abandon() override { underWay_ = false; }
    CpuForceSums<T> sums() const override { return {sums_.data(), 1}; }

protected:
    /// Called before the first range of an evaluation.
    virtual void begin() {}
    /// Writes the sums of bodies [first, last).
    virtual void sum(std::size_t first, std::size_t last) = 0;
    virtual double interactions(std::size_t first, std::size_t last) const = 0;

    void store(std::size_t i, const Vec3<T>& sum) {
        sums_.axis[0][i] = sum.x, sums_.axis[1][i] = sum.y, sums_.axis[2][i] = sum.z;
    }

    ThreadPool& pool_;
    VectorArrays<T> sums_;
    CpuBodies<T> bodies_;
    ForceRequest request_;

private:
    std::size_t grain_, next_ = 0;
    bool underWay_ = false;
};

/// `Rule` is made from the term and the context, and has begin(bodies, request), pull(bodies, i), the acceleration of body i
/// without its response [L/T^2], and perBody(), the interactions that a body counts for.
template <class T, class Rule>
class PerBodyMethod final : public RangeMethod<T> {
public:
    PerBodyMethod(const ForceTerm& term, const MethodContext& context)
        : RangeMethod<T>(context, kGrain), rule_(term, context) {}
    Accuracy accuracy() const override { return {.gate = sizeof(T) == sizeof(float) ? kGate32 : kGate64}; }

private:
    // About 0.1 ms of a field on one core.
    static constexpr std::size_t kGrain = 4096;
    void begin() override { rule_.begin(this->bodies_, this->request_); }
    void sum(std::size_t first, std::size_t last) override {
        for (std::size_t i = first; i < last; ++i) this->store(i, rule_.pull(this->bodies_, i));
    }
    double interactions(std::size_t first, std::size_t last) const override {
        return static_cast<double>(last - first) * rule_.perBody();
    }

    Rule rule_;
};

template <class T, template <class> class Rule>
std::unique_ptr<CpuForceMethod<T>> makePerBody(const ForceTerm& term, const MethodContext& context) {
    return std::make_unique<PerBodyMethod<T, Rule<T>>>(term, context);
}

}  // namespace gravlab::cpu
