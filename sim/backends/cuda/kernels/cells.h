// Cells of laws that end, on a device: the parameters of the kernels. The host knows the number of bodies and nothing else, so
// nothing waits.
// Rule: a body's sum is in the order of the cells, which the bodies alone decide; atomics only count.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/forces/law.h"
#include "sim/integrators/active_bodies.h"

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace gravlab::cuda {

constexpr unsigned kCellThreads = 256;

/// Of one evaluation, for the lab.
struct CellFacts {
    std::uint32_t cells, most;  ///< that hold a body; bodies in one of them
};

/// From positions to bodies in the order of cells. One thread a body.
template <class Real>
struct CellTask {
    const Vec4<Real>* bodies;  ///< positions and sources, in body order
    std::uint32_t count;
    double perLength;  ///< see cellsPerLength()
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    Vec4<Real>* sorted;
    CellFacts* facts;
};
template <class Real>
Kernel<CellTask<Real>> cellKeyKernel();
// Here the keys are sorted, see sortKeys().
template <class Real>
Kernel<CellTask<Real>> cellGatherKernel();
/// Adds to facts, which are 0 before.
template <class Real>
Kernel<CellTask<Real>> cellFactsKernel();

/// Sums of the bodies at places [first, end): a warp for 32 that follow each other, from a multiple of 32 on.
template <class Real, class Law>
struct CellWalkTask {
    const Vec4<Real>* sorted;
    const std::uint64_t* sortedKey;
    const std::uint32_t* order;
    Vec4<Real>* sums;  ///< in body order
    std::uint32_t count, first, end;
    unsigned long long* pairs;  ///< grows by those that were computed
    Law law;
    ActiveBodies active{};  ///< a warp without any of them does nothing
};
template <class Real, class Laws>
struct CellWalkKernels;
template <class Real, template <class> class... PairLaws>
struct CellWalkKernels<Real, LawList<PairLaws...>> {
    static std::tuple<Kernel<CellWalkTask<Real, PairLaws<Real>>>...> all();
};
/// Null for laws without an end.
template <class Real, class Law>
Kernel<CellWalkTask<Real, Law>> cellWalkKernel() {
    return std::get<Kernel<CellWalkTask<Real, Law>>>(CellWalkKernels<Real, OtherLoopLaws>::all());
}

/// A block usually. Its warps know nothing of each other.
constexpr unsigned kCellWalkThreads = 128;
inline unsigned cellWalkBlocks(std::size_t bodies, int /*multiprocessors*/, unsigned threads) {
    return static_cast<unsigned>((bodies + threads - 1) / threads);
}

}  // namespace gravlab::cuda
