// Slices of the one-sided kernels: a group of targets that fills the device meets as many sources as fit the time.
#include "sim/backends/cuda/methods/one_sided_plan.h"

#include "sim/backends/cuda/runtime/per_device.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace gravlab::cuda {
namespace {

// Pairs from which on a force may have to be cut: a tenth of a millisecond on the fastest device.
constexpr double kNeverCutPairs = 2e8;
// Waves of blocks in one launch of a cut force: with four, the last and partly filled one costs little.
constexpr double kWaves = 4;
constexpr unsigned kCopyThreads = 256;

PerDevice<OwnedEvent>& lastConstantReads() {
    static PerDevice<OwnedEvent> events;
    return events;
}

std::uint32_t roundedUp(double value, std::uint32_t multiple) {
    return static_cast<std::uint32_t>(std::ceil(value / multiple)) * multiple;
}

template <class Real>
class OneSidedPlan final : public ForcePlan<Real> {
public:
    OneSidedPlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device, Stream stream)
        : ForcePlan<Real>(choice), code_(*choice.entry->oneSided()), count_(count), stream_(stream) {
        const LaunchConfig& launch = choice.launch;
        if constexpr (std::is_same_v<Real, double>)
            kernel_ = code_.kernel64(launch);
        else
            kernel_ = code_.kernel32(launch);
        // Ranges of a multiple of 8 sources keep the unrolled loops whole.
        rangeLength_ = launch.split == 1 ? count : roundedUp(std::ceil(static_cast<double>(count) / launch.split), 8);
        const double wave = static_cast<double>(choice.residentBlocks) * device.multiprocessors * blockTargets();
        groupTargets_ =
            static_cast<std::uint32_t>(std::min<double>(count, roundedUp(kWaves * wave / launch.split, blockTargets())));
        const bool shared = launch.split > 1 && !code_.atomicSums;
        if (shared) sums_ = DeviceArray<Vec4<Real>>(static_cast<std::size_t>(launch.split) * count);
        const double pairs = static_cast<double>(count) * count;
        if (pairs > kNeverCutPairs || count > code_.longestSlice)
            carry_ = DeviceArray<double>(3 * static_cast<std::size_t>(launch.split) * groupTargets_);
        if (code_.planes) planes_ = DeviceArray<Real>(4 * static_cast<std::size_t>(count));
        if (code_.sources) {
            CUDA_CHECK(symbolAddress(&constant_, code_.sources()));
            constantRead_ = &lastConstantReads().of(device.index);
        }
    }

    ForceSlice enqueue(const ForceJob<Real>& job, double pairs) override {
        ForceTask<Real> task = wholeTask(job);
        task.targetFirst = target_;
        task.sliceFirst = source_;
        task.targetCount = std::min(groupTargets_, count_ - target_);
        task.sliceLength = task.rangeLength - source_;
        const bool begins = target_ == 0 && source_ == 0;
        if (carry_.size() == 0 || (begins && all() < 1.5 * pairs && count_ <= code_.longestSlice)) {
            task.targetCount = count_;
        } else {
            const std::uint32_t step = code_.sliceStep(launch());
            const double sources = pairs / (static_cast<double>(task.targetCount) * launch().split);
            double length = std::max(1.0, std::floor(sources / step)) * step;
            length = std::min<double>(length, code_.longestSlice / step * step);
            if (length < task.sliceLength) task.sliceLength = static_cast<std::uint32_t>(length);
        }
        task.resumes = source_ > 0;
        task.finishes = source_ + task.sliceLength >= task.rangeLength;
        if (begins) prepare(job);
        if (constant_) {
            // One array for all backends of a device: whoever fills it waits for the last who read it.
            CUDA_CHECK(waitInStream(stream_, *constantRead_));
            CUDA_CHECK(copyAsync(constant_, job.bodies + task.sliceFirst,
                                 std::min(task.sliceLength, count_ - task.sliceFirst) * sizeof(Vec4<Real>), Copy::onDevice,
                                 stream_));
        }
        launchForce(job.force, task);
        if (constant_) CUDA_CHECK(recordEvent(*constantRead_, stream_));

        const double share = static_cast<double>(task.sliceLength) / task.rangeLength;
        source_ += task.sliceLength;
        if (task.finishes) {
            target_ += task.targetCount;
            source_ = 0;
        }
        const bool last = target_ >= count_;
        if (last) restart();
        return {static_cast<double>(task.targetCount) * count_ * share, last};
    }

    double nextPairs(double pairs) const override { return std::min(all(), carry_.size() == 0 ? all() : pairs); }
    double progress() const override {
        if (count_ == 0) return 0;
        const double part = static_cast<double>(source_) / rangeLength_;
        return (target_ + part * std::min(groupTargets_, count_ - target_)) / count_;
    }
    void restart() override { target_ = source_ = 0; }
    ForceSums<Real> sums(const ForceJob<Real>& job) const override {
        if (sums_.size() == 0) return {job.out, 1};
        return {sums_.data(), static_cast<std::uint32_t>(launch().split)};
    }
    std::optional<ForceTask<Real>> fusable(const ForceJob<Real>& job, double pairs) override {
        if (!code_.fused || progress() > 0 || all() > std::max(kNeverCutPairs, 1.5 * pairs)) return std::nullopt;
        ForceTask<Real> task = wholeTask(job);
        task.targetCount = count_;
        task.sliceLength = task.rangeLength;
        task.finishes = true;
        return task;
    }

private:
    void launchForce(const ForceSettings& force, const ForceTask<Real>& task) {
        const Dim blocks = grid(task);
        const auto threads = static_cast<unsigned>(launch().block);
        const std::size_t shared = code_.sharedBytes(launch(), sizeof(Real));
        if (loopLaw(force) == Law::gravity) {
            launchKernel(kernel_, blocks, threads, task, shared, stream_);
            return;
        }
        withLoopLaw<Real>(force, [&]<class Type>(const Type& law) {
            launchKernel(lawKernel<Real, Type>(launch().unroll), blocks, threads, {task, law}, shared, stream_);
        });
    }
    const LaunchConfig& launch() const { return this->choice().launch; }
    std::uint32_t blockTargets() const { return static_cast<std::uint32_t>(launch().block * launch().bodiesPerThread); }
    double all() const { return static_cast<double>(count_) * count_; }
    Dim grid(const ForceTask<Real>& task) const {
        return {(task.targetCount + blockTargets() - 1) / blockTargets(), static_cast<unsigned>(launch().split)};
    }
    ForceTask<Real> wholeTask(const ForceJob<Real>& job) const {
        ForceTask<Real> task{};
        task.bodies = job.bodies;
        task.planes = planes_.data();
        task.sums = sums_.size() > 0 ? sums_.data() : job.out;
        task.carry = carry_.data();
        task.count = count_;
        task.rangeLength = rangeLength_;
        task.softeningSquared = static_cast<Real>(job.softeningSquared);
        task.atomic = code_.atomicSums;
        return task;
    }
    /// What a force needs before its first slice.
    void prepare(const ForceJob<Real>& job) {
        if (code_.atomicSums) CUDA_CHECK(fillAsync(job.out, 0, count_ * sizeof(Vec4<Real>), stream_));
        if constexpr (std::is_same_v<Real, float>)
            if (code_.planes)
                launchKernel(planesKernel(), {(count_ + kCopyThreads - 1) / kCopyThreads}, kCopyThreads,
                             PlanesTask{job.bodies, planes_.data(), count_}, 0, stream_);
    }

    const OneSidedCode& code_;
    Kernel<ForceTask<Real>> kernel_;
    std::uint32_t count_;
    Stream stream_;
    std::uint32_t rangeLength_ = 0;          ///< sources that one block sees
    std::uint32_t groupTargets_ = 0;         ///< targets of a launch when a force is cut
    std::uint32_t target_ = 0, source_ = 0;  ///< where the force under way stands
    DeviceArray<Vec4<Real>> sums_;           ///< with split > 1: one force a range and body
    DeviceArray<double> carry_;              ///< running sums between the launches of a force that is cut
    DeviceArray<Real> planes_;
    void* constant_ = nullptr;                  ///< of this device
    const OwnedEvent* constantRead_ = nullptr;  ///< its last reader is done
};

}  // namespace

template <>
std::unique_ptr<ForcePlan<float>> makeOneSidedPlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                                   Stream stream) {
    return std::make_unique<OneSidedPlan<float>>(choice, count, device, stream);
}
template <>
std::unique_ptr<ForcePlan<double>> makeOneSidedPlan(const Choice& choice, std::uint32_t count, const DeviceFacts& device,
                                                    Stream stream) {
    return std::make_unique<OneSidedPlan<double>>(choice, count, device, stream);
}

}  // namespace gravlab::cuda
