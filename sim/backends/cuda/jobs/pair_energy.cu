// Energies of all pairs. Rule: it uses no code of the force kernels, so that it cannot hide their loss of energy.
#include "sim/backends/cuda/jobs/measure.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/forces/law.h"

#include <cfloat>
#include <type_traits>

namespace gravlab::cuda {
namespace {

/// A body with more than this fraction of all sources has its pairs in double: a sum of few strong pairs does not average
/// its rounding away.
constexpr double kHeavyShare = 1.0 / 1024;

// Most bodies with all pairs in double: these cost less than a millisecond, and few terms would not average the rounding of
// single precision away.
constexpr std::uint32_t kDoublePairs = 16384;
/// The law of pairs of light bodies where the task requests `Pair`.
template <template <class> class PairLaw, class Pair>
using PairRealOf = std::conditional_t<PairLaw<double>::kSingleEnergy, Pair, double>;

/// 1 / sqrt(x), exact to the last bit but one: the hardware's estimate alone would bias a sum of many pairs.
__device__ __forceinline__ float closeInverseRoot(float x) {
    const float y = inverseRoot(x);
    return fmaf(0.5f * y, fmaf(-x * y, y, 1.0f), y);
}
__device__ __forceinline__ double closeInverseRoot(double x) { return inverseRoot(x); }

template <class Real>
__device__ __forceinline__ Real energyOf(const PlainEnergy<Real>& law, Real squared) {
    const Real soft = squared + law.squared;
    constexpr Real kLeast = sizeof(Real) == sizeof(float) ? FLT_MIN : DBL_MIN;
    return soft >= kLeast ? closeInverseRoot(soft) : Real(0);
}
template <class Real, class Law>
__device__ __forceinline__ Real energyOf(const LawEnergy<Law>& law, Real squared) {
    return squared > 0 || law.finiteAtZero ? law.law.potential(squared) : Real(0);
}

struct PairRow {
    double energy, squared;
    std::uint32_t neighbour;
};

/// Adds the pairs of a target with the first `count` sources of a tile, whose indices begin at `base`.
template <class Pair, class V, class Energy>
__device__ __forceinline__ void gatherRow(PairRow& row, const V* tile, std::uint32_t base, int count, const V& self,
                                          const Energy& energy) {
    constexpr int kChunk = 128;
    const bool source = self.w != 0;
    const Pair x = self.x, y = self.y, z = self.z;
    Pair nearest = static_cast<Pair>(row.squared);
    std::uint32_t neighbour = row.neighbour;
    for (int j = 0; j < count;) {
        const int end = min(j + kChunk, count);
        Pair part = 0;
#pragma unroll 4
        for (; j < end; ++j) {
            const V other = tile[j];
            const Pair dx = static_cast<Pair>(other.x) - x, dy = static_cast<Pair>(other.y) - y,
                       dz = static_cast<Pair>(other.z) - z;
            const Pair squared = fma(dz, dz, fma(dy, dy, dx * dx)), w = other.w;
            part = fma(w, energyOf(energy, squared), part);
            if (squared < nearest && (source || w != 0)) {
                nearest = squared;
                neighbour = base + j;
            }
        }
        row.energy += part;
    }
    row.squared = nearest;
    row.neighbour = neighbour;
}

template <class Real, class Pair, class Light, class Heavy>
__global__ __launch_bounds__(kMeasureThreads) void measurePairs(LawPairTask<Real, Light, Heavy> all) {
    __shared__ Vector<Real> tile[kMeasureThreads];
    const PairTask<Real>& task = all.pairs;
    const Vector<Real>* const bodies = asVectors(task.bodies);
    const std::uint32_t blockFirst = task.targetFirst + blockIdx.x * kMeasureThreads, i = blockFirst + threadIdx.x;
    const bool inside = i < task.targetEnd;
    const Vector<Real> self = bodies[inside ? i : task.targetEnd - 1];
    const bool heavy =
        !std::is_same_v<Pair, double> && fabs(static_cast<double>(self.w)) > kHeavyShare * task.state->moments.sources;
    PairRow row{0, INFINITY, 0};
    if (inside && task.sourceFirst > 0) row = {task.energy[i], task.squared[i], task.neighbour[i]};
    // No target of the block has sources past its own index.
    const std::uint32_t end = min(task.sourceEnd, min(blockFirst + kMeasureThreads, task.targetEnd) - 1);
    for (std::uint32_t base = task.sourceFirst; base < end; base += kMeasureThreads) {
        const std::uint32_t filled = min(kMeasureThreads, end - base);
        __syncthreads();
        if (threadIdx.x < filled) tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        const int count = inside && i > base ? static_cast<int>(min(filled, i - base)) : 0;
        if (heavy)
            gatherRow<double>(row, tile, base, count, self, all.heavy);
        else
            gatherRow<Pair>(row, tile, base, count, self, all.light);
    }
    if (!inside) return;
    task.energy[i] = row.energy;
    task.squared[i] = row.squared;
    task.neighbour[i] = row.neighbour;
}

}  // namespace

template <class Real>
void launchPairs(const PairTask<Real>& task, std::uint32_t count, const ForceSettings& force, Stream stream) {
    const Law law = loopLaw(force);
    [[maybe_unused]] const bool single = count > kDoublePairs;
    const auto run = [&]<class Pair, class Light, class Heavy>(Pair, const Light& light, const Heavy& heavy) {
        launchEach(kernelOf(measurePairs<Real, Pair, Light, Heavy>), task.targetEnd - task.targetFirst, kMeasureThreads,
                   {task, light, heavy}, stream);
    };
    const auto inLaw = [&]<class Pair>(Pair pair) {
        if (law == Law::gravity) {
            const double squared = force.softening * force.softening;
            run(pair, PlainEnergy<Pair>{static_cast<Pair>(squared)}, PlainEnergy<double>{squared});
            return;
        }
        forLaw<OtherLoopLaws>(law, [&]<template <class> class PairLaw>() {
            using Light = PairLaw<PairRealOf<PairLaw, Pair>>;
            const bool finite = finiteAtZero(force);
            run(pair, LawEnergy<Light>{Light(force), finite}, LawEnergy<PairLaw<double>>{PairLaw<double>(force), finite});
        });
    };
    if constexpr (std::is_same_v<Real, float>) {
        if (single) {
            inLaw(float());
            return;
        }
    }
    inLaw(double());
}

template void launchPairs(const PairTask<float>&, std::uint32_t, const ForceSettings&, Stream);
template void launchPairs(const PairTask<double>&, std::uint32_t, const ForceSettings&, Stream);

}  // namespace gravlab::cuda
