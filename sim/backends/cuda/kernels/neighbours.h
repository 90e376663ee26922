// Lists of neighbours of laws with a finite reach, on a device: the parameters of the kernels. L. Verlet 1967, Phys. Rev.
// 159, 98: a list holds the sources a little beyond the reach, so it is right until a body has moved by half of that. Each
// force compares, and the kernels that make lists return at once where nothing moved so far. So the host never waits.
// Rule: a body's sum is in the order of the others' indices and skips what is out of reach, so the age of lists changes no
// bit.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/backends/cuda/runtime/launch.h"
#include "sim/forces/cell_grid.h"
#include "sim/integrators/active_bodies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace gravlab::cuda {

/// How far lists reach beyond the law, as a fraction of its reach.
constexpr double kListSkin = 0.15;
/// A body that moved by this fraction of the skin makes lists anew: less than half, for the rounding of distances.
constexpr double kListMoves = 0.49;
/// Most entries of a list.
constexpr std::uint32_t kWidestList = 1280;

/// The distance within which a body is in a list [L].
inline double listReach(const ForceSettings& force) { return reachOf(force) * (1 + kListSkin); }
/// The largest distance, in steps of a 256th of the reach, at which bodies repel each other [L]. Neighbours of a crystal are
/// farther apart.
inline double repellingDistance(const ForceSettings& force) {
    constexpr int kSteps = 256;
    const LawRow& law = lawRow(force.law);
    const double step = reachOf(force) / kSteps;
    for (int k = kSteps - 1; k > 0; --k)
        if (law.forceOverDistance(force, k * step * k * step) < 0) return k * step;
    return step * kSteps;
}
/// Entries that a list has room for: those of densely packed spheres that touch at that distance, and a third more.
inline double listWidthFor(const ForceSettings& force) {
    constexpr double kSphere = 4.18879, kPacked = 1.41421, kReserve = 4.0 / 3, kRound = 32;
    const double reach = listReach(force) / repellingDistance(force);
    return kRound * std::ceil(kReserve * kSphere * kPacked * reach * reach * reach / kRound);
}
inline std::uint32_t listWidth(const ForceSettings& force) {
    return static_cast<std::uint32_t>(std::min<double>(listWidthFor(force), kWidestList));
}
inline std::uint32_t listBuckets(std::uint32_t count) { return std::max(kFewestBuckets, count / 4); }
/// Bytes of device memory of the lists.
inline double listBytes(std::size_t bodies, const ForceSettings& force) {
    const double body = force.precision == Precision::fp64 ? sizeof(Double4) : sizeof(Float4);
    return static_cast<double>(bodies) * (4.0 * listWidth(force) + 2 * body + 3 * sizeof(std::uint32_t) + 1);
}

/// Facts of the lists, for the lab.
struct ListFacts {
    std::uint32_t made;     ///< times that lists were made
    std::uint32_t age;      ///< evaluations since then
    std::uint32_t longest;  ///< neighbours of a body
    std::uint32_t beyond;   ///< bodies with more neighbours than a list has room for
    unsigned long long neighbours;
};
struct ListState {
    std::uint32_t stale;  ///< number of the last evaluation that needs new lists
    std::uint32_t low[3], high[3];
    unsigned arrived;  ///< see gridBarrier()
    ListFacts facts;
};

/// Makes lists. A place is that of a body in the order of cells.
template <class Real>
struct ListTask {
    const Vec4<Real>* bodies;  ///< positions and sources, in body order
    std::uint32_t count;
    std::uint32_t evaluation;  ///< its number, from 1 on
    bool anew;                 ///< makes lists in any case
    double perLength;          ///< cells per unit length; a cell is as long as a list reaches
    Real farSquared;           ///< square of the reach of a list
    Real movedSquared;         ///< square of the largest way of a body
    std::uint32_t buckets, edge;
    std::uint32_t *start, *partial;  ///< first place of each bucket, and one more; sums of blocks
    std::uint32_t *rank, *order;     ///< of each body in its bucket; body of each place
    Vec4<Real>* sorted;              ///< by place, and a pad that is no source at place `count`
    Vec4<Real>* before;              ///< the same when lists were made, without the pad
    std::uint32_t* length;           ///< neighbours of each place
    std::uint32_t* entries;          ///< tables of kTableRows rows and `width` columns: places, by the index of their bodies
    std::uint32_t width;
    ListState* state;
    std::uint32_t first, end;  ///< places, for listNeighboursKernel()
};
constexpr unsigned kListThreads = 256, kListWarps = 4;
/// Puts the bodies in the order of the lists and compares their places. One thread a body.
template <class Real>
Kernel<ListTask<Real>> listMovesKernel();
/// Sorts the bodies where lists are needed. All its blocks of kListThreads are resident at once.
template <class Real>
Kernel<ListTask<Real>> listSortKernel();
/// Makes the lists of places [first, end) where they are needed; blocks of kListWarps warps, with listSharedBytes().
/// `fewSources`: bodies without mass are in no list. One kernel for both made a step of 262,144 atoms 2.6 % slower.
template <class Real>
Kernel<ListTask<Real>> listNeighboursKernel(bool fewSources);
inline std::size_t listSharedBytes(std::uint32_t width) {
    return std::size_t{2} * kListWarps * width * sizeof(std::uint32_t);
}

/// Sums for the bodies at places [first, end); `first` is a multiple of 32.
template <class Real, class Law>
struct ListWalkTask {
    ListTask<Real> lists;
    Vec4<Real>* sums;           ///< in body order
    unsigned long long* pairs;  ///< increased by the computed pairs
    Law law;
    ActiveBodies active{};  ///< a warp without any of them does nothing
};
template <class Real, class Laws>
struct ListWalkKernels;
template <class Real, template <class> class... PairLaws>
struct ListWalkKernels<Real, LawList<PairLaws...>> {
    static std::tuple<Kernel<ListWalkTask<Real, PairLaws<Real>>>...> all();
};
/// The kernel of a law; null for laws of infinite reach.
template <class Real, class Law>
Kernel<ListWalkTask<Real, Law>> listWalkKernel() {
    return std::get<Kernel<ListWalkTask<Real, Law>>>(ListWalkKernels<Real, OtherLoopLaws>::all());
}

}  // namespace gravlab::cuda
