// Laws with a finite reach: bodies are sorted into cells as large as the reach, and each body sums over the cells around it:
// a warp walks through the cells around its bodies. The host knows only the number of bodies, so nothing waits. Rule: a
// body's sum is in the order of the cells, which depends on the bodies alone; atomics only count.
#include "sim/backends/cuda/kernels/cut_off.h"
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/cuda/methods/cut_off.h"
#include "sim/forces/cell_grid.h"

#include <limits>

namespace gravlab::cuda {
namespace {

// Bodies per second, until the rate is measured.
constexpr double kExpectedBodies = 1e8;
// Cost of the sort, in units of a walk.
constexpr double kSortShare = 0.5;

constexpr unsigned kCellThreads = 256;

/// Facts of one evaluation, for the lab.
struct CellFacts {
    std::uint32_t cells, most;  ///< cells with a source; most sources in one of them
};

/// Puts the bodies in the order of cells. One thread per body.
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

template <class Real>
class Cells final : public CutOffMethod<Real, CellFacts> {
    using Base = CutOffMethod<Real, CellFacts>;
    using Base::counts_, Base::pairs_, Base::stream_, Base::threads_;

public:
    explicit Cells(const MethodParts& parts) : Base(parts, kExpectedBodies, std::numeric_limits<double>::infinity()) {
        const std::uint32_t n = parts.count;
        if (n == 0) return;
        task_.count = n;
        task_.key = arrays_.make<std::uint64_t>(n);
        task_.sortedKey = arrays_.make<std::uint64_t>(n);
        task_.index = arrays_.make<std::uint32_t>(n);
        task_.order = arrays_.make<std::uint32_t>(n);
        task_.sorted = arrays_.make<Vec4<Real>>(n);
        task_.facts = arrays_.make<CellFacts>(1);
        scratch_ = DeviceArray<std::uint8_t>(sortBytes(n, kCellKeyBits + 1));
    }

    double work() const override { return (1 + kSortShare) * this->count(); }

private:
    std::size_t sources() const { return this->request().sources.among(this->count()); }
    double begin() override {
        task_.bodies = this->bodies().positions;
        task_.fewSources = sources() < this->count();
        task_.perLength = cellsPerLength(this->request().settings);
        counts_.mark(Base::kBegun);
        launchEach(kernelOf(makeCellKeys<Real>), this->count(), kCellThreads, task_, stream_);
        KeySort keys = keysOf(task_);
        keys.bits = task_.fewSources ? kCellKeyBits + 1 : kCellKeyBits;
        sortKeys(keys, scratch_.data(), scratch_.size(), stream_);
        launchEach(kernelOf(gatherCells<Real>), this->count(), kCellThreads, task_, stream_);
        counts_.mark(Base::kFirst);
        const double work = kSortShare * this->count();
        if (!counts_.timed()) return work;
        CUDA_CHECK(fillAsync(task_.facts, 0, sizeof(CellFacts), stream_));
        launchEach(kernelOf(countCells<Real>), this->count(), kCellThreads, task_, stream_);
        counts_.mark(Base::kSecond);
        return work;
    }
    void walk(std::uint32_t first, std::uint32_t end) override {
        const ForceRequest& request = this->request();
        withLoopLaw<Real>(request.settings, request.smallestR2, [&]<class Law>(const Law&) {
            if constexpr (Law::kEnds)
                launchEach(kernelOf(walkCells<Real, Law>), end - first, this->threads_,
                           {.sorted = task_.sorted,
                            .sortedKey = task_.sortedKey,
                            .order = task_.order,
                            .sums = this->bodies().sums,
                            .count = this->count(),
                            .first = first,
                            .end = end,
                            .pairs = this->pairs_.data(),
                            .law = Law(request.settings, request.smallestR2),
                            .active = request.active},
                           this->stream_);
        });
    }

    const CellFacts* facts() const override { return task_.facts; }
    std::vector<MethodFigure> figuresOf(const CellFacts& facts) const override {
        const double cells = facts.cells;
        return {{"cells", "", cells},
                {"bodies a cell", "", static_cast<double>(sources()) / std::max(1.0, cells)},
                {"most in a cell", "", static_cast<double>(facts.most)}};
    }
    // The phase that only counts for the lab has no name, so its time is left out.
    std::array<std::string_view, 3> phases() const override { return {"keys and sort", "", "walk"}; }

    CellTask<Real> task_{};  ///< of the evaluation under way, or the last one
    DeviceArrays arrays_;    ///< of the task
    DeviceArray<std::uint8_t> scratch_;
};

}  // namespace

const void* cellCode(Precision precision) {
    return walkCode(precision, [&]<class Real, class Law>() { return kernelOf(walkCells<Real, Law>).address; });
}

template <class Real>
MadeMethod<Real> makeCells(const MethodParts& parts) {
    return std::make_unique<Cells<Real>>(parts);
}
template MadeMethod<float> makeCells(const MethodParts&);
template MadeMethod<double> makeCells(const MethodParts&);

}  // namespace gravlab::cuda
