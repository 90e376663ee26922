#include "sim/backends/cpu/methods/tree_method.h"

#include "sim/backends/exchange.h"
#include "sim/backends/force_state.h"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace gravlab::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Least mean number of bodies per group. With the usual block a thread takes four groups at a time, some 0.1 ms.
constexpr int kBodiesOfGroup = 32;
constexpr std::size_t kGrain = 16384;

// Where at most one body of this many is active, an evaluation reuses the order of bodies and the nodes. They come from an
// earlier evaluation in the same step of the run. New moments make the cells correct again; only their shapes are old.
constexpr std::size_t kBodiesToReuse = 4;

bool past(Deadline deadline) { return deadline != kNoDeadline && Clock::now() >= deadline; }

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

template <class T>
TreeMethod<T>::TreeMethod(TreeWalk walk, const MethodContext& context, TreeKeys curve)
    : walk_(walk),
      curve_(curve),
      context_(context),
      batchGroups_(static_cast<std::size_t>(std::max(1, context.launch.block / kBodiesOfGroup))),
      kernels_(treeKernels(context.simd)),
      tree_(context.bodies),
      sums_(context.bodies),
      whole_(kMixed ? context.bodies : 0),
      before_(context.bodies),
      lengths_(context.bodies),
      partial_((context.bodies + kGrain - 1) / kGrain) {
    figures_.reserve(16);
}

template <class T>
double TreeMethod<T>::bytes(std::size_t bodies, const ForceSettings& force) {
    const double sums = 3 * (sizeof(float) + (kMixed ? sizeof(T) : 0));
    return Octree::bytes(bodies, signedCells(force)) + sums * static_cast<double>(roundUp(bodies, kTile)) +
           2.0 * sizeof(float) * static_cast<double>(bodies);
}

template <class T>
Accuracy TreeMethod<T>::accuracy() const {
    const double error = keptAccuracy(walk_, request_.settings, request_.allowedError, request_.opening);
    return {.gate = gateOfAccuracy(error), .allowedError = error};
}

template <class T>
std::vector<StateArray> TreeMethod<T>::state() const {
    if (!hasLengths_ || !keepsState()) return {};
    return {{"lengths", doublesOf({before_.data(), before_.size()})}};
}

template <class T>
bool TreeMethod<T>::restore(const std::vector<StateArray>& state) {
    hasLengths_ = false;
    if (state.empty()) return true;
    if (state.size() != 1 || state[0].name != "lengths" || state[0].values.size() != before_.size()) return false;
    std::ranges::transform(state[0].values, before_.data(), [](double length) { return static_cast<float>(length); });
    hasLengths_ = true;
    kept_.reset();
    return true;
}

template <class T>
void TreeMethod<T>::prepare(const CpuBodies<T>& bodies, const ForceRequest& request) {
    const TreeForce force = treeForce(request.settings);
    if (request.potential && !treeHasEnergy(request.settings)) throw std::logic_error("no tree sums these potentials");
    if (kept_ && *kept_ != force) hasLengths_ = false;
    tree_.takeSigned(signedCells(request.settings));
    kept_ = force;
    law_ = force.law;
    bodies_ = bodies;
    request_ = request;
    request_.active = request.wanted(bodies.count);
    tree_.takeSources(request.sources.among(bodies.count));
    step_ = bodies.count > 0 ? kKeys : kSteps;
    const ActiveBodies& active = request_.active;
    reusesNodes_ = active.follows && tree_.nodes() > 0 && active.count * kBodiesToReuse <= bodies.count;
    batch_ = 0;
    counts_ = reported_ = {};
    longest_ = 0;
    seconds_ = {};
    lacksParts_ = false;
    for (auto& work : work_) work.store(0, std::memory_order_relaxed);
    if (!request.potential) return;
    fields_.field.resize(bodies.count);
    fields_.nearest.resize(bodies.count);
    fields_.neighbour.resize(bodies.count);
}

template <class T>
ForceProgress TreeMethod<T>::enqueue(double seconds) {
    const std::int64_t before = step_ == kWalk ? batch_ : 0;
    if (underWay()) run(deadlineAfter(seconds));
    const bool complete = !underWay();
    const auto groups = this->groups();
    ForceProgress progress{.complete = complete};
    if (bodies_.count > 0 && step_ >= kWalk) {
        const std::size_t end =
            complete ? groups.size() : std::min(groups.size(), static_cast<std::size_t>(batch_) * batchGroups_);
        for (std::size_t k = static_cast<std::size_t>(before) * batchGroups_; k < end; ++k)
            progress.work.bodies += groups[k].count;
    }
    const auto difference = [](std::uint64_t now, std::uint64_t earlier) { return static_cast<double>(now - earlier); };
    progress.work.pairs = difference(counts_.pairs, reported_.pairs);
    progress.work.cells = difference(counts_.cells + counts_.expandedLow + counts_.expandedHigh,
                                     reported_.cells + reported_.expandedLow + reported_.expandedHigh);
    reported_ = counts_;
    if (complete && request_.active.all()) makeFigures();
    return progress;
}

template <class T>
double TreeMethod<T>::progress() const {
    if (!underWay()) return 0;
    const double groups = static_cast<double>(batch_) / static_cast<double>(std::max<std::size_t>(1, batches()));
    // The tree takes about a tenth of the time.
    constexpr double kTreeShare = 0.1, kWalkShare = 0.89;
    if (step_ >= kWalk) return kTreeShare + kWalkShare * groups;
    return kTreeShare * (step_ + (step_ == kFirstWalk ? groups : 0)) / static_cast<double>(kWalk);
}

template <class T>
std::size_t TreeMethod<T>::batches() const {
    return (groups().size() + batchGroups_ - 1) / batchGroups_;
}

template <class T>
std::span<const TreeGroup> TreeMethod<T>::groupsOf(const PartRange& parts) const {
    // The first lengths are wanted for all bodies: a later evaluation reads those of other bodies.
    if (step_ == kFirstWalk) return tree_.groups();
    const std::span<const TreeGroup> all = request_.active.all() ? tree_.groups() : std::span<const TreeGroup>(active_);
    const std::size_t first = all.size() * parts.first / kTreeParts, last = all.size() * parts.last / kTreeParts;
    return all.subspan(first, last - first);
}

/// Selects, of each group, the range from the first to the last of its active bodies.
template <class T>
void TreeMethod<T>::chooseGroups() {
    const std::span<const TreeGroup> all = tree_.groups();
    const std::uint32_t* order = tree_.view().order;
    found_.resize(all.size());
    context_.pool.forRange(all.size(), kGrain / kTreeGroup, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            std::uint32_t first = all[k].first, last = first + all[k].count;
            while (first < last && !request_.active.has(order[first])) ++first;
            while (last > first && !request_.active.has(order[last - 1])) --last;
            found_[k] = {first, last - first};
        }
    });
    active_.clear();
    std::ranges::copy_if(found_, std::back_inserter(active_), [](const TreeGroup& group) { return group.count > 0; });
}

/// Whether the last evaluation already made the result of that step.
template <class T>
bool TreeMethod<T>::madeBefore(int step) const {
    return reusesNodes_ && (step < kGather || step == kNodes || step == kLinks);
}

template <class T>
void TreeMethod<T>::run(Deadline deadline) {
    ThreadPool& pool = context_.pool;
    const TreeBodies<T> bodies{bodies_.axis, bodies_.source};
    do {
        const Clock::time_point start = Clock::now();
        const int step = step_;
        bool done = true;
        if (madeBefore(step)) {
            ++step_;
            continue;
        }
        if (step == kKeys)
            tree_.makeKeys(bodies, kernels_, pool, curve_);
        else if (step < kGather)
            tree_.sortPass(step - kSorting, pool);
        else if (step == kGather)
            tree_.gather(bodies, pool);
        else if (step == kNodes)
            tree_.findNodes(pool);
        else if (step == kLinks)
            tree_.linkNodes(pool);
        else if (step == kMoments)
            tree_.addMoments(pool);
        else if (step == kGroups) {
            if (!reusesNodes_) tree_.makeGroups();
            if (!request_.active.all()) chooseGroups();
        } else if (step == kFirstWalk)
            done = hasLengths_ || !keepsState() || walkGroups(TreeWalk::theta, true, deadline);
        else if (step == kMeasure)
            smallest_ = keepsState() ? smallest() : 0;
        else if (step == kWalk)
            done = walkGroups(walk_, false, deadline);
        else if (request_.potential)
            endFields();
        else if constexpr (kMixed)
            pool.forRange(bodies_.count, kGrain, [&](std::size_t first, std::size_t last) {
                for (std::size_t axis = 0; axis < 3; ++axis)
                    for (std::size_t i = first; i < last; ++i) whole_.axis[axis][i] = static_cast<T>(sums_.axis[axis][i]);
            });
        seconds_[static_cast<std::size_t>(step)] += secondsSince(start);
        if (!done) return;
        ++step_;
    } while (step_ < kSteps && !past(deadline));
    if (step_ < kSteps || request_.potential) return;
    lacksParts_ = !request_.parts.all();
    if (!lacksParts_) takeLengths();
}

template <class T>
void TreeMethod<T>::takeLengths() {
    if (request_.active.all()) std::swap(before_, lengths_);
    hasLengths_ = true;
}

template <class T>
void TreeMethod<T>::setLengths(MessageReader& from) {
    from.get(std::span(before_.data(), context_.bodies));
    hasLengths_ = true;
    kept_.reset();
}

/// Calls each(place, body) for the bodies of the groups, on all threads. Places count from the first body on.
template <class T>
template <class Each>
void TreeMethod<T>::forBodies(std::span<const TreeGroup> groups, const Each& each) const {
    const std::uint32_t* order = tree_.view().order;
    context_.pool.forRange(groups.size(), kGrain / kTreeGroup, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            for (std::uint32_t place = groups[k].first; place < groups[k].first + groups[k].count; ++place)
                each(place - groups.front().first, order[place]);
    });
}

/// Bytes of the sums of these groups, with those of bodies between them, which are not written.
template <class T>
std::size_t TreeMethod<T>::bytesOf(std::span<const TreeGroup> groups) {
    return groups.empty() ? 0 : 4 * sizeof(float) * (groups.back().first + groups.back().count - groups.front().first);
}

template <class T>
void TreeMethod<T>::give(MessageWriter& to) const {
    to.add(counts_);
    to.add(longest_);
    for (std::size_t k = request_.parts.first; k < request_.parts.last; ++k)
        to.add(work_[k].load(std::memory_order_relaxed));
    const float* lengths = request_.active.all() ? lengths_.data() : before_.data();
    std::byte* const bytes = to.room(bytesOf(groups()));
    forBodies(groups(), [&](std::size_t place, std::uint32_t i) {
        const std::array values{sums_.axis[0][i], sums_.axis[1][i], sums_.axis[2][i], lengths[i]};
        std::memcpy(bytes + place * sizeof values, &values, sizeof values);
    });
}

template <class T>
ForceWork TreeMethod<T>::take(const ForceRequest& part, MessageReader& from) {
    const auto counts = from.get<TreeCounts>();
    counts_ += counts;
    longest_ = std::max(longest_, from.get<std::uint64_t>());
    for (std::size_t k = part.parts.first; k < part.parts.last; ++k) work_[k] = from.get<std::uint64_t>();
    ForceWork work{.pairs = static_cast<double>(counts.pairs), .cells = static_cast<double>(counts.all() - counts.pairs)};
    float* lengths = newLengths();
    const std::span<const TreeGroup> groups = groupsOf(part.parts);
    for (const TreeGroup& group : groups) work.bodies += group.count;
    const std::span<const std::byte> bytes = from.rest();
    if (bytes.size() != bytesOf(groups)) throw std::logic_error("the sums of a part have another size");
    forBodies(groups, [&](std::size_t place, std::uint32_t i) {
        std::array<float, 4> values;
        std::memcpy(&values, bytes.data() + place * sizeof values, sizeof values);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            sums_.axis[axis][i] = values[axis];
            if constexpr (kMixed) whole_.axis[axis][i] = static_cast<T>(values[axis]);
        }
        lengths[i] = values[3];
    });
    return work;
}

template <class T>
void TreeMethod<T>::endParts() {
    if (!std::exchange(lacksParts_, false)) return;
    takeLengths();
    if (request_.active.all()) makeFigures();
}

template <class T>
void TreeMethod<T>::addEnds(const ForceRequest& part, std::vector<std::uint32_t>& to) const {
    const std::span<const TreeGroup> groups = groupsOf(part.parts);
    if (groups.empty()) return;
    to.push_back(tree_.view().order[groups.front().first]);
    to.push_back(tree_.view().order[groups.back().first + groups.back().count - 1]);
}

template <class T>
bool TreeMethod<T>::walkGroups(TreeWalk walk, bool forLengths, Deadline deadline) {
    ForceRequest request = request_;
    if (forLengths) request.opening = 0;
    TreeWalkTask task = walkTask(tree_, walk, request);
    // For a subset of the bodies the lengths are updated in place: a group reads and writes no others.
    task.lengths = forLengths ? before_.data() : newLengths();
    task.before = before_.data();
    task.smallest = smallest_;
    const bool forFields = request_.potential && !forLengths;
    if (forFields) {
        task.fields = fields_.field.data();
        task.nearest = fields_.nearest.data();
        task.neighbours = fields_.neighbour.data();
        task.softened = request_.settings.softening > 0;
    } else if (!forLengths) {
        task.sums = {sums_.axis[0].data(), sums_.axis[1].data(), sums_.axis[2].data()};
    }
    const std::span<const TreeGroup> groups = this->groups();
    // The part that a group belongs to, with the bounds of groupsOf().
    const std::size_t among = request_.active.all() ? tree_.groups().size() : active_.size(),
                      skipped = among * request_.parts.first / kTreeParts;
    const TreeWalks& walks = treeWalks(context_.simd, law_);
    const auto walkOne = forFields ? walks.fieldWalk : walks.walk[static_cast<std::size_t>(walk)];
    const auto all = static_cast<std::int64_t>(batches());
    std::mutex counting;  // integer sums are the same in any order
    auto batch = [&](std::int64_t index) {
        const std::size_t first = static_cast<std::size_t>(index) * batchGroups_;
        TreeCounts here;
        std::uint64_t longest = 0;
        for (std::size_t k = first; k < std::min(first + batchGroups_, groups.size()); ++k) {
            const std::uint64_t before = here.all();
            walkOne(task, groups[k], here);
            const std::uint64_t work = here.all() - before;
            longest = std::max(longest, work / groups[k].count);
            if (!forLengths) work_[((skipped + k + 1) * kTreeParts - 1) / among].fetch_add(work, std::memory_order_relaxed);
        }
        const std::lock_guard lock(counting);
        counts_ += here;
        longest_ = std::max(longest_, longest);
    };
    batch_ = bodies_.count <= kTinyBodies ? ThreadPool::runHere(batch_, all, deadline, batch)
                                          : context_.pool.run(batch_, all, deadline, batch);
    if (batch_ < all) return false;
    if (forLengths) batch_ = 0;
    return true;
}

/// Replaces places by bodies.
template <class T>
void TreeMethod<T>::endFields() {
    constexpr float kNone = 1e38f;
    const std::uint32_t* order = tree_.view().order;
    for (std::size_t i = 0; i < bodies_.count; ++i)
        fields_.neighbour[i] = fields_.nearest[i] < kNone ? static_cast<std::int32_t>(order[fields_.neighbour[i]]) : -1;
    const TreeForce force = treeForce(request_.settings);
    fields_.unit = force.factor * std::pow(static_cast<double>(tree_.scale().length), force.power - 1) /
                   static_cast<double>(tree_.scale().source);
}

/// The floor of |a|: kSmallestShare of the rms acceleration.
template <class T>
float TreeMethod<T>::smallest() {
    context_.pool.forRange(bodies_.count, kGrain, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i)
            if (const double length = static_cast<double>(before_[i]); std::isfinite(length)) sum += length * length;
        partial_[first / kGrain] = sum;
    });
    const double sum = std::accumulate(partial_.begin(), partial_.end(), 0.0);
    return static_cast<float>(kSmallestShare * std::sqrt(sum / static_cast<double>(bodies_.count)));
}

template <class T>
void TreeMethod<T>::makeFigures() {
    const auto seconds = [&](int first, int last) {
        return std::accumulate(seconds_.begin() + first, seconds_.begin() + last, 0.0);
    };
    const auto perBody = [&](std::uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, bodies_.count));
    };
    figures_ = {{"levels", "", static_cast<double>(tree_.levels())},
                {"nodes", "", static_cast<double>(tree_.nodes())},
                {"leaves", "", static_cast<double>(tree_.leaves())},
                {"groups", "", static_cast<double>(tree_.groups().size())},
                {"bodies a body", "", perBody(counts_.pairs)},
                {"cells a body", "", perBody(counts_.cells)},
                {"expanded a body", "", perBody(counts_.expandedLow + counts_.expandedHigh)},
                {"longest list", "", static_cast<double>(longest_)},
                {"keys and sort", "s", seconds(kKeys, kNodes)},
                {"build", "s", seconds(kNodes, kMoments)},
                {"moments", "s", seconds(kMoments, kGroups)},
                {"groups", "s", seconds(kGroups, kFirstWalk)},
                {"walk", "s", seconds(kFirstWalk, kSteps)}};
}

template <class T>
CpuForceSums<T> TreeMethod<T>::sums() const {
    const T factor = static_cast<T>(forceFactor(request_.settings));
    if constexpr (kMixed)
        return {whole_.data(), factor};
    else
        return {sums_.data(), factor};
}

template class TreeMethod<float>;
template class TreeMethod<double>;

}  // namespace gravlab::cpu
