// Lists of neighbours of laws with a finite reach, on a device: the parameters of the kernels. L. Verlet 1967, Phys. Rev.
// 159, 98: a list holds the sources a little beyond the reach, so it is right until a body has moved by half of that. Each
// force compares, and the kernels that make lists return at once where nothing moved so far. So the host never waits.
// Rule: a body's sum is in the order of the others' indices and skips what is out of reach, so the age of lists changes no
// bit.
#pragma once
#include "sim/backends/cuda/kernels/packed.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

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

}  // namespace gravlab::cuda
