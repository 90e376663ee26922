// Cells of laws with a finite reach, on a device: the parameters of the kernels. The host knows only the number of bodies,
// so nothing waits. Rule: a body's sum is in the order of the cells, which depends on the bodies alone; atomics only count.
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

/// Facts of one evaluation, for the lab.
struct CellFacts {
    std::uint32_t cells, most;  ///< cells with a source; most sources in one of them
};

/// Puts the bodies in the order of cells. One thread a body.
template <class Real>
struct CellTask {
    const Vec4<Real>* bodies;  ///< positions and sources, in body order
    std::uint32_t count;
    bool fewSources;   ///< bodies without mass are targets only
    double perLength;  ///< see cellsPerLength()
    std::uint64_t *key, *sortedKey;
    std::uint32_t *index, *order;  ///< order: body of each place
    Vec4<Real>* sorted;
    CellFacts* facts;
};
template <class Real>
Kernel<CellTask<Real>> cellKeyKernel();
// The keys are sorted before the next kernels, see sortKeys().
template <class Real>
Kernel<CellTask<Real>> cellGatherKernel();
/// Adds to the facts, which are 0 before.
template <class Real>
Kernel<CellTask<Real>> cellFactsKernel();

/// Sums for the bodies at places [first, end). A warp has 32 consecutive places, which begin at a multiple of 32.
template <class Real, class Law>
struct CellWalkTask {
    const Vec4<Real>* sorted;
    const std::uint64_t* sortedKey;
    const std::uint32_t* order;
    Vec4<Real>* sums;  ///< in body order
    std::uint32_t count, first, end;
    unsigned long long* pairs;  ///< increased by the computed pairs
    Law law;
    ActiveBodies active{};  ///< a warp without any of them does nothing
};
template <class Real, class Laws>
struct CellWalkKernels;
template <class Real, template <class> class... PairLaws>
struct CellWalkKernels<Real, LawList<PairLaws...>> {
    static std::tuple<Kernel<CellWalkTask<Real, PairLaws<Real>>>...> all();
};
/// The kernel of a law; null for laws of infinite reach.
template <class Real, class Law>
Kernel<CellWalkTask<Real, Law>> cellWalkKernel() {
    return std::get<Kernel<CellWalkTask<Real, Law>>>(CellWalkKernels<Real, OtherLoopLaws>::all());
}

/// Usual threads of a block. Its warps are independent.
constexpr unsigned kCellWalkThreads = 128;
inline unsigned cellWalkBlocks(std::size_t bodies, int /*multiprocessors*/, unsigned threads) {
    return static_cast<unsigned>((bodies + threads - 1) / threads);
}

}  // namespace gravlab::cuda
