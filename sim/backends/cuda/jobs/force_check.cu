// fp64 accelerations of a few bodies by the plainest sum on a device: one block per body, one running sum per thread.
// Rule: it uses no code of the kernels that it checks.
#include "sim/backends/cuda/jobs/force_check_job.h"

#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/profiler_range.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gravlab::cuda {
namespace {

// Pairs of a check: about 1 ms where double precision is half as fast as single, some 20 ms where it is 64 times slower.
constexpr double kPairsPerCheck = 2.7e8;
// Fewest samples of a check in a frame. Without frames a check has all: 1,024 of a billion bodies take a second.
constexpr std::size_t kFewestSamples = 16;

constexpr unsigned kCheckThreads = 256;

/// Gravity and charges, written independently of the force kernels.
struct PlainGravity {
    double softeningSquared;
    __device__ double forceOverDistance(double squared) const {
        const double softened = squared + softeningSquared;
        return 1 / (softened * sqrt(softened));
    }
};

/// Adds up the values of all threads in sums[...][0], for thread 0.
__device__ void sumOverThreads(double (&sums)[4][kCheckThreads], const double (&own)[4]) {
    for (int k = 0; k < 4; ++k) sums[k][threadIdx.x] = own[k];
    for (unsigned half = kCheckThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (auto& part : sums) part[threadIdx.x] += part[threadIdx.x + half];
    }
}

template <class Real, class Law>
__device__ void checkForce(const CheckTask<Real>& task, const Law& law) {
    __shared__ double sums[4][kCheckThreads];
    const std::uint32_t target = task.targets[blockIdx.x];
    const Vec4<Real> at = task.bodies[target];
    double x = 0, y = 0, z = 0, terms = 0;
    for (std::uint32_t j = threadIdx.x; j < task.count; j += kCheckThreads) {
        const Vec4<Real> source = task.bodies[j];
        const double dx = static_cast<double>(source.x) - at.x;
        const double dy = static_cast<double>(source.y) - at.y;
        const double dz = static_cast<double>(source.z) - at.z;
        const double squared = dx * dx + dy * dy + dz * dz;
        const double pull = law.forceOverDistance(squared);
        x += source.w * (dx * pull);
        y += source.w * (dy * pull);
        z += source.w * (dz * pull);
        terms += fabs(source.w * (sqrt(squared) * pull));
    }
    sumOverThreads(sums, {x, y, z, terms});
    if (threadIdx.x > 0) return;
    const Vec4<Real> got = task.accelerations[target];
    const double response = task.sign * static_cast<double>(task.velocities[target].w);
    const double want[3] = {response * sums[0][0], response * sums[1][0], response * sums[2][0]};
    const double scale = fmax(norm3d(want[0], want[1], want[2]), task.floorShare * fabs(response) * sums[3][0]);
    // The result is in double: forces in extreme units leave the range of single precision.
    task.result[blockIdx.x] = {got.x - want[0], got.y - want[1], got.z - want[2], scale};
}

template <class Real>
__global__ void checkGravity(CheckTask<Real> task) {
    checkForce(task, PlainGravity{task.softeningSquared});
}
template <class Real, class Law>
__global__ void checkLaw(LawCheckTask<Real, Law> task) {
    checkForce(task.check, task.law);
}

// Sum of the forces on all bodies: zero where the two forces of each pair are opposite.
constexpr unsigned kMomentumBlocks = 264;

/// Each block sums a fixed set of the bodies, in an order that depends on the number of bodies alone.
template <class Real>
struct MomentumTask {
    const Vec4<Real>* bodies;         ///< w = mass
    const Vec4<Real>* accelerations;  ///< accelerations of the bodies
    double* parts;                    ///< [4 block]: x, y, z of m a, and |m a|
    std::uint32_t count;
};
template <class Real>
__global__ __launch_bounds__(kCheckThreads) void sumForces(MomentumTask<Real> task) {
    __shared__ double sums[4][kCheckThreads];
    double x = 0, y = 0, z = 0, sizes = 0;
    for (std::uint32_t i = blockIdx.x * kCheckThreads + threadIdx.x; i < task.count; i += gridDim.x * kCheckThreads) {
        const double mass = task.bodies[i].w;
        const Vec4<Real> a = task.accelerations[i];
        x += mass * a.x;
        y += mass * a.y;
        z += mass * a.z;
        sizes += fabs(mass) * norm3d(a.x, a.y, a.z);
    }
    sumOverThreads(sums, {x, y, z, sizes});
    __syncthreads();
    if (threadIdx.x < 4) task.parts[4 * blockIdx.x + threadIdx.x] = sums[threadIdx.x][0];
}

}  // namespace

template <class Real>
const void* checkCode() {
    return kernelOf(checkGravity<Real>).address;
}
template const void* checkCode<float>();
template const void* checkCode<double>();

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
    if (indices_.size() < samples) indices_ = DeviceArray<std::uint32_t>(samples);
    result_.reserve(samples);
    CUDA_CHECK(copyAsync(indices_.data(), targets_.data(), samples * sizeof(std::uint32_t), Copy::toDevice, stream_));
    const CheckTask<Real> task{.bodies = x,
                               .accelerations = a,
                               .velocities = v,
                               .targets = indices_.data(),
                               .result = result_.device.data(),
                               .count = count,
                               .softeningSquared = softeningSquared(request),
                               .sign = forceFactor(request.settings),
                               .floorShare = std::max(floorShare(request.settings), leastShare(gate_))};
    const Dim blocks{static_cast<unsigned>(samples)};
    if (loopLaw(request.settings) == Law::gravity)
        launchKernel(kernelOf(checkGravity<Real>), blocks, kCheckThreads, task, 0, stream_);
    else
        withLoopLaw<double>(request.settings, request.smallestR2, [&]<class Type>(const Type& law) {
            launchKernel(kernelOf(checkLaw<Real, Type>), blocks, kCheckThreads, {task, law}, 0, stream_);
        });
    result_.toHost(samples, stream_);
    if (std::isfinite(gate_.p99)) {
        parts_.reserve(4 * kMomentumBlocks);
        launchKernel(kernelOf(sumForces<Real>), {kMomentumBlocks}, kCheckThreads,
                     MomentumTask<Real>{x, a, parts_.device.data(), count}, 0, stream_);
        parts_.toHost(4 * kMomentumBlocks, stream_);
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
        const Double4& r = result_.host.data()[k];
        const double length = r.w;
        want.push_back({length, 0, 0, 0});
        got.push_back({length + r.x, r.y, r.z, 0});
    }
    ForceCheck check = compareForces(got, want, gate_);
    check.worst = targets_[check.worst];
    if (std::isfinite(gate_.p99)) {
        double sums[4] = {};
        for (unsigned k = 0; k < 4 * kMomentumBlocks; ++k) sums[k % 4] += parts_.host.data()[k];
        const double sum = std::sqrt(sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2]);
        check.momentum = sums[3] > 0 ? sum / sums[3] : 0;
    }
    return check;
}

template class ForceCheckJob<float>;
template class ForceCheckJob<double>;

}  // namespace gravlab::cuda
