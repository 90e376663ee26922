// Laws with a finite reach, by lists of neighbours that live for several steps. Rule: bits do not depend on when lists were
// made, so nothing is stored in files, and slices, jumps in time and continued runs give the same sums.
#include "sim/backends/cuda/kernels/neighbours.h"

#include "sim/backends/cuda/kernels/cut_off.h"
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/rows.cuh"
#include "sim/backends/cuda/kernels/together.cuh"
#include "sim/backends/cuda/methods/cut_off.h"

#include <cub/block/block_scan.cuh>

namespace gravlab::cuda {
namespace {

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
    std::uint32_t width;             ///< entries that a list has room for
    ListState* state;
    std::uint32_t first, end;  ///< places, for listNeighbours()
};
constexpr unsigned kListThreads = 256, kListWarps = 4;
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
template <class Real>
__device__ __forceinline__ Real squaredDistance(const Vector<Real>& a, const Vector<Real>& b) {
    const Real dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    return fma(dz, dz, fma(dy, dy, dx * dx));
}

struct ListCell {
    std::uint32_t at[3];
};
template <class Real>
__device__ __forceinline__ ListCell cellOf(const ListTask<Real>& task, const Vector<Real>& body) {
    return {cellPlace(static_cast<double>(body.x), task.perLength), cellPlace(static_cast<double>(body.y), task.perLength),
            cellPlace(static_cast<double>(body.z), task.perLength)};
}

/// Columns of a list, pads included.
__device__ __forceinline__ std::uint32_t columnsOf(std::uint32_t neighbours) {
    return (neighbours + kColumnsTogether - 1) / kColumnsTogether * kColumnsTogether;
}

template <class Real>
__device__ __forceinline__ bool needsLists(const ListTask<Real>& task) {
    return task.state->stale == task.evaluation;
}

template <class Real>
__global__ void compareMoves(ListTask<Real> task) {
    const std::uint32_t place = blockIdx.x * kListThreads + threadIdx.x;
    ListState& state = *task.state;
    if (place == 0) {
        for (int axis = 0; axis < 3; ++axis) state.low[axis] = ~0u, state.high[axis] = 0;
        state.arrived = 0;
        ++state.facts.age;
        if (task.anew) state.stale = task.evaluation;
    }
    if (task.anew || place >= task.count) return;
    const Vector<Real> body = asVectors(task.bodies)[task.order[place]];
    asVectors(task.sorted)[place] = body;
    // A NaN is no small way. All threads write the same number.
    if (!(squaredDistance<Real>(body, asVectors(task.before)[place]) <= task.movedSquared)) state.stale = task.evaluation;
}

template <class Real>
__device__ CellRing ringOf(const ListTask<Real>& task) {
    return cellRing(task.state->low, task.state->high, task.buckets, task.edge);
}
template <class Real>
__device__ __forceinline__ std::uint32_t bucketOf(const ListTask<Real>& task, const CellRing& ring, std::uint32_t body) {
    const ListCell cell = cellOf(task, asVectors(task.bodies)[body]);
    return ring.bucket(cell.at[0], cell.at[1], cell.at[2]);
}

/// A sort by counting. Bodies of a bucket have any order, which no sum depends on.
template <class Real>
__global__ __launch_bounds__(kListThreads) void sortBodies(ListTask<Real> task) {
    if (!needsLists(task)) return;
    using Scan = cub::BlockScan<std::uint32_t, kListThreads>;
    __shared__ typename Scan::TempStorage scratch;
    ListState& state = *task.state;
    const std::uint32_t thread = blockIdx.x * kListThreads + threadIdx.x, threads = gridDim.x * kListThreads;
    unsigned barriers = 0;
    const auto waitForAll = [&] { gridBarrier(&state.arrived, ++barriers * gridDim.x); };

    std::uint32_t low[3] = {~0u, ~0u, ~0u}, high[3] = {};
    for (std::uint32_t i = thread; i < task.count; i += threads) {
        const ListCell cell = cellOf(task, asVectors(task.bodies)[i]);
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = min(low[axis], cell.at[axis]);
            high[axis] = max(high[axis], cell.at[axis]);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int step = 16; step > 0; step /= 2) {
            low[axis] = min(low[axis], __shfl_xor_sync(~0u, low[axis], step));
            high[axis] = max(high[axis], __shfl_xor_sync(~0u, high[axis], step));
        }
        if (threadIdx.x % 32 != 0) continue;
        atomicMin(&state.low[axis], low[axis]);
        atomicMax(&state.high[axis], high[axis]);
    }
    for (std::uint32_t k = thread; k < task.buckets; k += threads) task.start[k] = 0;
    waitForAll();

    const CellRing ring = ringOf(task);
    for (std::uint32_t i = thread; i < task.count; i += threads)
        task.rank[i] = atomicAdd(&task.start[bucketOf(task, ring, i)], 1u);
    waitForAll();

    // Each block sums up a part of the counts, and then knows the sum before its part.
    const std::uint32_t part = (task.buckets + gridDim.x - 1) / gridDim.x;
    const std::uint32_t begin = min(blockIdx.x * part, task.buckets), end = min(begin + part, task.buckets);
    std::uint32_t own = 0, ignored = 0, before = 0;
    for (std::uint32_t k = begin + threadIdx.x; k < end; k += kListThreads) own += task.start[k];
    Scan(scratch).ExclusiveSum(own, ignored, own);
    if (threadIdx.x == 0) task.partial[blockIdx.x] = own;
    waitForAll();
    own = 0;
    for (std::uint32_t k = threadIdx.x; k < blockIdx.x; k += kListThreads) own += task.partial[k];
    Scan(scratch).ExclusiveSum(own, ignored, before);
    for (std::uint32_t base = begin; base < end; base += kListThreads) {
        const std::uint32_t k = base + threadIdx.x;
        std::uint32_t first = 0, sum = 0;
        __syncthreads();
        Scan(scratch).ExclusiveSum(k < end ? task.start[k] : 0, first, sum);
        if (k < end) task.start[k] = before + first;
        before += sum;
    }
    if (thread == 0) {
        task.start[task.buckets] = task.count;
        asVectors(task.sorted)[task.count] = {kPadDistance<Real>, kPadDistance<Real>, kPadDistance<Real>, 0};
        state.facts = {state.facts.made + 1, 0, 0, 0, 0};
    }
    waitForAll();

    for (std::uint32_t i = thread; i < task.count; i += threads) {
        const std::uint32_t place = task.start[bucketOf(task, ring, i)] + task.rank[i];
        const Vector<Real> body = asVectors(task.bodies)[i];
        task.order[place] = i;
        asVectors(task.sorted)[place] = body;
        asVectors(task.before)[place] = body;
    }
}

/// A warp per list: the near bodies of 27 cells, in the order of their indices. `kFewSources`: those with mass alone.
/// The others would add 0 to a sum, so their absence changes no bit.
template <class Real, bool kFewSources>
__global__ __launch_bounds__(32 * kListWarps) void listNeighbours(ListTask<Real> task) {
    extern __shared__ std::uint32_t listScratch[];
    if (!needsLists(task)) return;
    const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::uint32_t* const index = listScratch + 2 * warp * task.width;
    std::uint32_t* const places = index + task.width;
    const Vector<Real>* const before = asVectors(task.before);
    const CellRing ring = ringOf(task);
    unsigned long long all = 0;
    std::uint32_t longest = 0, beyond = 0;
    for (std::uint32_t place = task.first + blockIdx.x * kListWarps + warp; place < task.end;
         place += gridDim.x * kListWarps) {
        const Vector<Real> self = before[place];
        const ListCell cell = cellOf(task, self);
        // Three cells adjacent in x are one range of places. Lanes 9 to 17 have its rest where it passes the ring's end.
        std::uint32_t first = 0, end = 0;
        if (lane < 2 * kCellRows) {
            const int row = static_cast<int>(lane) % kCellRows;
            const std::uint32_t bucket = ring.bucket(std::int64_t{cell.at[0]} - 1, std::int64_t{cell.at[1]} + row % 3 - 1,
                                                     std::int64_t{cell.at[2]} + row / 3 - 1);
            if (lane < kCellRows) {
                first = task.start[bucket];
                end = task.start[min(bucket + 3, task.buckets)];
            } else if (bucket + 3 > task.buckets) {
                end = task.start[bucket + 3 - task.buckets];
            }
        }
        std::uint32_t count = 0;
        for (int range = 0; range < 2 * kCellRows; ++range) {
            const std::uint32_t rangeEnd = __shfl_sync(~0u, end, range);
            for (std::uint32_t base = __shfl_sync(~0u, first, range); base < rangeEnd; base += 32) {
                const std::uint32_t other = base + lane;
                const Vector<Real>& there = before[min(other, task.count - 1)];
                const bool near = other < rangeEnd && other != place &&
                                  squaredDistance<Real>(self, there) < task.farSquared && (!kFewSources || there.w != 0);
                const unsigned taken = __ballot_sync(~0u, near);
                const std::uint32_t to = count + __popc(taken & ((1u << lane) - 1));
                if (near && to < task.width) {
                    index[to] = task.order[other];
                    places[to] = other;
                }
                count += __popc(taken);
            }
        }
        __syncwarp();
        if (count <= task.width) {
            std::uint32_t* const entries = rowEntries(task.entries, place / kTableRows * task.width, place);
            for (std::uint32_t k = lane; k < count; k += 32) {
                const std::uint32_t own = index[k];
                std::uint32_t column = 0;
                for (std::uint32_t other = 0; other < count; ++other) column += index[other] < own;
                entries[std::size_t{column} * kTableRows] = places[k];
            }
            if (const std::uint32_t column = count + lane; column < columnsOf(count))
                entries[std::size_t{column} * kTableRows] = task.count;  // a pad
        }
        __syncwarp();
        if (lane == 0) task.length[place] = count;
        all += count;
        longest = max(longest, count);
        beyond += count > task.width;
    }
    if (lane != 0) return;
    atomicAdd(&task.state->facts.neighbours, all);
    atomicMax(&task.state->facts.longest, longest);
    if (beyond > 0) atomicAdd(&task.state->facts.beyond, beyond);
}

/// The sum over others in their order. A pair out of reach adds 0 to a sum that is never -0, and ends no part of the sum.
template <class Real>
struct ReachSum {
    Vec3<Real> part{0, 0, 0};
    double sum[3] = {};
    int within = 0;

    template <class Law>
    __device__ __forceinline__ void add(const Law& law, const Vector<Real>& self, const Vector<Real>& other) {
        const Real dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
        const Real strength = other.w * law.forceOverDistance(fma(dz, dz, fma(dy, dy, dx * dx)));
        part.x = fma(dx, strength, part.x);
        part.y = fma(dy, strength, part.y);
        part.z = fma(dz, strength, part.z);
        within += strength != 0;
        if (within == kSumChunk) end();
    }
    __device__ __forceinline__ void end() {
        accumulate(sum, part);
        part = {0, 0, 0};
        within = 0;
    }
};

/// The same sum over all bodies, by a warp for one body whose list has no room.
template <class Real, class Law>
__device__ ReachSum<Real> sumOverAll(const ListTask<Real>& task, const Law& law, std::uint32_t body) {
    const Vector<Real>* const bodies = asVectors(task.bodies);
    const Vector<Real> self = bodies[body];
    ReachSum<Real> sum;
    for (std::uint32_t base = 0; base < task.count; base += 32) {
        const std::uint32_t other = base + threadIdx.x % 32;
        const bool near = other < task.count && other != body &&
                          squaredDistance<Real>(self, bodies[min(other, task.count - 1)]) < task.farSquared;
        for (unsigned left = __ballot_sync(~0u, near); left != 0; left &= left - 1)
            sum.add(law, self, bodies[base + static_cast<std::uint32_t>(__ffs(static_cast<int>(left)) - 1)]);
    }
    return sum;
}

template <class Real, class Law>
__global__ __launch_bounds__(256) void walkLists(ListWalkTask<Real, Law> task) {
    const ListTask<Real>& lists = task.lists;
    const std::uint32_t place = lists.first + blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t lane = threadIdx.x % 32;
    if (place - lane >= lists.end) return;  // the whole warp
    const bool mine = place < lists.end;
    const std::uint32_t own = mine ? place : lists.end - 1, body = lists.order[own];
    if (!__any_sync(~0u, mine && task.active.has(body))) return;
    const Vector<Real>* const sorted = asVectors(lists.sorted);
    const Vector<Real> self = sorted[own];
    const std::uint32_t length = mine ? lists.length[own] : 0;
    const bool fits = length <= lists.width;
    ReachSum<Real> sum;
    walkRow(
        rowEntries(lists.entries, own / kTableRows * lists.width, own), fits ? columnsOf(length) : 0,
        [&](std::uint32_t entry) { return sorted[entry]; },
        [&](std::uint32_t, const Vector<Real>& other) { sum.add(task.law, self, other); });
    unsigned long long pairs = warpSum(fits ? length : 0);
    for (unsigned left = __ballot_sync(~0u, !fits); left != 0; left &= left - 1) {
        const int from = __ffs(static_cast<int>(left)) - 1;
        const ReachSum<Real> all = sumOverAll(lists, task.law, __shfl_sync(~0u, body, from));
        if (static_cast<int>(lane) == from) sum = all;
        pairs += lists.count;
    }
    sum.end();
    if (mine)
        asVectors(task.sums)[body] = {static_cast<Real>(sum.sum[0]), static_cast<Real>(sum.sum[1]),
                                      static_cast<Real>(sum.sum[2]), 0};
    if (lane == 0) atomicAdd(task.pairs, pairs);
}

// Bodies per second, until the rate is measured.
constexpr double kExpectedListed = 1e9;
// Most bodies of a slice: lists take ten times as long as a walk through them, and which of the two a slice does is known to
// the device alone.
constexpr double kMostListed = 1 << 21;
// Blocks a multiprocessor of the kernel that makes lists. It mostly returns at once, so its blocks are few.
constexpr unsigned kListBlocks = 16;

template <class Real>
class NeighbourLists final : public CutOffMethod<Real, ListFacts> {
    using Base = CutOffMethod<Real, ListFacts>;
    using Base::counts_, Base::pairs_, Base::stream_, Base::threads_;

public:
    explicit NeighbourLists(const MethodParts& parts)
        : Base(parts, kExpectedListed, kMostListed),
          most_(kListBlocks * static_cast<unsigned>(std::max(1, parts.device.multiprocessors))) {
        const std::uint32_t n = parts.count;
        if (n == 0) return;
        int resident = 1;
        CUDA_CHECK(residentBlocks(resident, kernelOf(sortBodies<Real>).address, kListThreads, 0));
        const unsigned all = static_cast<unsigned>(std::max(1, resident * parts.device.multiprocessors));
        sorters_ = std::min(all, blocksFor(n, kListThreads));
        task_.count = task_.end = n;
        task_.buckets = listBuckets(n);
        task_.edge = bucketEdge(task_.buckets);
        task_.start = arrays_.make<std::uint32_t>(std::size_t{task_.buckets} + 1);
        task_.partial = arrays_.make<std::uint32_t>(sorters_);
        for (auto* words : {&task_.rank, &task_.order, &task_.length}) *words = arrays_.make<std::uint32_t>(n);
        task_.sorted = arrays_.make<Vec4<Real>>(std::size_t{n} + 1);
        task_.before = arrays_.make<Vec4<Real>>(n);
        task_.state = arrays_.make<ListState>(1);
        makeRoom(parts.plan.listWidth);
        CUDA_CHECK(fillAsync(task_.state, 0, sizeof(ListState), stream_));
    }

    double work() const override { return this->count(); }

private:
    void makeRoom(std::uint32_t width) {
        if (width <= task_.width) return;
        const std::size_t tables = (std::size_t{this->count()} + kTableRows - 1) / kTableRows;
        entries_ = {};  // before the wider ones take memory
        task_.width = 0;
        entries_ = DeviceArray<std::uint32_t>(tables * kTableRows * width);
        task_.entries = entries_.data();
        task_.width = width;
    }
    double begin() override {
        const ForceSettings& force = this->request().settings;
        // Lists that an evaluation did not finish, or of other settings, are of no use.
        const bool other = made_ != force;
        task_.anew = other || !whole_;
        whole_ = false;
        if (other) makeRoom(listWidth(force));
        made_ = force;
        ++task_.evaluation;
        const double reach = listReach(force), move = kListMoves * (reach - reachOf(force));
        task_.bodies = this->bodies().positions;
        task_.perLength = cellsPerLength(force) / (1 + kListSkin);
        task_.farSquared = static_cast<Real>(reach * reach);
        task_.movedSquared = static_cast<Real>(move * move);
        counts_.mark(Base::kBegun);
        launchEach(kernelOf(compareMoves<Real>), task_.count, kListThreads, task_, stream_);
        counts_.mark(Base::kFirst);
        launchResident(kernelOf(sortBodies<Real>), {sorters_}, kListThreads, task_, 0, stream_);
        return 0;
    }
    void walk(std::uint32_t first, std::uint32_t end) override {
        const ForceRequest& request = this->request();
        task_.first = first;
        task_.end = end;
        const std::uint32_t wanted = (end - first + kListWarps - 1) / kListWarps;
        // One kernel for both made a step of 262,144 atoms 2.6 % slower.
        const bool few = request.sources.among(this->count()) < this->count();
        launchKernel(few ? kernelOf(listNeighbours<Real, true>) : kernelOf(listNeighbours<Real, false>),
                     {std::min(wanted, most_)}, 32 * kListWarps, task_, listSharedBytes(task_.width), stream_);
        if (first == 0) counts_.mark(Base::kSecond);
        withLoopLaw<Real>(request.settings, request.smallestR2, [&]<class Law>(const Law& law) {
            if constexpr (Law::kEnds)
                launchEach(kernelOf(walkLists<Real, Law>), end - first, this->threads_,
                           {task_, this->bodies().sums, this->pairs_.data(), law, request.active}, this->stream_);
        });
    }

    void finish() override { whole_ = true; }
    const ListFacts* facts() const override { return &task_.state->facts; }
    std::vector<MethodFigure> figuresOf(const ListFacts& facts) const override {
        const auto neighbours = static_cast<double>(facts.neighbours);
        return {{"bodies a list", "", neighbours / this->count()},
                {"bytes a neighbour", "", neighbours > 0 ? static_cast<double>(entries_.bytes()) / neighbours : 0},
                {"longest list", "", static_cast<double>(facts.longest)},
                {"width of lists", "", static_cast<double>(task_.width)},
                {"bodies without a list", "", static_cast<double>(facts.beyond)},
                {"age of lists", "", static_cast<double>(facts.age)},
                {"lists made", "", static_cast<double>(facts.made)}};
    }
    // Slices after the first one count as walks.
    std::array<std::string_view, 3> phases() const override { return {"compare", "lists", "walk"}; }

    unsigned most_;          ///< blocks that make lists
    unsigned sorters_ = 1;   ///< resident blocks
    ForceSettings made_;     ///< that the lists are for
    bool whole_ = false;     ///< the last evaluation was complete, so all lists are of the same positions
    ListTask<Real> task_{};  ///< of the evaluation under way, or the last one
    DeviceArrays arrays_;    ///< of the task, without the entries
    DeviceArray<std::uint32_t> entries_;
};

}  // namespace

const void* listCode(Precision precision) {
    return walkCode(precision, [&]<class Real, class Law>() { return kernelOf(walkLists<Real, Law>).address; });
}

template <class Real>
MadeMethod<Real> makeNeighbourLists(const MethodParts& parts) {
    return std::make_unique<NeighbourLists<Real>>(parts);
}
template MadeMethod<float> makeNeighbourLists(const MethodParts&);
template MadeMethod<double> makeNeighbourLists(const MethodParts&);

}  // namespace gravlab::cuda
