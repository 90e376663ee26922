// Takes far bodies as cells: every evaluation builds a tree, and each group of bodies walks it. The state of the method is
// the last accelerations, which the criterion needs.
#include "sim/backends/cuda/kernels/tree.h"

#include "sim/backends/cuda/kernels/tree_part.h"
#include "sim/backends/cuda/kernels/tree_regions.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/methods/timed_counts.h"
#include "sim/backends/cuda/methods/tree_energy.h"
#include "sim/backends/force_state.h"
#include "sim/forces/force_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gravlab::cuda {
namespace {

// Bodies a second that a well-filled device walks at 1e-3, until the rate is measured.
constexpr double kExpectedRate = 3e8;
// Cost of the tree's construction, in units of a walk.
constexpr double kBuildShare = 0.35;
// Smallest numbers of bodies whose groups of 64 targets fill the device, with a warp each or with a block each; with fewer
// bodies a group has 32 targets.
constexpr std::uint32_t kWideGroups = 400000, kWideTeams = 100000;
// With fewer bodies, the warps of a block walk for one group together (65,536 bodies: 0.16 ms a walk for 0.25 at 1e-3, 0.43
// for 0.72 at 1e-4; 262,144: 0.45 for 0.39).
constexpr std::uint32_t kTogether = 200000;
// Slices are longer than the request: at the end of each, most of the device waits for the slowest groups (0.1 ms).
constexpr double kLongSlice = 3;
// Where at most one body in this many is active, the evaluation uses the order and nodes of the one before, as on the CPU.
constexpr std::size_t kBodiesToReuse = 4;

/// Threads of a block, from the plan where its row is a tree; else kWalkThreads, because any row may have a tree for
/// energies.
unsigned walkThreads(const LaunchPlan& plan) {
    return plan.entry->own() && plan.entry->row.blockSizes.size() > 0 ? static_cast<unsigned>(plan.launch.block)
                                                                      : kWalkThreads;
}

std::uint32_t blocksOf(std::uint32_t count) { return (count + kTreeThreads - 1) / kTreeThreads; }

/// Several sets of arrays in one piece of memory, for work in which the sets are never needed at the same time.
class MemoryPlan {
public:
    template <class T>
    void place(T*& array, std::size_t count) {
        // Alignment [bytes] that a separate allocation would have.
        constexpr std::size_t kAlignment = 256;
        settled_.push_back([&array, at = end_](std::uint8_t* memory) { array = reinterpret_cast<T*>(memory + at); });
        end_ += (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        most_ = std::max(most_, end_);
    }
    /// Begins another set.
    void begin() { end_ = base_; }
    /// Shares the memory of the arrays placed so far with no later set.
    void keep() { base_ = end_; }
    /// Allocates the memory. Throws DeviceError when there is not enough.
    void take(DeviceArrays& arrays) const {
        auto* const memory = arrays.make<std::uint8_t>(most_);
        for (const auto& settle : settled_) settle(memory);
    }

private:
    std::size_t base_ = 0, end_ = 0, most_ = 0;
    std::vector<std::function<void(std::uint8_t*)>> settled_;
};

class Tree final : public DeviceForceMethod<float> {
public:
    Tree(const MethodParts& parts, TreeWalk walk, TreeKeys curve = TreeKeys::hilbert)
        : DeviceForceMethod(parts.plan, parts.count, std::make_shared<RateEstimate>(kExpectedRate)),
          walk_(walk),
          curve_(curve),
          stream_(parts.stream),
          multiprocessors_(static_cast<unsigned>(std::max(1, parts.device.multiprocessors))),
          threads_(walkThreads(parts.plan)),
          limits_(parts.plan.trees),
          timing_(parts.stream) {
        const std::uint32_t n = parts.count;
        suit();
        if (n == 0) return;
        const std::size_t nodes = most_ = task_.room;
        task_.partial = arrays_.make<double>(kTreeMeasured * kTreeMeasureBlocks);
        task_.scale = arrays_.make<TreeScale>(1);
        task_.order = arrays_.make<std::uint32_t>(n);
        task_.sorted = arrays_.make<Float4>(n);
        task_.nodes.centre = arrays_.make<Float4>(2 * nodes);
        task_.nodes.level = arrays_.make<std::uint8_t>(nodes);
        // Keys and indices are not read after the sort, and the boxes are written later, when nodes are found.
        {
            MemoryPlan plan;
            plan.place(task_.nodes.box, 2 * nodes);
            plan.begin();
            plan.place(task_.key, n);
            plan.place(task_.index, n);
            plan.take(arrays_);
        }
        // The arrays of the search for nodes are not read after it, and the moments are written later. Bodies without mass
        // are cut into groups by their keys after that.
        {
            MemoryPlan plan;
            if (task_.sources < n) {
                plan.place(task_.sortedKey, n);
                plan.keep();
            }
            plan.place(task_.nodes.moments, 2 * nodes);
            plan.begin();
            if (task_.sources == n) plan.place(task_.sortedKey, n);
            plan.place(task_.levels, n);
            plan.place(task_.starts, starts_);
            plan.place(task_.offsets, starts_);
            scratchBytes_ = std::max(sortBytes(n, keyBits()), scanBytes(starts_));
            plan.place(scratch_, scratchBytes_);
            plan.take(arrays_);
        }
        // Links carry the moments from children to parents, and the groups are made after all moments.
        {
            MemoryPlan plan;
            plan.place(task_.nodes.parent, nodes);
            plan.place(task_.nodes.arrived, nodes);
            plan.begin();
            mostGroups_ = treeGroupRoom(n, task_.sources);
            plan.place(task_.groups, mostGroups_);
            plan.take(arrays_);
        }
        task_.groupCounts = arrays_.make<std::uint32_t>(kTreeGroupBlocks);
        task_.facts = arrays_.make<TreeFacts>(1);
        counts_ = DeviceArray<TreeCounts>(2);
        next_ = DeviceArray<std::uint32_t>(2 * kTreeParts);
        before_ = DeviceArray<float>(n);
        if (!limits_.oneState) lengths_ = DeviceArray<float>(n);
        timing_.allocate();
        CUDA_CHECK(fillAsync(counts_.data(), 0, counts_.bytes(), stream_));
    }

    Accuracy accuracy() const override {
        const double error = keptAccuracy(walk_, request().settings, request().allowedError, request().opening);
        return {.gate = gateOfAccuracy(error), .allowedError = error};
    }
    bool keepsState() const override { return relative(); }
    std::vector<StateArray> state() const override {
        if (!hasLengths_) return {};
        std::vector<float> host(count());
        copyNow(host.data(), before_.data(), host.size(), Copy::toHost, stream_);
        return {{"lengths", doublesOf(host)}};
    }
    bool restore(const std::vector<StateArray>& state) override {
        hasLengths_ = false;
        if (state.empty()) return true;
        if (state.size() != 1 || state[0].name != "lengths" || state[0].values.size() != count()) return false;
        const std::vector<float> host(state[0].values.begin(), state[0].values.end());
        copyNow(before_.data(), host.data(), host.size(), Copy::toDevice, stream_);
        hasLengths_ = true;
        kept_.reset();
        return true;
    }
    bool takesFewer(const LaunchPlan& plan, std::uint32_t count) const override {
        return plan.entry == this->plan().entry && plan.launch == this->plan().launch &&
               treeNodeRoom(count, limits_) <= most_;
    }
    void takeFewer(const LaunchPlan& plan, std::uint32_t count, const DeviceChanges& changes) override {
        DeviceForceMethod::takeFewer(plan, count, changes);
        suit();
        hasNodes_ = false;
        if (!hasLengths_) return;
        changes.keep(before_.data(), lengths_.data(), count, count, 0.0f);
        std::swap(before_, lengths_);
    }
    void prepare(const DeviceBodies<float>& bodies, const ForceRequest& request) override {
        const TreeForce force = treeForce(request.settings);
        if (request.potential && !treeHasEnergy(request.settings)) throw std::logic_error("no tree sums these potentials");
        if (kept_ && *kept_ != force) hasLengths_ = false;
        kept_ = force;
        law_ = force.law;
        DeviceForceMethod::prepare(bodies, request);
        task_.bodies = bodies.positions;
        task_.sourceList = request.sources.list;
        if (this->request().sources.among(count()) != task_.sources)
            throw std::logic_error("a tree was planned for other sources");
        units_ = first() ? PartRange() : this->request().parts;
        nextLengths_ = nullptr;
        work_ = nullptr;
        const ActiveBodies& active = this->request().active;
        reusesNodes_ = active.follows && hasNodes_ && hasLengths_ && active.count * kBodiesToReuse <= count();
    }
    // Several devices divide the groups; each has the whole tree.
    std::size_t units(const ForceRequest& request) const override {
        const bool known = !relative() || (hasLengths_ && (!kept_ || *kept_ == treeForce(request.settings)));
        return known && request.active.all() && !request.sources.list && !request.potential ? kTreeParts : 0;
    }
    KeptLengths lengths() const override { return {before_.data(), lengths_.data()}; }
    void follow(float* next) override {
        hasLengths_ = true;
        nextLengths_ = next;
    }
    void countWork(TreeCounts* work) override { work_ = work; }
    void findEnds(std::span<const std::size_t> bounds, std::uint32_t* bodies) override {
        TreeEndsTask task{task_.groups, task_.order, task_.facts, twoLevels_ ? kRegionGroups : 1, {}, bodies};
        const std::size_t ends = std::min(bounds.size(), std::size(task.bounds));
        std::copy_n(bounds.begin(), ends, task.bounds);
        launchKernel(treeEndsKernel(), {1}, static_cast<unsigned>(2 * (ends - 1)), task, 0, stream_);
    }
    void packPart(const PartRange& part, const PackedTree& to, std::uint32_t* bodies) override {
        const TreePackTask task{task_.groups,
                                task_.order,
                                task_.facts,
                                twoLevels_ ? kRegionGroups : 1,
                                {static_cast<std::uint32_t>(part.first), static_cast<std::uint32_t>(part.last)},
                                this->bodies().sums,
                                before_.data(),
                                to,
                                bodies};
        CUDA_CHECK(fillAsync(bodies, 0, sizeof *bodies, stream_));
        launchKernel(treePackKernel(), {std::min(blocksOf(count()), 8 * multiprocessors_)}, kTreeThreads, task, 0, stream_);
    }
    // Progress in bodies; tree construction counts as kBuildShare * N.
    double work() const override { return (1 + kBuildShare) * count(); }
    double rated(const ForceWork& work) const override { return work.bodies; }

    std::vector<MethodFigure> figures() const override { return figures_; }

    /// Evaluations for the potential write these fields in place of sums, and no state.
    void sumFields(const TreeFields& fields) { fields_ = fields; }

private:
    /// Chooses what depends on the number of bodies.
    void suit() {
        const std::uint32_t n = count();
        const bool expands = walk_ == TreeWalk::expansions;
        twoLevels_ = expands && n >= limits_.regionsFrom;
        together_ = expands && threads_ == kWalkThreads && n < kTogether && !twoLevels_;
        targetsPerLane_ = twoLevels_ || n >= (together_ ? kWideTeams : kWideGroups) ? 2 : 1;
        task_.count = n;
        task_.sources = static_cast<std::uint32_t>(plan().sources.among(n));
        task_.blocks = blocksOf(task_.sources);
        task_.room = static_cast<std::uint32_t>(treeNodeRoom(task_.sources, limits_));
        starts_ = kTreeDepths * task_.blocks + 1;
    }
    bool relative() const { return !byAngle(walk_); }
    /// Lengths are overwritten: a group reads and writes only those of its own bodies.
    bool inPlace() const { return limits_.oneState || !request().active.all(); }
    /// The first evaluation runs twice: by the opening angle for |a|, and then by the criterion.
    bool first() const { return relative() && !hasLengths_; }

    ForceProgress enqueuePairs(double bodies) override {
        const std::uint32_t n = count();
        if (n == 0) return {.complete = true};
        if (law_ == TreeLaw::charges && dipoles_.size() == 0) dipoles_ = DeviceArray<Float4>(task_.room);
        ForceProgress done{.work = takeCounts()};
        const ActiveBodies& active = request().active;
        if (!active.all()) requireActiveGroups();
        const double walked = active.all() ? n : static_cast<double>(active.count);
        if (phase_ == Phase::build) {
            const double slices =
                std::ceil(walked * static_cast<double>(partCount()) / kTreeParts / std::max(1.0, kLongSlice * bodies));
            slice_ =
                static_cast<std::size_t>(std::max(1.0, std::ceil(static_cast<double>(partCount()) / std::max(1.0, slices))));
            if (work_) {
                slice_ = std::min(slice_, (partCount() + kCountedSlices - 1) / kCountedSlices);
                CUDA_CHECK(fillAsync(work_, 0, kCountedSlices * sizeof *work_, stream_));
            }
            part_ = units_.first;
            timing_.begin(!request().potential && active.all());
            timing_.mark(kBegun);
            reusesNodes_ ? renew() : build();
            if (units_.first == 0) done.work.bodies = kBuildShare * n;  // the same tree on other devices counts once
            phase_ = first() ? Phase::lengths : Phase::walk;
            if (first()) clearNext(0);
        }
        if (phase_ == Phase::lengths) {
            done.work.bodies += walk(TreeWalk::theta, nullptr, before_.data(), false, counts_.data() + 1) * n;
            if (part_ < units_.last) return done;
            part_ = units_.first;
            phase_ = Phase::walk;
            measure(before_.data());
            if (slice_ < partCount()) return done;  // a slice of its own size
        }
        if (part_ == units_.first) {
            if (!active.all()) cutGroups();
            clearNext(0);
            if (twoLevels_) clearNext(kTreeParts);
            timing_.mark(kGrouped);
        }
        float* const lengths = inPlace() ? before_.data() : nextLengths_ ? nextLengths_ : lengths_.data();
        TreeCounts* const counts = work_ ? work_ + (part_ - units_.first) * kCountedSlices / partCount() : counts_.data();
        done.work.bodies += walk(walk_, this->bodies().sums, lengths, !active.all(), counts) * walked;
        if (part_ < units_.last) return done;
        part_ = 0;
        phase_ = Phase::build;
        done.complete = true;
        if (request().potential) return done;
        if (!inPlace()) std::swap(before_, lengths_);
        hasLengths_ = true;
        if (!work_) walked_ += active.all() ? static_cast<std::uint64_t>(n) * partCount() / kTreeParts : active.count;
        timing_.mark(kWalked);
        timing_.fetch(task_.facts, counts_.data(), walked_);
        return done;
    }
    double nextPairs(double seconds) const override { return std::min<double>(count(), pairsIn(kLongSlice * seconds)); }
    double doneShare() const override {
        if (phase_ == Phase::build) return 0;
        const double walks = first() ? 2 : 1, ended = first() && phase_ == Phase::walk ? 1 : 0;
        return (ended + static_cast<double>(part_ - units_.first) / static_cast<double>(partCount())) / walks;
    }
    void rewind() override {
        // A walk in place has overwritten some of the last accelerations.
        if (part_ > 0 && inPlace()) hasLengths_ = false;
        part_ = 0;
        phase_ = Phase::build;
    }

    void launchBuild(Kernel<TreeTask> kernel, unsigned blocks) {
        launchKernel(kernel, {blocks}, kTreeThreads, task_, 0, stream_);
    }
    void measure(const float* before) {
        task_.before = before;
        launchBuild(treeMeasureKernel(), kTreeMeasureBlocks);
        launchBuild(treeScaleKernel(), 1);
    }
    void build() {
        hasNodes_ = false;
        measure(hasLengths_ && relative() ? before_.data() : nullptr);
        const std::uint32_t perBody = blocksOf(count());
        launchBuild(treeKeyKernel(curve_), perBody);
        KeySort keys = keysOf(task_);
        keys.bits = keyBits();
        sortKeys(keys, scratch_, scratchBytes_, stream_);
        launchBuild(treeGatherKernel(), perBody);
        timing_.mark(kSorted);
        CUDA_CHECK(fillAsync(task_.facts, 0, sizeof(TreeFacts), stream_));
        launchBuild(treeCountKernel(), task_.blocks);
        const unsigned perNode = blocksOfNodes();
        if (task_.room < mostTreeNodes(task_.sources))
            for (int number = 0; number < static_cast<int>(std::size(kWiderLeaves)); ++number)
                launchBuild(treeWidenKernel(number), perNode);
        scanTreeStarts(task_, starts_, scratch_, scratchBytes_, stream_);
        launchBuild(treeEmitKernel(), task_.blocks);
        launchBuild(treeLinkKernel(), perNode);
        timing_.mark(kLinked);
        hasNodes_ = true;
        addMoments();
    }
    /// Moves the bodies of the last evaluation's tree to their present positions.
    void renew() {
        launchBuild(treeGatherKernel(), blocksOf(count()));
        launchBuild(treeRelinkKernel(), blocksOfNodes());
        addMoments();
    }
    /// The host does not know the number of nodes, so their kernels loop over them by strides.
    unsigned blocksOfNodes() const { return std::min(task_.blocks, 8 * multiprocessors_); }
    int keyBits() const { return task_.sources < count() ? kTreeKeyBits + 1 : kTreeKeyBits; }
    /// Adds the moments and makes the groups.
    void addMoments() {
        const unsigned perNode = blocksOfNodes();
        if (law_ == TreeLaw::charges) {
            const ChargesTreeTask charges{task_, dipoles_.data()};
            launchKernel(chargesLeavesKernel(), {perNode}, kTreeThreads, charges, 0, stream_);
            launchKernel(chargesMomentsKernel(), {perNode}, kTreeThreads, charges, 0, stream_);
        } else {
            launchBuild(treeLeavesKernel(), perNode);
            launchBuild(treeMomentsKernel(), perNode);
        }
        timing_.mark(kSummed);
        const unsigned groupBlocks = std::min(blocksOf(count()), kTreeGroupBlocks);
        launchBuild(treeGroupCountKernel(targetsPerLane_), groupBlocks);
        launchBuild(treeGroupKernel(targetsPerLane_), groupBlocks);
    }
    /// Reduces the groups to their active bodies; groups without any are left out.
    void cutGroups() {
        const TreeCutTask cut{request().active, task_.order, task_.groups, static_cast<std::uint32_t>(mostGroups_),
                              task_.facts};
        launchEach(treeCutKernel(), cut.most, kTreeThreads, cut, stream_);
        keepGroups(cut, activeGroups_.groups.data(), &activeGroups_.facts.data()->groups, activeGroups_.scratch.data(),
                   activeGroups_.scratch.bytes(), stream_);
    }
    void requireActiveGroups() {
        if (activeGroups_.groups.size() > 0) return;
        ActiveGroups made;
        made.groups = DeviceArray<TreeGroup>(mostGroups_);
        made.facts = DeviceArray<TreeFacts>(1);
        made.scratch = DeviceArray<std::uint8_t>(keepGroupsBytes(static_cast<std::uint32_t>(mostGroups_)));
        CUDA_CHECK(fillAsync(made.facts.data(), 0, made.facts.bytes(), stream_));
        activeGroups_ = std::move(made);
    }
    std::size_t partCount() const { return units_.last - units_.first; }
    /// Clears the counters of the slices, from that one on.
    void clearNext(std::size_t from) {
        const std::size_t slices = (partCount() + slice_ - 1) / slice_;
        CUDA_CHECK(fillAsync(next_.data() + from, 0, slices * sizeof(std::uint32_t), stream_));
    }
    /// Enqueues the next slice of a walk, and returns which fraction of all groups it has. `ofPart`: for the groups of
    /// cutGroups().
    double walk(TreeWalk kind, Float4* sums, float* lengths, bool ofPart, TreeCounts* counts) {
        const std::size_t slice = (part_ - units_.first) / slice_, last = std::min(part_ + slice_, units_.last);
        const int multiprocessors = static_cast<int>(multiprocessors_);
        // The usual angle applies until the criterion has accelerations.
        const ForceSettings& settings = request().settings;
        const double angle = !relative() && request().opening > 0 ? request().opening : usualOpening(settings);
        const bool forFields = request().potential && kind == TreeWalk::expansions;
        const bool together = together_ && kind == TreeWalk::expansions && !forFields && law_ == TreeLaw::gravity;
        const unsigned blocks =
            together ? teamBlocks(count(), multiprocessors) : walkBlocks(count(), multiprocessors, threads_);
        const bool power = law_ == TreeLaw::power;  // this law has its own floor
        const double softened = power ? settings.softening * settings.softening : softeningSquared(request());
        const WalkTask task{.nodes = task_.nodes,
                            .sorted = task_.sorted,
                            .order = task_.order,
                            .groups = ofPart ? activeGroups_.groups.data() : task_.groups,
                            .scale = task_.scale,
                            .before = before_.data(),
                            .lengths = lengths,
                            .sums = sums,
                            .facts = ofPart ? activeGroups_.facts.data() : task_.facts,
                            .counts = counts,
                            .next = next_.data() + slice,
                            .firstPart = static_cast<std::uint32_t>(part_),
                            .lastPart = static_cast<std::uint32_t>(last),
                            .softeningSquared = static_cast<float>(softened),
                            .opening = static_cast<float>(1 / (angle * angle)),
                            .share = static_cast<float>(shareOfTargets(
                                settings, request().allowedError,
                                {count(), task_.sources, !ofPart, 32 * static_cast<std::uint32_t>(targetsPerLane_)})),
                            .fields = fields_};
        if (law_ == TreeLaw::charges) {
            launchKernel(forFields ? chargesFieldKernel(targetsPerLane_) : chargesWalkKernel(kind, targetsPerLane_),
                         {blocks}, threads_,
                         ChargesWalkTask{task, dipoles_.data(), static_cast<float>(floorShare(settings))}, 0, stream_);
        } else if (power) {
            const TreeForce force = treeForce(settings);
            launchKernel(forFields ? powerFieldKernel(targetsPerLane_) : powerWalkKernel(kind, targetsPerLane_), {blocks},
                         threads_,
                         PowerWalkTask{task, powerField(force.power, request().smallestR2, 1),
                                       powerField(force.power, 0, 1).nearest, force.factor, leftOut(settings)},
                         0, stream_);
        } else if (twoLevels_ && kind == TreeWalk::expansions && !forFields) {
            walkInTwoLevels(task);
        } else {
            launchKernel(forFields  ? treeFieldKernel(targetsPerLane_)
                         : together ? treeTeamKernel(targetsPerLane_)
                                    : treeWalkKernel(kind, targetsPerLane_),
                         {blocks}, threads_, task, 0, stream_);
        }
        const std::size_t parts = last - std::exchange(part_, last);
        return static_cast<double>(parts) / kTreeParts;
    }

    /// The lists overwrite boxes and keys, which are not read after the groups are made. Groups of fewer than 24 bodies
    /// could make more regions than fit there; the groups of the others walk from the root. The room follows from the number
    /// of bodies, as bits do, and not from memory that more bodies have left.
    void walkInTwoLevels(const WalkTask& walk) {
        const std::size_t boxes = 2 * sizeof(Float4) * task_.room,
                          keys = (sizeof *task_.key + sizeof *task_.index) * count();
        const std::size_t room = std::max(boxes, keys) / regionBytes(limits_.regionNodes);
        const auto regions = static_cast<std::uint32_t>(std::min<std::size_t>(room, limits_.regions));
        auto* const fields = reinterpret_cast<RegionField*>(task_.nodes.box);
        const RegionTask task{walk,
                              fields,
                              reinterpret_cast<std::uint32_t*>(fields + regions),
                              regions,
                              limits_.regionNodes,
                              walk.next + kTreeParts};
        const int multiprocessors = static_cast<int>(multiprocessors_);
        if (regions > 0)
            launchKernel(treeRegionKernel(), {regionBlocks(count(), multiprocessors, threads_)}, threads_, task, 0, stream_);
        launchKernel(belowRegionsKernel(), {walkBlocks(count(), multiprocessors, threads_)}, threads_, task, 0, stream_);
    }

    // Ends of the phases of an evaluation.
    enum Mark : std::size_t { kBegun, kSorted, kLinked, kSummed, kGrouped, kWalked, kMarks };

    /// Counts since the last call.
    ForceWork takeCounts() {
        const auto taken = timing_.take();
        if (!taken) return {};
        const auto counted = [&](unsigned long long TreeCounts::*which) {
            return static_cast<double>(taken->now.*which - taken->before.*which);
        };
        const double pairs = counted(&TreeCounts::pairs), cells = counted(&TreeCounts::cells),
                     expanded = counted(&TreeCounts::expandedLow) + counted(&TreeCounts::expandedHigh);
        const TreeFacts& facts = taken->facts;
        figures_ = {
            {"levels", "", static_cast<double>(facts.deepest)}, {"nodes", "", static_cast<double>(facts.nodes)},
            {"leaves", "", static_cast<double>(facts.leaves)},  {"groups", "", static_cast<double>(facts.groups)},
            {"bodies a body", "", pairs / taken->done},         {"cells a body", "", cells / taken->done},
            {"expanded a body", "", expanded / taken->done},    {"longest list", "", static_cast<double>(facts.longest)}};
        timing_.addTimes({"keys and sort", "build", "moments", "groups", "walk"}, figures_);
        return {.pairs = pairs, .cells = cells + expanded};
    }

    TreeWalk walk_;
    TreeKeys curve_;
    TreeLaw law_ = TreeLaw::gravity;
    std::optional<TreeForce> kept_;  ///< force of the |a| in before_; empty: nothing was evaluated, or the state was set
    TreeFields fields_{};            ///< of evaluations for the potential
    Stream stream_;
    unsigned multiprocessors_;
    unsigned threads_;  ///< a block of the walk
    TreeLimits limits_;
    bool twoLevels_ = false;  ///< regions walk first
    bool together_ = false;   ///< the warps of a block walk for one group
    int targetsPerLane_ = 1;
    std::uint32_t starts_ = 0;
    enum class Phase { build, lengths, walk };
    Phase phase_ = Phase::build;        ///< of the evaluation; each walk has parts
    PartRange units_;                   ///< parts of the groups that this device walks
    std::size_t part_ = 0, slice_ = 1;  ///< next part, and parts of a slice
    float* nextLengths_ = nullptr;      ///< |a| of the evaluation under way, on another device; null: lengths_
    TreeCounts* work_ = nullptr;        ///< counts of slices of the evaluation under way; null: counts_
    bool hasLengths_ = false;           ///< before_ has |a| of an evaluation
    bool hasNodes_ = false;             ///< order and nodes are those of an evaluation
    bool reusesNodes_ = false;          ///< this evaluation keeps order and nodes
    TreeTask task_{};
    DeviceArrays arrays_;                    ///< of the task
    std::size_t most_ = 0, mostGroups_ = 0;  ///< nodes and groups that have memory
    std::uint8_t* scratch_ = nullptr;        ///< of sorts and sums
    std::size_t scratchBytes_ = 0;
    DeviceArray<std::uint32_t> next_;
    DeviceArray<Float4> dipoles_;     ///< used by charges; empty until there are any
    DeviceArray<TreeCounts> counts_;  ///< of evaluations; of walks by the angle that only find |a|
    /// Groups of active bodies and their number; allocated by the first evaluation for active bodies only.
    struct ActiveGroups {
        DeviceArray<TreeGroup> groups;
        DeviceArray<TreeFacts> facts;
        DeviceArray<std::uint8_t> scratch;
    } activeGroups_;
    DeviceArray<float> before_, lengths_;  ///< |a| in body order: of the last evaluation, and of the one under way
    TimedCounts<TreeFacts, TreeCounts, kMarks> timing_;
    std::uint64_t walked_ = 0;  ///< bodies, over all evaluations
    std::vector<MethodFigure> figures_;
};

class EnergyByTree final : public TreeEnergy {
public:
    EnergyByTree(const MethodParts& parts, double accuracy) : tree_(parts, TreeWalk::expansions), accuracy_(accuracy) {}

    double accuracy() const override { return accuracy_; }
    void begin(const Float4* bodies, const ForceSettings& settings, const TreeFields& fields) override {
        tree_.sumFields(fields);
        // The method writes no positions.
        tree_.prepare({.positions = const_cast<Float4*>(bodies)},
                      {.settings = settings, .potential = true, .allowedError = accuracy_});
    }
    bool enqueue(double seconds) override { return tree_.enqueue(seconds).complete; }

private:
    Tree tree_;
    double accuracy_;
};

}  // namespace

MemoryRows treeRows(std::size_t bodies, std::size_t sources, const ForceSettings& force, bool oneState) {
    const double n = static_cast<double>(bodies), nodes = static_cast<double>(treeNodeRoom(sources));
    constexpr double kOfANode = 2 * sizeof(Float4), kLinks = 2 * sizeof(std::uint32_t);
    // Bytes a body: keys and indices, sorted keys, and levels with the scratch memory of the sort; and starts of nodes, a
    // source.
    constexpr double kKeys = 8 + 4, kSorted = 8, kSearch = 2 + 12.5, kStarts = 2.0 * 4 * kTreeDepths / kTreeThreads;
    const double search = kSearch * n + kStarts * static_cast<double>(sources);
    // Bodies without mass need the sorted keys as long as the moments.
    const double moments = sources < bodies ? kSorted * n + std::max(kOfANode * nodes, search)
                                            : std::max(kOfANode * nodes, kSorted * n + search);
    MemoryRows rows{
        {"order of the tree, and bodies in it", (sizeof(Float4) + sizeof(std::uint32_t)) * n, true},
        {oneState ? "lengths of the last accelerations" : "lengths of the last accelerations and of the new ones",
         (oneState ? 1 : 2) * sizeof(float) * n, true},
        {"centres and levels of nodes", (kOfANode + 1) * nodes, true},
        {"keys and indices, then boxes of nodes", std::max(kOfANode * nodes, kKeys * n), true},
        {"sorted keys and the search for nodes, then moments", moments, true},
        {"links of nodes, then groups",
         std::max(kLinks * nodes, sizeof(TreeGroup) * static_cast<double>(treeGroupRoom(bodies, sources))), true}};
    if (treeLaw(force) == TreeLaw::charges) rows.push_back({"dipoles of nodes", sizeof(Float4) * nodes, true});
    return rows;
}

std::unique_ptr<TreeEnergy> makeTreeEnergy(const LaunchPlan& plan, std::uint32_t count, const DeviceFacts& device,
                                           Stream stream, double accuracy) {
    LaunchPlan all = plan;
    all.sources = {};  // walks for potentials take no list
    return std::make_unique<EnergyByTree>(MethodParts{all, count, device, stream, {}}, accuracy);
}

template <TreeWalk kWalk, TreeKeys kCurve>
MadeMethod<float> makeTree(const MethodParts& parts) {
    return std::make_unique<Tree>(parts, kWalk, kCurve);
}
template MadeMethod<float> makeTree<TreeWalk::thetaMonopole, TreeKeys::hilbert>(const MethodParts&);
template MadeMethod<float> makeTree<TreeWalk::theta, TreeKeys::hilbert>(const MethodParts&);
template MadeMethod<float> makeTree<TreeWalk::cells, TreeKeys::hilbert>(const MethodParts&);
template MadeMethod<float> makeTree<TreeWalk::expansions, TreeKeys::morton>(const MethodParts&);
template MadeMethod<float> makeTree<TreeWalk::expansions, TreeKeys::hilbert>(const MethodParts&);

}  // namespace gravlab::cuda
