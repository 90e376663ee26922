// Tiles under the laws whose pull is not gravity's: the power law of any exponent, Lennard-Jones. One body a thread.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

template <class Real, class Law, int kUnroll>
__global__ __launch_bounds__(512, 1) void lawForce(LawTask<Real, Law> task) {
    extern __shared__ unsigned char shared[];
    TiledTargets<Real, kUnroll, 1> targets;
    targets.gather(task.force, reinterpret_cast<Vector<Real>*>(shared), LawPull<Real, Law>{task.law});
    if (targets.firstTarget < task.force.targetCount) storeSum(task.force, targets.firstTarget, targets.sum[0]);
}

/// a_i = sign * response_i * the sum of body i's ranges, in place of the sum.
template <class Real>
__global__ void respond(RespondTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    double sum[3] = {};
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const Vector<Real> a = asVectors(task.sums)[static_cast<std::size_t>(range) * task.count + i];
        sum[0] += a.x;
        sum[1] += a.y;
        sum[2] += a.z;
    }
    const double response = task.sign * static_cast<double>(task.velocities[i].w);
    asVectors(task.out)[i] = {static_cast<Real>(response * sum[0]), static_cast<Real>(response * sum[1]),
                              static_cast<Real>(response * sum[2]), 0};
}

template <class Real, class Law>
const void* ofUnroll(int unroll) {
    switch (unroll) {
        case 1:
            return reinterpret_cast<const void*>(lawForce<Real, Law, 1>);
        case 2:
            return reinterpret_cast<const void*>(lawForce<Real, Law, 2>);
        case 4:
            return reinterpret_cast<const void*>(lawForce<Real, Law, 4>);
        case 8:
            return reinterpret_cast<const void*>(lawForce<Real, Law, 8>);
        case 16:
            return reinterpret_cast<const void*>(lawForce<Real, Law, 16>);
        case 32:
            return reinterpret_cast<const void*>(lawForce<Real, Law, 32>);
        default:
            return nullptr;
    }
}

}  // namespace

template <class Real>
const void* lawKernel(Law law, int unroll) {
    switch (law) {
        case Law::powerLaw:
            return ofUnroll<Real, PowerLaw<Real>>(unroll);
        case Law::lennardJones:
            return ofUnroll<Real, LennardJones<Real>>(unroll);
        case Law::gravity:
        case Law::coulomb:
            break;
    }
    return nullptr;
}
template const void* lawKernel<float>(Law law, int unroll);
template const void* lawKernel<double>(Law law, int unroll);

template <>
const void* respondKernel<float>() {
    return reinterpret_cast<const void*>(respond<float>);
}
template <>
const void* respondKernel<double>() {
    return reinterpret_cast<const void*>(respond<double>);
}

}  // namespace gravlab::cuda
