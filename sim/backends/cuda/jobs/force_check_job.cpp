// The launches that check a force.
#include "sim/backends/cuda/jobs/force_check_job.h"

#include "sim/backends/cuda/jobs/measure.h"
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/profiler_range.h"

#include <algorithm>
#include <cmath>

namespace gravlab::cuda {
namespace {

// Pairs of a check: about 1 ms where double precision is half as fast as single, some 20 ms where it is 64 times slower.
constexpr double kPairsPerCheck = 2.7e8;
// Fewest samples of a check in a frame. Without frames a check has all: 1,024 of a billion bodies take a second.
constexpr std::size_t kFewestSamples = 16;

}  // namespace

template <class Real>
void ForceCheckJob<Real>::fitFrame(std::uint32_t count) {
    const auto pairs = static_cast<std::size_t>(kPairsPerCheck / std::max<double>(1, count));
    const std::size_t affordable = std::max(kFewestSamples, pairs);
    if (wanted_.size() <= affordable) return;
    for (std::size_t k = 0; k < affordable; ++k) wanted_[k] = wanted_[k * wanted_.size() / affordable];
    wanted_.resize(affordable);
}

template <class Real>
void ForceCheckJob<Real>::enqueue(const Vec4<Real>* x, const Vec4<Real>* v, const Vec4<Real>* a, std::uint32_t count,
                                  const ForceRequest& request, const Accuracy& accuracy) {
    const ProfilerRange range("check");
    targets_ = std::exchange(wanted_, {});
    gate_ = accuracy.gate;
    const std::size_t samples = targets_.size();
    if (indices_.size() < samples) {
        indices_ = DeviceArray<std::uint32_t>(samples);
        result_ = DeviceArray<Double4>(samples);
        host_ = PinnedArray<Double4>(samples);
    }
    CUDA_CHECK(copyAsync(indices_.data(), targets_.data(), samples * sizeof(std::uint32_t), Copy::toDevice, stream_));
    const CheckTask<Real> task{.bodies = x,
                               .accelerations = a,
                               .velocities = v,
                               .targets = indices_.data(),
                               .result = result_.data(),
                               .count = count,
                               .softeningSquared = softeningSquared(request),
                               .sign = forceFactor(request.settings),
                               .floorShare = std::max(floorShare(request.settings), leastShare(gate_))};
    const Dim blocks{static_cast<unsigned>(samples)};
    if (loopLaw(request.settings) == Law::gravity)
        launchKernel(checkKernel<Real>(), blocks, kCheckThreads, task, 0, stream_);
    else
        withLoopLaw<double>(request.settings, request.smallestR2, [&]<class Type>(const Type& law) {
            launchKernel(lawCheckKernel<Real, Type>(), blocks, kCheckThreads, {task, law}, 0, stream_);
        });
    CUDA_CHECK(copyAsync(host_.data(), result_.data(), samples * sizeof(Double4), Copy::toHost, stream_));
    if (std::isfinite(gate_.p99)) {
        if (parts_.size() == 0) {
            parts_ = DeviceArray<double>(4 * kMomentumBlocks);
            hostParts_ = PinnedArray<double>(4 * kMomentumBlocks);
        }
        launchKernel(momentumKernel<Real>(), {kMomentumBlocks}, kMomentumThreads,
                     MomentumTask<Real>{x, a, parts_.data(), count}, 0, stream_);
        CUDA_CHECK(copyAsync(hostParts_.data(), parts_.data(), parts_.bytes(), Copy::toHost, stream_));
    }
    CUDA_CHECK(recordEvent(done_, stream_));
    running_ = true;
}

template <class Real>
std::optional<ForceCheck> ForceCheckJob<Real>::take() {
    if (!running_ || !done_.reached()) return std::nullopt;
    running_ = false;
    // compareForces() uses lengths and differences only, so any direction gives the same result.
    std::vector<Double4> got, want;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
        const Double4& r = host_.data()[k];
        const double length = r.w;
        want.push_back({length, 0, 0, 0});
        got.push_back({length + r.x, r.y, r.z, 0});
    }
    ForceCheck check = compareForces(got, want, gate_);
    check.worst = targets_[check.worst];
    if (std::isfinite(gate_.p99)) {
        double sums[4] = {};
        for (unsigned k = 0; k < 4 * kMomentumBlocks; ++k) sums[k % 4] += hostParts_.data()[k];
        const double sum = std::sqrt(sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]);
        check.momentum = sums[3] > 0 ? sum / sums[3] : 0;
    }
    return check;
}

template class ForceCheckJob<float>;
template class ForceCheckJob<double>;

}  // namespace gravlab::cuda
