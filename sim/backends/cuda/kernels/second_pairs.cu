#include "sim/backends/cuda/kernels/second_pairs.h"

#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

template <class Real>
__global__ void countSources(CountSourcesTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.paddedCount) return;
    Vector<Real> body = asVectors(task.bodies)[i];
    if (task.sources == PairSources::alike) body.w = body.w != 0 ? Real(1) : Real(0);
    asVectors(task.counted)[i] = body;
}

template <class Real>
__global__ void takeOwnSums(OwnSumsTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    Real x = 0, y = 0, z = 0;
    for (std::uint32_t range = 0; range < task.ranges; ++range) {
        const Vector<Real> part = asVectors(task.pairs)[static_cast<std::size_t>(range) * task.count + i];
        x += part.x;
        y += part.y;
        z += part.z;
    }
    const Real own = task.bodies[i].w, share = task.sources == PairSources::own ? task.factor
                                               : own != 0                       ? task.factor / own
                                                                                : Real(0);
    asVectors(task.sums)[i] = {share * x, share * y, share * z, 0};
}

/// Adds the pull of `source` under gravity's loops to the sum that it is given, and that of a second law to its own.
template <class Real, class Law>
struct TwoPulls {
    Real softeningSquared;
    const Law& law;
    Real endSquared;
    Vec3<Real>& part;  ///< of the second law, over a chunk of sources
    double (&sum)[3];  ///< of the second law

    __device__ __forceinline__ void operator()(Vec3<Real>& first, const Vector<Real>& target,
                                               const Vector<Real>& source) const {
        const Real dx = source.x - target.x;
        const Real dy = source.y - target.y;
        const Real dz = source.z - target.z;
        const Real squared = fma(dz, dz, fma(dy, dy, dx * dx));
        const Real inverse = inverseRoot(squared + softeningSquared);
        const Real strength = source.w * inverse * (inverse * inverse);
        first.x = fma(dx, strength, first.x);
        first.y = fma(dy, strength, first.y);
        first.z = fma(dz, strength, first.z);
        // Most pairs of a law that ends are beyond its end, and then their warps skip the rest.
        if (squared >= endSquared) return;
        const Real second = source.w != 0 ? law.forceOverDistance(squared) : Real(0);
        part.x = fma(dx, second, part.x);
        part.y = fma(dy, second, part.y);
        part.z = fma(dz, second, part.z);
    }
    __device__ __forceinline__ void endChunk() const {
        accumulate(sum, part);
        part = {};
    }
};

template <class Real, class Law, int kUnroll>
__global__ __launch_bounds__(kTwoLawsThreads, 1) void twoLaws(TwoLawsTask<Real, Law> task) {
    extern __shared__ unsigned char shared[];
    ForceTask<Real> second = task.first;
    second.sums = task.sums;
    second.carry = task.carry;
    const std::uint32_t held = min(blockIdx.x * blockDim.x + threadIdx.x, second.targetCount - 1);
    Vec3<Real> part{};
    double sum[3];
    for (int axis = 0; axis < 3; ++axis)
        sum[axis] = second.resumes ? second.carry[(3ull * blockIdx.y + axis) * second.targetCount + held] : 0.0;
    TiledTargets<Real, kUnroll, 1> targets;
    targets.gather(task.first, reinterpret_cast<Vector<Real>*>(shared),
                   TwoPulls<Real, Law>{task.first.softeningSquared, task.law, task.endSquared, part, sum});
    if (targets.firstTarget >= task.first.targetCount) return;
    storeSum(task.first, targets.firstTarget, targets.sum[0], task.first.stride);
    storeSum(second, targets.firstTarget, sum, second.stride);
}

template <class Real, class Law>
Kernel<TwoLawsTask<Real, Law>> unrolledTwoLaws(int unroll) {
    return FewUnrolls::pick(unroll, [](auto factor) { return kernelOf(twoLaws<Real, Law, factor()>); });
}

}  // namespace

template <class Real, template <class> class... PairLaws>
std::tuple<Kernel<TwoLawsTask<Real, PairLaws<Real>>>...> TwoLawsKernels<Real, LawList<PairLaws...>>::of(int unroll) {
    return {unrolledTwoLaws<Real, PairLaws<Real>>(unroll)...};
}
template struct TwoLawsKernels<float, OtherLoopLaws>;
template struct TwoLawsKernels<double, OtherLoopLaws>;

template <class Real>
Kernel<CountSourcesTask<Real>> countSourcesKernel() {
    return kernelOf(countSources<Real>);
}
template Kernel<CountSourcesTask<float>> countSourcesKernel();
template Kernel<CountSourcesTask<double>> countSourcesKernel();

template <class Real>
Kernel<OwnSumsTask<Real>> ownSumsKernel() {
    return kernelOf(takeOwnSums<Real>);
}
template Kernel<OwnSumsTask<float>> ownSumsKernel();
template Kernel<OwnSumsTask<double>> ownSumsKernel();

}  // namespace gravlab::cuda
