#include "sim/backends/cpu/methods/cell_method.h"

#include "sim/forces/cell_grid.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace gravlab::cpu {
namespace {

// Bodies that one thread handles at a time while it puts them in order.
constexpr std::size_t kCellGrain = 4096;

const LawKernels<float>& loopsFor(const SimdTarget& simd, float) { return simd.kernels32; }
const LawKernels<double>& loopsFor(const SimdTarget& simd, double) { return simd.kernels64; }

}  // namespace

template <class T, class P>
CellMethod<T, P>::CellMethod(const MethodContext& context)
    : context_(context),
      batchGroups_(std::max<std::size_t>(1, static_cast<std::size_t>(context.launch.block) / kCellGroup)),
      sort_(context.bodies),
      order_(context.bodies),
      cell_(context.bodies),
      at_{RawArray<P>(context.bodies + kCellGroup), RawArray<P>(context.bodies + kCellGroup),
          RawArray<P>(context.bodies + kCellGroup)},
      source_(context.bodies),
      row_(context.bodies),
      rowFirst_(context.bodies + 1),
      groups_(context.bodies),
      sums_(context.bodies) {
    for (RawArray<P>& axis : at_) std::fill_n(axis.data() + context.bodies, kCellGroup, P(0));
}

template <class T, class P>
double CellMethod<T, P>::bytes(std::size_t bodies) {
    const double perBody = 4 * sizeof(P) + 3 * sizeof(std::uint32_t) + sizeof(std::uint64_t) + sizeof(Group);
    return KeySort::bytes(bodies) + perBody * static_cast<double>(bodies) +
           3.0 * sizeof(T) * static_cast<double>(roundUp(bodies, kTile));
}

template <class T, class P>
void CellMethod<T, P>::prepare(const CpuBodies<T>& bodies, const ForceRequest& request) {
    bodies_ = bodies;
    request_ = request;
    request_.active = request.wanted(bodies.count);
    loop_ = loopsFor(context_.simd, P()).of(request.settings).cells;
    step_ = bodies.count > 0 ? kKeys : kSteps;
    batch_ = 0;
    pairs_ = reported_ = 0;
    seconds_ = {};
}

template <class T, class P>
ForceProgress CellMethod<T, P>::enqueue(double seconds) {
    if (underWay()) run(deadlineAfter(seconds));
    ForceProgress progress{.complete = !underWay(), .work = {.pairs = static_cast<double>(pairs_ - reported_)}};
    reported_ = pairs_;
    if (progress.complete && request_.active.all()) makeFigures();
    return progress;
}

template <class T, class P>
double CellMethod<T, P>::progress() const {
    if (!underWay()) return 0;
    // Keys and order take about a tenth of the time.
    constexpr double kBuildShare = 0.1, kWalkShare = 0.89;
    if (step_ < kWalk) return kBuildShare * step_ / static_cast<double>(kWalk);
    return kBuildShare + kWalkShare * static_cast<double>(batch_) / static_cast<double>(batches());
}

template <class T, class P>
std::int64_t CellMethod<T, P>::batches() const {
    return static_cast<std::int64_t>((groupCount_ + batchGroups_ - 1) / batchGroups_);
}

template <class T, class P>
void CellMethod<T, P>::run(Deadline deadline) {
    using Clock = std::chrono::steady_clock;
    do {
        const Clock::time_point start = Clock::now();
        const int step = step_;
        bool done = true;
        if (step == kKeys)
            makeKeys();
        else if (step < kGather)
            sort_.pass(step - kSorting, context_.pool);
        else if (step == kGather)
            gather();
        else if (step == kGroups)
            makeGroups();
        else
            done = walk(deadline);
        seconds_[static_cast<std::size_t>(step)] += std::chrono::duration<double>(Clock::now() - start).count();
        if (!done) return;
        ++step_;
    } while (step_ < kSteps && (deadline == kNoDeadline || Clock::now() < deadline));
}

template <class T, class P>
void CellMethod<T, P>::makeKeys() {
    const double scale = cellsPerLength(request_.settings);
    KeyedBody* keyed = sort_.data();
    // Cells use the positions that pairs use, which are rounded where pairs have less precision than the state.
    const auto place = [&](std::size_t axis, std::size_t i) {
        return cellPlace(static_cast<double>(static_cast<P>(bodies_.axis[axis][i])), scale);
    };
    const bool few = request_.sources.count < bodies_.count;
    context_.pool.forRange(bodies_.count, kCellGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            keyed[i] = {
                cellKey(place(0, i), place(1, i), place(2, i)) | (few && bodies_.source[i] == 0 ? kCellOfTargets : 0),
                static_cast<std::uint32_t>(i)};
    });
}

template <class T, class P>
void CellMethod<T, P>::gather() {
    const KeyedBody* sorted = sort_.data();
    context_.pool.forRange(bodies_.count, kCellGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t place = first; place < last; ++place) {
            order_[place] = sorted[place].body;
            cell_[place] = cellOfRow(sorted[place].key);
        }
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t place = first; place < last; ++place)
                at_[axis][place] = static_cast<P>(bodies_.axis[axis][order_[place]]);
        for (std::size_t place = first; place < last; ++place)
            source_[place] = static_cast<P>(bodies_.source[order_[place]]);
    });
}

template <class T, class P>
void CellMethod<T, P>::makeGroups() {
    const KeyedBody* sorted = sort_.data();
    rows_ = groupCount_ = cells_ = mostInCell_ = 0;
    std::uint32_t cellFirst = 0;
    const auto count = static_cast<std::uint32_t>(bodies_.count),
               acting = static_cast<std::uint32_t>(request_.sources.among(count));
    for (std::uint32_t place = 0; place < count; ++place) {
        const std::uint64_t key = sorted[place].key;
        if (place < acting && (place == 0 || key != sorted[place - 1].key)) {
            cellFirst = place;
            ++cells_;
        }
        if (place < acting) mostInCell_ = std::max<std::size_t>(mostInCell_, place + 1 - cellFirst);
        const bool newRow = rows_ == 0 || row_[rows_ - 1] != cellRow(key);
        if (newRow) {
            row_[rows_] = cellRow(key);
            rowFirst_[rows_++] = place;
        }
        if (newRow || groups_[groupCount_ - 1].count == kCellGroup)
            groups_[groupCount_++] = {place, 0, static_cast<std::uint32_t>(rows_ - 1)};
        ++groups_[groupCount_ - 1].count;
    }
    rowFirst_[rows_] = count;
}

template <class T, class P>
std::uint64_t CellMethod<T, P>::sum(const BodyView<P>& sorted, const Group& group) {
    const auto active = [&](std::uint32_t body) { return request_.active.has(body); };
    if (std::none_of(order_.data() + group.first, order_.data() + group.first + group.count, active)) return 0;
    const std::uint32_t first = cell_[group.first] - 1, last = cell_[group.first + group.count - 1] + 1;
    std::array<CellStretch, kCellRows> stretches;
    std::size_t found = 0;
    std::uint64_t bodies = 0;
    const std::uint64_t *rows = row_.data(), *rowsEnd = rows + rows_;
    for (int which = 0; which < kCellRows; which += 3) {
        // Three consecutive rows.
        const std::uint64_t here = sourceRow(row_[group.row]);
        const std::uint64_t from = neighbourRow(here, which), to = neighbourRow(here, which + 2);
        for (const std::uint64_t* row = std::lower_bound(rows, rowsEnd, from); row < rowsEnd && *row <= to; ++row) {
            const std::uint32_t *cells = cell_.data(),
                                *cellsEnd = cells + rowFirst_[static_cast<std::size_t>(row - rows) + 1];
            const std::uint32_t* begin =
                std::lower_bound(cells + rowFirst_[static_cast<std::size_t>(row - rows)], cellsEnd, first);
            const std::uint32_t* end = std::upper_bound(begin, cellsEnd, last);
            if (begin == end) continue;
            stretches[found++] = {static_cast<std::uint32_t>(begin - cells), static_cast<std::uint32_t>(end - cells)};
            bodies += static_cast<std::uint64_t>(end - begin);
        }
    }
    CellSums<P> sums;
    loop_(sorted, request_, {group.first, group.count, std::span(stretches).first(found)}, sums);
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t k = 0; k < group.count; ++k)
            sums_.axis[axis][order_[group.first + k]] =
                static_cast<T>(sums.sum[axis][k]) + static_cast<T>(sums.lost[axis][k]);
    return bodies * group.count;
}

template <class T, class P>
bool CellMethod<T, P>::walk(Deadline deadline) {
    const BodyView<P> sorted{at_[0].data(), at_[1].data(), at_[2].data(), source_.data(), bodies_.count};
    // The sum of counts is the same in any order.
    std::atomic<std::uint64_t> pairs{0};
    auto batch = [&](std::int64_t index) {
        const std::size_t first = static_cast<std::size_t>(index) * batchGroups_;
        std::uint64_t here = 0;
        for (std::size_t k = first; k < std::min(first + batchGroups_, groupCount_); ++k) here += sum(sorted, groups_[k]);
        pairs.fetch_add(here, std::memory_order_relaxed);
    };
    batch_ = bodies_.count <= kTinyBodies ? ThreadPool::runHere(batch_, batches(), deadline, batch)
                                          : context_.pool.run(batch_, batches(), deadline, batch);
    pairs_ += pairs;
    return batch_ == batches();
}

template <class T, class P>
void CellMethod<T, P>::makeFigures() {
    const auto seconds = [&](int first, int last) {
        return std::accumulate(seconds_.begin() + first, seconds_.begin() + last, 0.0);
    };
    const double n = static_cast<double>(std::max<std::size_t>(1, bodies_.count)), pairs = static_cast<double>(pairs_);
    const auto acting = static_cast<double>(request_.sources.among(bodies_.count));
    figures_ = {{"cells", "", static_cast<double>(cells_)},
                {"bodies a cell", "", acting / static_cast<double>(std::max<std::size_t>(1, cells_))},
                {"most in a cell", "", static_cast<double>(mostInCell_)},
                {"bodies a body", "", pairs / n},
                {"share of all pairs", "", pairs / (n * n)},
                {"keys and sort", "s", seconds(kKeys, kGroups)},
                {"build", "s", seconds(kGroups, kWalk)},
                {"walk", "s", seconds(kWalk, kSteps)}};
}

template <class T, class P>
CpuForceSums<T> CellMethod<T, P>::sums() const {
    return {sums_.data(), static_cast<T>(forceFactor(request_.settings))};
}

template class CellMethod<float, float>;
template class CellMethod<double, float>;
template class CellMethod<double, double>;

}  // namespace gravlab::cpu
