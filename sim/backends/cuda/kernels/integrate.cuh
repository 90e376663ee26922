// The operations of a pass on one body, in registers; shared by the pass and the kernels that end with one.
#pragma once
#include "sim/backends/cuda/kernels/integrate.h"
#include "sim/backends/cuda/kernels/pair.cuh"

namespace gravlab::cuda {

/// base + weight * slope on x, y, z; one rounding an axis.
template <class V, class Real>
__device__ __forceinline__ V advanced(const V& base, Real weight, const V& slope) {
    return {fma(weight, slope.x, base.x), fma(weight, slope.y, base.y), fma(weight, slope.z, base.z), base.w};
}

template <class Packed, class V>
__device__ __forceinline__ void store(Packed* to, std::uint32_t i, const V& value) {
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

/// Runs the task's operations on body `i`, whose force is `a`.
template <class Real>
__device__ __forceinline__ void runOperations(const IntegrateTask<Real>& task, std::uint32_t i, const Vector<Real>& a) {
    using V = Vector<Real>;
    store(task.force, i, a);
    if (task.steps == 0 && task.end < 0) return;

    V x = asVectors(task.x)[i], v = asVectors(task.v)[i];
    V x0 = {}, v0 = {}, dx = {}, dv = {};
    if (task.usesScratch) {
        x0 = asVectors(task.x0)[i];
        v0 = asVectors(task.v0)[i];
        dx = asVectors(task.dx)[i];
        dv = asVectors(task.dv)[i];
    }
    for (int k = 0;; ++k) {
        if (k == task.end) {
            store(task.endX, i, x);
            store(task.endV, i, v);
            store(task.endA, i, a);
            if (task.vertices)
                reinterpret_cast<float4*>(task.vertices)[i] = {static_cast<float>(x.x), static_cast<float>(x.y),
                                                               static_cast<float>(x.z), shownValue(task.shown, x, v, a)};
        }
        if (k == task.steps) break;
        const Real weight = task.step[k].weight;
        switch (task.step[k].op) {
            case Op::kick:
                v = advanced(v, weight, a);
                break;
            case Op::drift:
                x = advanced(x, weight, v);
                break;
            case Op::save:
                x0 = x;
                v0 = v;
                dx = dv = {};
                break;
            case Op::combine:
                dx = advanced(dx, weight, v);
                dv = advanced(dv, weight, a);
                break;
            case Op::stage:
                x = advanced(x0, weight, v);
                v = advanced(v0, weight, a);
                break;
            case Op::finish:
                x = advanced(x0, weight, dx);
                v = advanced(v0, weight, dv);
                break;
            case Op::force:
            case Op::predict:
            case Op::correct:
            case Op::adaptive:
                break;  // refused on the host
        }
    }
    if (task.usesScratch) {
        store(task.x0, i, x0);
        store(task.v0, i, v0);
        store(task.dx, i, dx);
        store(task.dv, i, dv);
    }
    store(task.outX, i, x);
    store(task.outV, i, v);
}

}  // namespace gravlab::cuda
