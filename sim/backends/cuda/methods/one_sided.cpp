// Slices of the one-sided kernels: a group of targets that fills the device sums over as many sources as fit the time.
#include "sim/backends/cuda/kernels/blocks.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

namespace gravlab::cuda {
namespace {

// Most pairs of a force that is never cut into slices: a tenth of a millisecond on the fastest device.
constexpr double kNeverCutPairs = 2e8;
// Waves of blocks in one launch of a force in slices: with four, the last and partly filled wave costs little.
constexpr double kWaves = 4;
constexpr unsigned kCopyThreads = 256;
// Fewest sources of a block where several blocks share the sources of a body, because few targets leave the device half
// empty.
constexpr std::uint32_t kFewestSources = 1024;

/// The constant array of a device is shared by all backends. A caller holds the lock from its copy into the array until its
/// kernel is enqueued.
struct ConstantUse {
    std::mutex lock;
    OwnedEvent read;  ///< reached when the last reader has finished
};

PerDevice<ConstantUse>& constantUses() {
    static PerDevice<ConstantUse> uses;
    return uses;
}

std::uint32_t roundedUp(double value, std::uint32_t multiple) {
    return static_cast<std::uint32_t>(std::ceil(value / multiple)) * multiple;
}

template <class Real>
class OneSided final : public DeviceForceMethod<Real>, public StepLauncher<Real> {
public:
    explicit OneSided(const MethodParts& parts)
        : DeviceForceMethod<Real>(parts.plan, parts.count, parts.rate),
          code_(*parts.plan.entry->oneSided()),
          stream_(parts.stream),
          moreRanges_(mayHaveMoreRanges(*parts.plan.entry)),
          resident_(static_cast<std::uint32_t>(parts.plan.residentBlocks * parts.device.multiprocessors)) {
        const LaunchConfig& launch = parts.plan.launch;
        const std::uint32_t count = parts.count;
        if constexpr (std::is_same_v<Real, double>)
            kernel_ = code_.kernel64(launch);
        else
            kernel_ = code_.kernel32(launch);
        const double wave = static_cast<double>(resident_) * blockTargets();
        groupTargets_ =
            static_cast<std::uint32_t>(std::min<double>(count, roundedUp(kWaves * wave / gridRanges(), blockTargets())));
        const bool shared = gridRanges() > 1 && !code_.atomicSums;
        if (shared) sums_ = DeviceArray<Vec4<Real>>(static_cast<std::size_t>(launch.split) * count);
        if (this->allPairs() > kNeverCutPairs || count > code_.longestSlice)
            carry_ = DeviceArray<double>(3 * static_cast<std::size_t>(launch.split) * groupTargets_);
        if (code_.copier) copies_ = DeviceArray<Real>(code_.copied * static_cast<std::size_t>(count));
        if (code_.sources) {
            CUDA_CHECK(symbolAddress(&constant_, code_.sources()));
            constantUse_ = &constantUses().of(parts.device.index);
        }
    }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        // Before prepare(): they may throw for lack of memory.
        if (request.active.levels) requirePart();
        takeSources(request.sources);
        DeviceForceMethod<Real>::prepare(bodies, request);
        first_ = part() ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(request.targets.first, this->count()));
        targets_ = part() ? static_cast<std::uint32_t>(request.active.count)
                          : static_cast<std::uint32_t>(std::min<std::size_t>(request.targets.count, this->count() - first_));
        ranges_ = gridRanges();
        evaluatedRange_ = rangeLengthOf(static_cast<std::uint32_t>(launch().split));
        if (part()) takeMoreRanges();
    }
    DeviceSums<Real> sums() const override {
        if (sums_.size() == 0 || part()) return {this->bodies().sums, 1};
        return {sums_.data(), gridRanges()};
    }
    std::size_t units(const ForceRequest& request) const override {
        return request.active.all() && request.targets.all() && !request.sources.list ? this->count() : 0;
    }
    double work() const override { return this->sourcePairs(); }
    StepLauncher<Real>* steps() override { return code_.fused ? this : nullptr; }
    std::string failure() const override { return failure_; }

    bool fuses(double seconds) const override {
        return !this->underWay() && work() <= std::max(kNeverCutPairs, 1.5 * this->pairsIn(seconds));
    }
    bool enqueueFused(const DeviceBodies<Real>& bodies, const ForceRequest& request,
                      const IntegrateTask<Real>& operations) override {
        if (movesWhatIsRead(operations, bodies.positions)) return false;
        if constexpr (std::is_same_v<Real, float>) {
            takeSources(request.sources);
            gatherSources(bodies);
            ForceTask<float> force = wholeTask(bodies, request);
            force.rangeLength = force.count;
            force.targetCount = this->count();
            force.sliceLength = force.rangeLength;
            force.finishes = true;
            const auto block = static_cast<unsigned>(launch().block);
            launchKernel(code_.fused(launch()), {blocksFor(this->count(), block)}, block, {force, operations},
                         code_.sharedBytes(launch(), sizeof(float)), stream_);
            return true;
        }
        return false;
    }

private:
    ForceProgress enqueuePairs(double pairs) override {
        const std::uint32_t count = sources_.count;
        if (targets_ == 0) return {.complete = true};
        ForceTask<Real> task = wholeTask(this->bodies(), this->request());
        task.rangeLength = evaluatedRange_;
        task.targetFirst = first_ + target_;
        task.sliceFirst = source_;
        task.targetCount = std::min(groupTargets(), targets_ - target_);
        task.sliceLength = task.rangeLength - source_;
        const bool begins = target_ == 0 && source_ == 0;
        if (begins) enqueueFirst();
        if (part()) readPart(task);
        if (carry_.size() == 0 || (begins && allWanted() < 1.5 * pairs && count <= code_.longestSlice)) {
            task.targetCount = targets_;
        } else {
            const std::uint32_t step = code_.sliceStep(launch());
            const double sources = pairs / (static_cast<double>(task.targetCount) * ranges_ * segments());
            double length = std::max(1.0, std::floor(sources / step)) * step;
            length = std::min<double>(length, code_.longestSlice / step * step);
            if (length < task.sliceLength) task.sliceLength = static_cast<std::uint32_t>(length);
        }
        task.resumes = source_ > 0;
        task.finishes = source_ + task.sliceLength >= task.rangeLength;
        std::unique_lock<std::mutex> filling;
        if (constant_) {
            filling = std::unique_lock(constantUse_->lock);
            CUDA_CHECK(waitInStream(stream_, constantUse_->read));
            CUDA_CHECK(copyAsync(constant_, task.bodies + task.sliceFirst,
                                 std::min(task.sliceLength, count - task.sliceFirst) * sizeof(Vec4<Real>), Copy::onDevice,
                                 stream_));
        }
        launchForce(task);
        if (constant_) CUDA_CHECK(recordEvent(constantUse_->read, stream_));

        // Whole numbers, so that the pairs of all slices add up to those of one.
        const double all = static_cast<double>(task.targetCount) * count;
        const auto pairsUpTo = [&](std::uint32_t source) { return std::floor(all * source / task.rangeLength); };
        const double computed = pairsUpTo(source_ + task.sliceLength) - pairsUpTo(source_);
        source_ += task.sliceLength;
        if (task.finishes) {
            target_ += task.targetCount;
            source_ = 0;
        }
        const bool last = target_ >= targets_;
        if (last) {
            rewind();
            if (part()) spreadPart();
        }
        return {.complete = last, .work = {.pairs = computed}};
    }
    double nextPairs(double seconds) const override {
        const double all = this->underWay() ? allWanted() : work();
        return std::min(all, carry_.size() == 0 ? all : this->pairsIn(seconds));
    }
    double doneShare() const override {
        if (targets_ == 0) return 0;
        const double done = static_cast<double>(source_) / evaluatedRange_;
        return (target_ + done * std::min(groupTargets(), targets_ - target_)) / targets_;
    }
    void rewind() override { target_ = source_ = 0; }

    /// Directed pairs of the evaluation.
    double allWanted() const { return static_cast<double>(targets_) * sources_.count; }

    void takeSources(const MassiveBodies& sources) {
        sources_ = {sources.list, static_cast<std::uint32_t>(sources.among(this->count()))};
        if (sources_.list && gathered_.size() < sources_.count) gathered_ = DeviceArray<Vec4<Real>>(sources_.count);
    }
    const Vec4<Real>* sourcesIn(const DeviceBodies<Real>& bodies) const {
        return sources_.list ? gathered_.data() : bodies.positions;
    }
    /// Copies the sources of a list to the front of an array.
    void gatherSources(const DeviceBodies<Real>& bodies) {
        if (!sources_.list) return;
        launchEach(gatherActiveKernel<Real>(), sources_.count, kCopyThreads,
                   {sources_.list, sources_.count, bodies.positions, gathered_.data()}, stream_);
    }

    // Where only some bodies are active, they are copied to the front as targets, and their sums are copied back to their
    // places. The sources stay the same, so a sum over as many ranges has the same bits as in a force on all bodies.
    bool part() const { return this->request().active.levels != nullptr; }
    void requirePart() {
        const std::uint32_t count = this->count();
        if (part_.list.size() == count) return;
        Part made;
        made.list = DeviceArray<std::uint32_t>(count);
        made.found = DeviceArray<std::uint32_t>(1);
        made.scratch = DeviceArray<std::uint8_t>(activeListBytes(count));
        made.targets = DeviceArray<Vec4<Real>>(count);
        made.sums = DeviceArray<Vec4<Real>>(std::max<std::size_t>(static_cast<std::size_t>(gridRanges()) * count,
                                                                  moreRanges_ ? resident_ * blockTargets() : 0));
        part_ = std::move(made);
    }
    /// Raises the number of ranges until the blocks fill the device.
    void takeMoreRanges() {
        const std::uint32_t count = sources_.count;
        if (!moreRanges_ || targets_ == 0) return;
        const std::uint32_t blocks = (targets_ + blockTargets() - 1) / blockTargets();
        const auto fits = [&](std::uint32_t ranges) {
            return static_cast<std::uint64_t>(ranges) * blocks <= resident_ && count / ranges >= kFewestSources &&
                   (carry_.size() == 0 || 3ull * ranges * targets_ <= carry_.size());
        };
        while (fits(2 * ranges_)) ranges_ *= 2;
        if (ranges_ != gridRanges()) evaluatedRange_ = rangeLengthOf(ranges_);
    }
    void readPart(ForceTask<Real>& task) const {
        task.targets = part_.targets.data();
        task.sums = part_.sums.data();
        task.stride = targets_;
    }
    void gatherPart() {
        const DeviceBodies<Real>& bodies = this->bodies();
        listActive({this->request().active, this->count(), part_.list.data(), part_.found.data()}, part_.scratch.data(),
                   part_.scratch.bytes(), stream_);
        launchEach(gatherActiveKernel<Real>(), targets_, kCopyThreads,
                   {part_.list.data(), targets_, bodies.positions, part_.targets.data()}, stream_);
    }
    void spreadPart() {
        const std::uint32_t ranges = code_.atomicSums ? 1 : ranges_;
        launchEach(spreadActiveKernel<Real>(), std::size_t{targets_} * (ranges > 1 ? kSpreadLanes : 1), kCopyThreads,
                   {part_.list.data(), targets_, part_.sums.data(), this->bodies().sums, ranges, targets_}, stream_);
    }
    /// Whether its blocks sum over any number of ranges of the sources; atomics would add more ranges in no fixed order.
    static bool mayHaveMoreRanges(const KernelEntry& entry) {
        const OneSidedCode& code = *entry.oneSided();
        return !code.splitsInBlock && !code.atomicSums && !code.ignoresLaunchError &&
               (code.otherLaws || code.fused || entry.row.splits.last > 1);
    }
    /// Ranges of a multiple of 8 sources keep the unrolled loops whole.
    std::uint32_t rangeLengthOf(std::uint32_t ranges) const {
        return ranges == 1 ? sources_.count : roundedUp(std::ceil(static_cast<double>(sources_.count) / ranges), 8);
    }

    /// Enqueues the work that a force needs before its first slice.
    void enqueueFirst() {
        const DeviceBodies<Real>& bodies = this->bodies();
        gatherSources(bodies);
        if (part()) gatherPart();
        // Atomics add to these sums, and a failed launch leaves them unchanged.
        if (code_.atomicSums || code_.ignoresLaunchError)
            CUDA_CHECK(
                fillAsync(part() ? part_.sums.data() : bodies.sums + first_, 0, targets_ * sizeof(Vec4<Real>), stream_));
        if constexpr (std::is_same_v<Real, float>)
            if (code_.copier)
                launchEach(code_.copier(), sources_.count, kCopyThreads, {sourcesIn(bodies), copies_.data(), sources_.count},
                           stream_);
    }
    void launchForce(const ForceTask<Real>& task) {
        const Dim blocks{(task.targetCount + blockTargets() - 1) / blockTargets(), ranges_};
        const auto threads = static_cast<unsigned>(code_.threads(launch()));
        const std::size_t shared = code_.sharedBytes(launch(), sizeof(Real));
        const ForceSettings& force = this->request().settings;
        if (code_.ignoresLaunchError) {
            tryLaunch(task, blocks, threads, shared);
            return;
        }
        if (loopLaw(force) == Law::gravity) {
            launchKernel(kernel_, blocks, threads, task, shared, stream_);
            return;
        }
        withLoopLaw<Real>(force, this->request().smallestR2, [&]<class Type>(const Type& law) {
            launchKernel(lawKernel<Real, Type>(launch().unroll), blocks, threads, {task, law}, shared, stream_);
        });
    }
    /// Launches as a program does that never checks for errors: the error is kept for failure() and cleared, so that no
    /// later call reports it.
    void tryLaunch(ForceTask<Real> task, Dim blocks, unsigned threads, std::size_t shared) {
        void* arguments[] = {&task};
        const Code code = cuda::launch(kernel_.address, blocks, threads, arguments, shared, stream_);
        if (code == kSuccess) return;
        takeLastError();
        if (endsContext(code)) check(code, "launch", __FILE__, __LINE__);
        failure_ = errorSentence(code);
    }
    ForceTask<Real> wholeTask(const DeviceBodies<Real>& bodies, const ForceRequest& request) const {
        ForceTask<Real> task{};
        task.bodies = sourcesIn(bodies);
        task.targets = bodies.positions;
        task.copies = copies_.data();
        task.sums = sums_.size() > 0 ? sums_.data() : bodies.sums;
        task.carry = carry_.data();
        task.count = sources_.count;
        task.stride = this->count();
        task.softeningSquared = static_cast<Real>(softeningSquared(request));
        task.segments = segments();
        task.atomic = code_.atomicSums;
        return task;
    }
    /// One launch may hold force and operations when no body is moved in the array that other blocks still read.
    static bool movesWhatIsRead(const IntegrateTask<Real>& task, const Vec4<Real>* read) {
        bool moved = false;
        for (int k = 0; k <= task.steps; ++k) {
            if (k == task.end && moved && task.endX == read) return true;
            if (k < task.steps) moved |= movesBodies(task.step[k].op);
        }
        return moved && task.outX == read;
    }
    const LaunchConfig& launch() const { return this->plan().launch; }
    std::uint32_t blockTargets() const { return code_.targets(launch()); }
    std::uint32_t segments() const { return static_cast<std::uint32_t>(code_.splitsInBlock ? launch().split : 1); }
    /// Targets of a launch of a force in slices: as many sums as the carry has room for.
    std::uint32_t groupTargets() const { return groupTargets_ * gridRanges() / ranges_; }
    /// Ranges of the sources that have their own blocks.
    std::uint32_t gridRanges() const { return static_cast<std::uint32_t>(code_.splitsInBlock ? 1 : launch().split); }

    const OneSidedCode& code_;
    Kernel<ForceTask<Real>> kernel_;
    Stream stream_;
    bool moreRanges_;
    std::uint32_t resident_;          ///< resident blocks
    std::uint32_t groupTargets_ = 0;  ///< targets of a launch of a force in slices
    // State of the evaluation.
    struct Sources {
        const std::uint32_t* list = nullptr;  ///< null: the first bodies
        std::uint32_t count = 0;
    } sources_;
    DeviceArray<Vec4<Real>> gathered_;  ///< the sources of a list
    std::uint32_t first_ = 0, targets_ = 0, ranges_ = 1, evaluatedRange_ = 0;
    std::uint32_t target_ = 0, source_ = 0;  ///< next slice of the force under way, from first_ on
    DeviceArray<Vec4<Real>> sums_;           ///< with split > 1: one force a range and body
    DeviceArray<double> carry_;              ///< running sums between the launches of a force in slices
    DeviceArray<Real> copies_;
    /// Allocated by the first evaluation for active bodies only.
    struct Part {
        DeviceArray<std::uint32_t> list, found;
        DeviceArray<std::uint8_t> scratch;
        DeviceArray<Vec4<Real>> targets, sums;
    } part_;
    std::string failure_;                 ///< why a launch did not run
    void* constant_ = nullptr;            ///< constant array of this device
    ConstantUse* constantUse_ = nullptr;  ///< its lock and last reader
};

}  // namespace

template <class Real>
MadeMethod<Real> makeOneSided(const MethodParts& parts) {
    return std::make_unique<OneSided<Real>>(parts);
}
template MadeMethod<float> makeOneSided(const MethodParts&);
template MadeMethod<double> makeOneSided(const MethodParts&);

}  // namespace gravlab::cuda
