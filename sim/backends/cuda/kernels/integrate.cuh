// The operations of a step on one body, in registers; shared by kernels that run only operations and kernels that run them
// after a force.
#pragma once
#include "sim/backends/cuda/kernels/integrate.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/integrators/apply_op.h"
#include "sim/integrators/block_steps.h"

namespace gravlab::cuda {

/// base + weight * slope on x, y, z; one rounding an axis.
template <class V, class Real>
__device__ __forceinline__ V axpy(const V& base, Real weight, const V& slope) {
    return {fma(weight, slope.x, base.x), fma(weight, slope.y, base.y), fma(weight, slope.z, base.z), base.w};
}

/// The assignments of applyOp() on one body's vectors, with one rounding each; w stays.
struct FusedArithmetic {
    template <class V, class Real>
    __device__ __forceinline__ void add(V& to, Real factor, const V& slope) const {
        to = axpy(to, factor, slope);
    }
    template <class V, class Real>
    __device__ __forceinline__ void set(V& to, const V& base, Real factor, const V& slope) const {
        to = axpy(base, factor, slope);
    }
    template <class V>
    __device__ __forceinline__ void copy(V& to, const V& from) const {
        to = from;
    }
    template <class V>
    __device__ __forceinline__ void clear(V& to) const {
        to = {};
    }
};

template <class Packed, class V>
__device__ __forceinline__ void storeIfSet(Packed* to, std::uint32_t i, const V& value) {
    if (to) asVectors(to)[i] = value;
}

template <class V>
__device__ __forceinline__ auto squared(const V& a) {
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

template <class V>
__device__ float shownValue(VertexValue shown, const V& x, const V& v, const V& a) {
    switch (shown) {
        case VertexValue::acceleration:
            return static_cast<float>(sqrt(squared(a)));
        case VertexValue::kineticEnergy:
            return static_cast<float>(x.w * squared(v) / 2);
        case VertexValue::source:
            return static_cast<float>(x.w);
        case VertexValue::speed:
            break;
    }
    return static_cast<float>(sqrt(squared(v)));
}

/// Runs the task's operations on body `i`, whose force is `a`. kBlocks: the operations may be those of block steps.
template <class Real, bool kBlocks = false>
__device__ __forceinline__ void runOperations(const IntegrateTask<Real>& task, std::uint32_t i, const Vector<Real>& a) {
    using V = Vector<Real>;
    storeIfSet(task.force, i, a);
    if (task.steps == 0 && task.end < 0) return;

    StepRegisters<V> r{.x = asVectors(task.x)[i], .v = asVectors(task.v)[i], .a = a};
    if (task.usesScratch) {
        r.x0 = asVectors(task.x0)[i];
        r.v0 = asVectors(task.v0)[i];
        r.dx = asVectors(task.dx)[i];
        r.dv = asVectors(task.dv)[i];
    }
    const int level = kBlocks ? task.levels[i] : 0;
    const Real shorter = ownShare<Real>(level);
    for (int k = 0;; ++k) {
        if (k == task.end) {
            storeIfSet(task.endX, i, r.x);
            storeIfSet(task.endV, i, r.v);
            storeIfSet(task.endA, i, a);
            if (task.vertices)
                reinterpret_cast<float4*>(task.vertices)[i] = {static_cast<float>(r.x.x), static_cast<float>(r.x.y),
                                                               static_cast<float>(r.x.z),
                                                               shownValue(task.shown, r.x, r.v, a)};
        }
        if (k == task.steps) break;
        const IntegrateStep<Real>& step = task.step[k];
        if (!kBlocks || !isOfBlocks(step.op))
            applyOp(step.op, step.factor, r, FusedArithmetic());
        else if (level >= step.least)
            applyOp(step.op, shorter * step.factor, r, FusedArithmetic());
    }
    if (task.usesScratch) {
        storeIfSet(task.x0, i, r.x0);
        storeIfSet(task.v0, i, r.v0);
        storeIfSet(task.dx, i, r.dx);
        storeIfSet(task.dv, i, r.dv);
    }
    storeIfSet(task.outX, i, r.x);
    storeIfSet(task.outV, i, r.v);
}

}  // namespace gravlab::cuda
