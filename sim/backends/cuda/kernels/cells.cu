// Bodies in the order of cells, and the walk of a warp through the cells around its bodies.
#include "sim/backends/cuda/kernels/cells.h"
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/forces/cell_grid.h"

namespace gravlab::cuda {
namespace {

/// The first place whose key is not below `wanted`.
__device__ std::uint32_t placeOfKey(const std::uint64_t* keys, std::uint32_t count, std::uint64_t wanted) {
    std::uint32_t first = 0, length = count;
    while (length > 0) {
        const std::uint32_t half = length / 2;
        if (keys[first + half] < wanted) {
            first += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    return first;
}

template <class Real>
__global__ void makeCellKeys(CellTask<Real> task) {
    const std::uint32_t i = blockIdx.x * kCellThreads + threadIdx.x;
    if (i >= task.count) return;
    const Vector<Real> body = asVectors(task.bodies)[i];
    const std::uint64_t key = cellKey(cellPlace(static_cast<double>(body.x), task.perLength),
                                      cellPlace(static_cast<double>(body.y), task.perLength),
                                      cellPlace(static_cast<double>(body.z), task.perLength));
    task.key[i] = task.fewSources && body.w == 0 ? key | kCellOfTargets : key;
    task.index[i] = i;
}

template <class Real>
__global__ void gatherCells(CellTask<Real> task) {
    const std::uint32_t place = blockIdx.x * kCellThreads + threadIdx.x;
    if (place < task.count) asVectors(task.sorted)[place] = asVectors(task.bodies)[task.order[place]];
}

template <class Real>
__global__ void countCells(CellTask<Real> task) {
    const std::uint32_t place = blockIdx.x * kCellThreads + threadIdx.x;
    if (place >= task.count) return;
    const std::uint64_t key = task.sortedKey[place];
    if ((key & kCellOfTargets) != 0 || (place > 0 && task.sortedKey[place - 1] == key)) return;
    atomicAdd(&task.facts->cells, 1u);
    atomicMax(&task.facts->most, placeOfKey(task.sortedKey, task.count, key + 1) - place);
}

/// Lanes that search for the ends of the intervals of places, one each.
constexpr int kCellEnds = 2 * kCellRows;

template <class Real, class Law>
__global__ __launch_bounds__(256) void walkCells(CellWalkTask<Real, Law> task) {
    const std::uint32_t place = task.first + blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (place - static_cast<std::uint32_t>(lane) >= task.end) return;  // the whole warp
    const bool mine = place < task.end;
    const std::uint32_t own = mine ? place : task.end - 1;
    if (!__any_sync(~0u, mine && task.active.has(task.order[own]))) return;
    const Vector<Real>* sorted = asVectors(task.sorted);
    const Vector<Real> self = sorted[own];
    const std::uint64_t key = task.sortedKey[own], row = cellRow(key);
    const LawPull<Real, Law> addPull{task.law};
    double sum[3] = {};
    unsigned long long pairs = 0;
    // The bodies of one row walk together; most warps lie in one row.
    for (unsigned left = __ballot_sync(~0u, mine); left != 0;) {
        const int eldest = __ffs(static_cast<int>(left)) - 1;
        const std::uint64_t here = __shfl_sync(~0u, row, eldest);
        const bool member = mine && row == here;
        const unsigned members = __ballot_sync(~0u, member);
        left &= ~members;
        const std::uint32_t low = __shfl_sync(~0u, cellOfRow(key), eldest) - 1;
        const std::uint32_t high = __shfl_sync(~0u, cellOfRow(key), 31 - __clz(static_cast<int>(members))) + 2;
        std::uint32_t bound = 0;
        if (lane < kCellEnds)
            bound = placeOfKey(task.sortedKey, task.count,
                               (neighbourRow(sourceRow(here), lane / 2) << kCellBits) + (lane % 2 == 0 ? low : high));
        for (int which = 0; which < kCellRows; ++which) {
            const std::uint32_t first = __shfl_sync(~0u, bound, 2 * which), end = __shfl_sync(~0u, bound, 2 * which + 1);
            pairs += static_cast<unsigned long long>(end - first) * static_cast<unsigned>(__popc(members));
            for (std::uint32_t chunk = first; chunk < end; chunk += kSumChunk) {
                const std::uint32_t chunkEnd = min(chunk + kSumChunk, end);
                Vec3<Real> part = {};
#pragma unroll 4
                for (std::uint32_t j = chunk; j < chunkEnd; ++j) addPull(part, self, sorted[j]);
                if (member) accumulate(sum, part);
            }
        }
    }
    if (mine)
        asVectors(task.sums)[task.order[place]] = {static_cast<Real>(sum[0]), static_cast<Real>(sum[1]),
                                                   static_cast<Real>(sum[2]), 0};
    if (lane == 0) atomicAdd(task.pairs, pairs);
}

template <class Real, class Law>
Kernel<CellWalkTask<Real, Law>> cellWalkOfLaw() {
    if constexpr (Law::kEnds)
        return kernelOf(walkCells<Real, Law>);
    else
        return {};
}

}  // namespace

template <class Real>
Kernel<CellTask<Real>> cellKeyKernel() {
    return kernelOf(makeCellKeys<Real>);
}
template <class Real>
Kernel<CellTask<Real>> cellGatherKernel() {
    return kernelOf(gatherCells<Real>);
}
template <class Real>
Kernel<CellTask<Real>> cellFactsKernel() {
    return kernelOf(countCells<Real>);
}
template Kernel<CellTask<float>> cellKeyKernel();
template Kernel<CellTask<double>> cellKeyKernel();
template Kernel<CellTask<float>> cellGatherKernel();
template Kernel<CellTask<double>> cellGatherKernel();
template Kernel<CellTask<float>> cellFactsKernel();
template Kernel<CellTask<double>> cellFactsKernel();

template <class Real, template <class> class... PairLaws>
std::tuple<Kernel<CellWalkTask<Real, PairLaws<Real>>>...> CellWalkKernels<Real, LawList<PairLaws...>>::all() {
    return {cellWalkOfLaw<Real, PairLaws<Real>>()...};
}
template struct CellWalkKernels<float, OtherLoopLaws>;
template struct CellWalkKernels<double, OtherLoopLaws>;

}  // namespace gravlab::cuda
