// Kernels around a second pair law on a device, as the host sees them.
#pragma once
#include "sim/backends/cuda/kernels/force.h"
#include "sim/forces/second_pair_law.h"

#include <cstdint>
#include <tuple>

namespace gravlab::cuda {

/// Copies bodies with the sources that count, pads included. One thread a body.
template <class Real>
struct CountSourcesTask {
    const Vec4<Real>* bodies;
    Vec4<Real>* counted;
    std::uint32_t paddedCount;
    PairSources sources;
};
/// Adds up the ranges of sums. The engine multiplies by the response k = s / m; bodies that count alike need 1 / m, so their
/// sums are divided by s. One thread a body.
template <class Real>
struct OwnSumsTask {
    const Vec4<Real>* bodies;
    const Vec4<Real>* pairs;  ///< of range r, body i: pairs[r * count + i]
    Vec4<Real>* sums;         ///< may be `pairs` where there is one range
    std::uint32_t count, ranges;
    Real factor;  ///< see forceFactor()
    PairSources sources;
};
/// A tiled force of gravity's loops, and beside it the sums of a second law between the same pairs, whose bodies count
/// alike: one read and one distance a pair.
template <class Real, class Law>
struct TwoLawsTask {
    ForceTask<Real> first;
    Law law;           ///< the second one
    Real endSquared;   ///< of the second law, which has no force beyond [L^2]; infinite without an end
    Vec4<Real>* sums;  ///< of the second law, one a body, as ForceTask::sums
    double* carry;     ///< of the second law, as ForceTask::carry
};
template <class Real, class Laws>
struct TwoLawsKernels;
template <class Real, template <class> class... PairLaws>
struct TwoLawsKernels<Real, LawList<PairLaws...>> {
    static std::tuple<Kernel<TwoLawsTask<Real, PairLaws<Real>>>...> of(int unroll);
};
/// Null for factors other than FewUnrolls. A block has at most kTwoLawsThreads threads.
template <class Real, class Law>
Kernel<TwoLawsTask<Real, Law>> twoLawsKernel(int unroll) {
    return std::get<Kernel<TwoLawsTask<Real, Law>>>(TwoLawsKernels<Real, OtherLoopLaws>::of(unroll));
}
constexpr int kTwoLawsThreads = 512;

template <class Real>
Kernel<CountSourcesTask<Real>> countSourcesKernel();
template <class Real>
Kernel<OwnSumsTask<Real>> ownSumsKernel();

}  // namespace gravlab::cuda
