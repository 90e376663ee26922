// Force methods on a CUDA device: one for each family of rows of the kernel table. Everything is enqueued on one stream.
// Rule: how an evaluation is cut into slices changes no bit of it.
#pragma once
#include "sim/backends/cuda/kernels/body_changes.h"
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/tree_part.h"
#include "sim/backends/cuda/methods/launch_plan.h"
#include "sim/backends/cuda/runtime/gpu_timer.h"
#include "sim/backends/cuda/runtime/memory.h"
#include "sim/backends/force_method.h"
#include "sim/backends/row_table.h"
#include "sim/backends/tile_partition.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gravlab::cuda {

/// Arrays that one evaluation reads, and the array for its sums. Device memory.
template <class Real>
struct DeviceBodies {
    Vec4<Real>* positions = nullptr;         ///< with pads of no pull; only `many-steps` writes them, with unchanged values
    Vec4<Real>* sums = nullptr;              ///< one a body; used unless the sums come in ranges
    const Vec4<Real>* velocities = nullptr;  ///< at the time of the positions only under takesVelocities() programs
};

/// A complete evaluation: the sum over `ranges` of sums[range * count + i]. Device memory.
template <class Real>
struct DeviceSums {
    const Vec4<Real>* sums = nullptr;
    std::uint32_t ranges = 1;
};

/// Whole steps of one launch, in place. Device memory.
template <class Real>
struct StepBatch {
    Vec4<Real>*x = nullptr, *v = nullptr, *a = nullptr;  ///< a: the force at x, before and after
    int steps = 0;
    double timeStep = 0;                 ///< [T]
    ParticleVertex* vertices = nullptr;  ///< buffer for the vertices of the last step, or null
    VertexValue shown = VertexValue::speed;
};

/// Operations of steps that some methods can run in their own launches. Each method states which ones it can.
template <class Real>
class StepLauncher {
public:
    virtual ~StepLauncher() = default;
    /// Whether enqueueSteps() runs this program.
    virtual bool runsSteps(StepProgram) const { return false; }
    /// Enqueues whole steps under the force of `request`. Throws DeviceError.
    virtual void enqueueSteps(const StepBatch<Real>&, const ForceRequest&) {}
    /// Whether enqueueFused() may take a whole evaluation, of at most about `seconds`.
    virtual bool fuses(double /*seconds*/) const { return false; }
    /// Enqueues a whole evaluation and the operations that follow it in one launch. False, and nothing is enqueued, where
    /// these operations move bodies that other blocks still read. Throws DeviceError.
    virtual bool enqueueFused(const DeviceBodies<Real>&, const ForceRequest&, const IntegrateTask<Real>&) { return false; }
};

/// The sum of some spans, which is a node of their tree.
struct SpanSums {
    SpanNode node;
    const double* sums = nullptr;  ///< [3][TilePartition::bodies()] of the method, in device memory
};

/// A method that computes each pair once. Its pairs are cut into spans, whose number follows from N alone; a binary tree of
/// fp64 sums joins them. So methods of several devices, each with some spans, give the bits of one with all.
template <class Real>
class SpanMethod {
public:
    virtual ~SpanMethod() = default;
    virtual int spans() const = 0;
    /// Bodies of the arrays of sums, with pads.
    virtual std::size_t bodiesOfSums() const = 0;
    /// From the next prepare() on, computes only the spans [first, last), for all bodies. An evaluation of a part ends in
    /// spanSums(), one of all spans, which is usual, in sums(). Throws DeviceError; the earlier spans stay then.
    virtual void takeSpans(int first, int last) = 0;
    /// Sums of the complete evaluation of a part: at most eight nodes, in their order. They last until the next one.
    virtual std::vector<SpanSums> spanSums() const = 0;
    /// Enqueues: joins all spans, in the memory of this device, to sums() of this method. Throws DeviceError.
    virtual void join(std::span<const SpanSums> all) = 0;
};

/// A method for any term on one device, with estimates of its time.
template <class Real>
class DeviceTermMethod : public ForceMethod<DeviceBodies<Real>, DeviceSums<Real>> {
public:
    /// `rate`: an expected one, until it is measured.
    explicit DeviceTermMethod(std::shared_ptr<RateEstimate> rate = std::make_shared<RateEstimate>(kTermRate))
        : rate_(std::move(rate)) {}
    /// The measured rate; a GpuTimer adds the times of the slices to it.
    virtual const std::shared_ptr<RateEstimate>& rate() const { return rate_; }
    /// Work of one evaluation, in the unit of rate(): that of the last one, unless the method knows it before.
    virtual double work() const { return lastWork_; }
    /// Work of a slice, in the same unit.
    virtual double rated(const ForceWork& work) const { return work.pairs; }
    /// Adds a slice to the evaluation whose work is found.
    void note(const ForceProgress& done) {
        lastSlice_ = rated(done.work);
        workSoFar_ += lastSlice_;
        if (done.complete) lastWork_ = std::exchange(workSoFar_, 0);
    }
    /// Estimated time of one evaluation.
    double evaluationSeconds() const { return work() / rate()->perSecond(); }
    /// Estimated time of the slice that enqueue(seconds) would enqueue.
    virtual double sliceSeconds(double /*seconds*/) const { return lastSlice_ / rate()->perSecond(); }

private:
    static constexpr double kTermRate = 1e10;  ///< interactions a second that every device reaches
    std::shared_ptr<RateEstimate> rate_;
    double workSoFar_ = 0, lastWork_ = 0, lastSlice_ = 0;
};

/// A method for a term other than the pair law, in slices of bodies.
template <class Real>
class SlicedTerm : public DeviceTermMethod<Real> {
public:
    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        bodies_ = bodies;
        request_ = request;
        next_ = 0;
        underWay_ = count_ > 0;
    }
    ForceProgress enqueue(double) override {
        if (!underWay_) return {.complete = true};
        const std::uint32_t first = next_;
        next_ += std::min(most_, count_ - first);
        const double pairs = enqueueBodies(first, next_);
        underWay_ = next_ < count_;
        return {.complete = !underWay_, .work = {.pairs = pairs}};
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return underWay_ ? static_cast<double>(next_) / count_ : 0; }
    void abandon() override { underWay_ = false; }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }

protected:
    /// `most`: bodies of a slice.
    SlicedTerm(std::uint32_t count, std::uint32_t most) : count_(count), most_(most) {}
    /// Enqueues the bodies [first, end), and returns their interactions.
    virtual double enqueueBodies(std::uint32_t first, std::uint32_t end) = 0;

    const std::uint32_t count_;
    DeviceBodies<Real> bodies_;
    ForceRequest request_;

private:
    std::uint32_t most_, next_ = 0;
    bool underWay_ = false;
};

/// Slices of a tree's walk whose work is counted apart, so that devices can divide the next ones.
constexpr std::size_t kCountedSlices = 8;
/// |a| that a tree keeps, in body order: of the last evaluation, and of the one under way. Device memory, or null.
struct KeptLengths {
    float *last = nullptr, *next = nullptr;
};

/// A method for the pair law on one device, for `count` bodies.
template <class Real>
class DeviceForceMethod : public DeviceTermMethod<Real> {
public:
    DeviceForceMethod(const LaunchPlan& plan, std::uint32_t count, std::shared_ptr<RateEstimate> rate)
        : DeviceTermMethod<Real>(std::move(rate)), plan_(plan), count_(count) {}
    const LaunchPlan& plan() const { return plan_; }
    /// Whether fewer bodies under that plan can use the method's memory. Each of them has mass, and none a response.
    virtual bool takesFewer(const LaunchPlan&, std::uint32_t) const { return false; }
    /// Continues with those that the changes leave.
    virtual void takeFewer(const LaunchPlan& plan, std::uint32_t count, const DeviceChanges&) {
        abandon();
        plan_ = plan;
        count_ = count;
    }
    double allPairs() const { return static_cast<double>(count_) * count_; }
    /// Pairs with the sources of the plan, for rows that leave out bodies without mass.
    double sourcePairs() const { return static_cast<double>(count_) * static_cast<double>(plan_.sources.among(count_)); }
    /// Directed pairs, unless the method overrides it.
    double work() const override { return allPairs(); }
    double sliceSeconds(double seconds) const override { return nextPairs(seconds) / this->rate()->perSecond(); }

    void prepare(const DeviceBodies<Real>& bodies, const ForceRequest& request) override {
        abandon();
        bodies_ = bodies;
        request_ = request;
        request_.active = request.wanted(count_);
        underWay_ = true;
    }
    ForceProgress enqueue(double seconds) override {
        const ForceProgress done = enqueuePairs(pairsIn(seconds));
        if (done.complete) underWay_ = false;
        return done;
    }
    bool underWay() const override { return underWay_; }
    double progress() const override { return underWay_ ? doneShare() : 0; }
    void abandon() override {
        underWay_ = false;
        rewind();
    }
    DeviceSums<Real> sums() const override { return {bodies_.sums, 1}; }
    Accuracy accuracy() const override { return {.gate = gateOf(request_.settings)}; }
    /// Why a launch failed whose error was ignored; empty: all launches ran.
    virtual std::string failure() const { return {}; }
    /// Null for methods that only compute forces.
    virtual StepLauncher<Real>* steps() { return nullptr; }
    /// Null for methods that compute no pair once, or add in no fixed order.
    virtual SpanMethod<Real>* bySpans() { return nullptr; }

    // Several devices may divide an evaluation: each has a method of its own, and a request with part of the targets or of
    // the groups of a tree, see divided.h. Computed apart they have the bits of one computation.
    /// Targets or parts of such a request, which they divide; 0: one device computes all of it.
    virtual std::size_t units(const ForceRequest&) const { return 0; }
    // Of trees, which store sums and lengths at the places of the bodies, in memory of any device that they reach.
    virtual KeptLengths lengths() const { return {}; }
    /// The evaluation that was prepared reads lengths().last, which another method has filled, and writes to `next`.
    virtual void follow([[maybe_unused]] float* next) {}
    /// The evaluation that was prepared adds up its work in kCountedSlices slices of its parts, in place of figures().
    virtual void countWork(TreeCounts*) {}
    /// Enqueues: writes the first and the last body of each part of the last evaluation to `bodies`.
    virtual void findEnds(std::span<const std::size_t> /*bounds*/, [[maybe_unused]] std::uint32_t* bodies) {}
    /// Enqueues: packs sums and |a| of the bodies of that part of the last evaluation, and stores their number.
    virtual void packPart(const PartRange&, const PackedTree&, [[maybe_unused]] std::uint32_t* bodies) {}

protected:
    /// Enqueues the next slice of the evaluation under way, of about `work`.
    virtual ForceProgress enqueuePairs(double work) = 0;
    /// Work of the next slice for a request of `seconds`.
    virtual double nextPairs(double seconds) const = 0;
    virtual double doneShare() const = 0;
    /// Makes the next slice the first one again.
    virtual void rewind() = 0;

    double pairsIn(double seconds) const { return seconds * this->rate()->perSecond(); }
    const DeviceBodies<Real>& bodies() const { return bodies_; }
    const ForceRequest& request() const { return request_; }
    std::uint32_t count() const { return count_; }

private:
    LaunchPlan plan_;
    std::uint32_t count_;
    DeviceBodies<Real> bodies_;
    ForceRequest request_;
    bool underWay_ = false;
};

/// Softening squared [L^2], raised to the floor.
inline double softeningSquared(const ForceRequest& request) {
    return std::max(request.settings.softening * request.settings.softening, request.smallestR2);
}

struct HelperDevice;  // divided.h
struct RankDevices;   // ranked.h
struct HelperDevices : std::vector<std::unique_ptr<HelperDevice>> {
    std::shared_ptr<RankDevices> ranks{};  ///< those of a job, which help in place of others here; null: no job
};
/// The method of the plan's row, which divides its evaluations among the device and its helpers. Throws DeviceError when
/// there is not enough memory.
template <class Real>
std::unique_ptr<DeviceForceMethod<Real>> makeForceMethod(const LaunchPlan& plan, std::uint32_t count,
                                                         const DeviceFacts& device, Stream stream,
                                                         const HelperDevices* helpers = nullptr);

/// Arguments of the construction of a method.
struct MethodParts {
    const LaunchPlan& plan;
    std::uint32_t count;
    const DeviceFacts& device;
    Stream stream;
    std::shared_ptr<RateEstimate> rate;
};

/// Arguments of the construction of a method for a term other than the pair law; valid during the construction only.
struct TermParts {
    std::uint32_t count;
    std::span<const std::uint32_t> ids;  ///< ids of the bodies, for terms that name bodies
    const DeviceFacts& device;
    Stream stream;
    LaunchConfig launch{};  ///< valid for the row
};
/// A method for a kind of term other than the pair law. Its sums are accelerations of a body of response 1.
struct CudaTermMethod {
    KernelRow row;  ///< row that the user sees; its backend is "cuda"
    std::function<std::unique_ptr<DeviceTermMethod<float>>(const ForceTerm& term, const TermParts& parts)> fp32{};
    std::function<std::unique_ptr<DeviceTermMethod<double>>(const ForceTerm& term, const TermParts& parts)>
        fp64{};  ///< also for mixed
};
using CudaTermMethods = RowTable<CudaTermMethod>;

template <class Real>
using MadeMethod = std::unique_ptr<DeviceForceMethod<Real>>;
/// The method of the plan's row on one device.
template <class Real>
MadeMethod<Real> makeUndivided(const MethodParts& parts);
// Each family has its own file.
template <class Real>
MadeMethod<Real> makeOneSided(const MethodParts& parts);
template <class Real>
MadeMethod<Real> makeSymmetric(const MethodParts& parts);
MadeMethod<float> makeManySteps(const MethodParts& parts);
/// The method of code that was loaded while the program ran. Throws UsageError for a number of bodies without a trial.
MadeMethod<float> makeLoaded(const MethodParts& parts);
/// Computes pairs in single precision by another method; positions come from, and sums go to, double precision.
MadeMethod<double> makeMixed(MadeMethod<float> pairs, const MethodParts& parts);

}  // namespace gravlab::cuda
