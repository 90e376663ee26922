// Tiled kernels of the laws whose loops are not gravity's. A thread has one body.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

template <class Real, class Law, int kUnroll>
__global__ __launch_bounds__(512, 1) void lawForce(LawTask<Real, Law> task) {
    extern __shared__ unsigned char shared[];
    TiledTargets<Real, kUnroll, 1> targets;
    targets.gather(task.force, reinterpret_cast<Vector<Real>*>(shared), LawPull<Real, Law>{task.law});
    if (targets.firstTarget < task.force.targetCount)
        storeSum(task.force, targets.firstTarget, targets.sum[0], task.force.stride);
}

template <class Real, class Law>
Kernel<LawTask<Real, Law>> unrolledKernel(int unroll) {
    return Unrolls::pick(unroll, [](auto factor) { return kernelOf(lawForce<Real, Law, factor()>); });
}

/// a_i = sign * response_i * the sum of body i's ranges, in place of the sum or added to the output.
template <class Real>
__global__ void respond(RespondTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count || !task.active.has(i)) return;
    double sum[3] = {};
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const Vector<Real> a = asVectors(task.sums)[static_cast<std::size_t>(range) * task.count + i];
        sum[0] += a.x;
        sum[1] += a.y;
        sum[2] += a.z;
    }
    const double response = task.velocities ? task.sign * static_cast<double>(task.velocities[i].w) : task.sign;
    Vector<Real> a = {static_cast<Real>(response * sum[0]), static_cast<Real>(response * sum[1]),
                      static_cast<Real>(response * sum[2]), 0};
    if (task.adds) {
        const Vector<Real> before = asVectors(task.out)[i];
        a = {before.x + a.x, before.y + a.y, before.z + a.z, 0};
    }
    asVectors(task.out)[i] = a;
}

}  // namespace

template <class Real, template <class> class... PairLaws>
std::tuple<Kernel<LawTask<Real, PairLaws<Real>>>...> LawKernels<Real, LawList<PairLaws...>>::of(int unroll) {
    return {unrolledKernel<Real, PairLaws<Real>>(unroll)...};
}
template struct LawKernels<float, OtherLoopLaws>;
template struct LawKernels<double, OtherLoopLaws>;

template <class Real>
Kernel<RespondTask<Real>> respondKernel() {
    return kernelOf(respond<Real>);
}
template Kernel<RespondTask<float>> respondKernel();
template Kernel<RespondTask<double>> respondKernel();

}  // namespace gravlab::cuda
