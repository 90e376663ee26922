// Runs the operations between two forces, body by body, in registers.
#include "sim/cuda/pass.h"

namespace gravlab::cuda {
namespace {

__device__ __forceinline__ float4 asVector(const Float4& value) { return reinterpret_cast<const float4&>(value); }

/// base + weight * slope on x, y, z; one rounding an axis.
__device__ __forceinline__ float4 advanced(const float4& base, float weight, const float4& slope) {
    return {fmaf(weight, slope.x, base.x), fmaf(weight, slope.y, base.y), fmaf(weight, slope.z, base.z), base.w};
}

__device__ __forceinline__ void store(Float4* to, std::uint32_t i, const float4& value) {
    if (to) reinterpret_cast<float4*>(to)[i] = value;
}

__device__ __forceinline__ float squared(const float4& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

__device__ float shownValue(VertexValue shown, const float4& x, const float4& v, const float4& a) {
    switch (shown) {
        case VertexValue::acceleration:
            return sqrtf(squared(a));
        case VertexValue::kineticEnergy:
            return 0.5f * x.w * squared(v);
        case VertexValue::source:
            return x.w;
        case VertexValue::speed:
            break;
    }
    return sqrtf(squared(v));
}

/// The force on body `i`: its ranges summed in double by the body's threads, in an order that depends on their number alone.
__device__ float4 summedForce(const PassTask& task, std::uint32_t i, unsigned lane, bool inside) {
    extern __shared__ double part[];  // [axis][thread]
    const unsigned lanes = blockDim.x / task.bodiesPerBlock;
    double sum[3] = {};
    if (inside)
        for (std::uint32_t range = lane; range < task.ranges; range += lanes) {
            const float4 a = asVector(task.sums[static_cast<std::size_t>(range) * task.count + i]);
            sum[0] += a.x;
            sum[1] += a.y;
            sum[2] += a.z;
        }
    if (lanes > 1) {
        for (int axis = 0; axis < 3; ++axis) part[axis * blockDim.x + threadIdx.x] = sum[axis];
        __syncthreads();
        if (lane == 0)
            for (unsigned l = 1; l < lanes; ++l)
                for (int axis = 0; axis < 3; ++axis)
                    sum[axis] += part[axis * blockDim.x + l * task.bodiesPerBlock + threadIdx.x];
    }
    return {static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]), 0};
}

__global__ void runPass(PassTask task) {
    const unsigned lane = threadIdx.x / task.bodiesPerBlock;
    const std::uint32_t i = blockIdx.x * task.bodiesPerBlock + (threadIdx.x - lane * task.bodiesPerBlock);
    const bool inside = i < task.count;
    float4 a = {};
    if (task.ranges > 1)
        a = summedForce(task, i, lane, inside);
    else if (task.ranges == 1 && inside)
        a = asVector(task.sums[i]);
    if (!inside || lane > 0) return;
    store(task.force, i, a);
    if (task.steps == 0) return;

    float4 x = asVector(task.x[i]), v = asVector(task.v[i]);
    float4 x0 = {}, v0 = {}, dx = {}, dv = {};
    if (task.usesScratch) {
        x0 = asVector(task.x0[i]);
        v0 = asVector(task.v0[i]);
        dx = asVector(task.dx[i]);
        dv = asVector(task.dv[i]);
    }
    for (int k = 0; k < task.steps; ++k) {
        const float weight = task.step[k].weight;
        switch (task.step[k].op) {
            case PassOp::kick:
                v = advanced(v, weight, a);
                break;
            case PassOp::drift:
                x = advanced(x, weight, v);
                break;
            case PassOp::save:
                x0 = x;
                v0 = v;
                dx = dv = {};
                break;
            case PassOp::combine:
                dx = advanced(dx, weight, v);
                dv = advanced(dv, weight, a);
                break;
            case PassOp::stage:
                x = advanced(x0, weight, v);
                v = advanced(v0, weight, a);
                break;
            case PassOp::finish:
                x = advanced(x0, weight, dx);
                v = advanced(v0, weight, dv);
                break;
            case PassOp::end:
                store(task.endX, i, x);
                store(task.endV, i, v);
                store(task.endA, i, a);
                if (task.vertices)
                    reinterpret_cast<float4*>(task.vertices)[i] = {x.x, x.y, x.z, shownValue(task.shown, x, v, a)};
                break;
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

}  // namespace

const void* passKernel() { return reinterpret_cast<const void*>(runPass); }

}  // namespace gravlab::cuda
