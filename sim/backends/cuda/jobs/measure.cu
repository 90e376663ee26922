// Measures a state: sums, radii and the nearest pair, and the launches in their order. Rule: it uses no code of the force
// kernels, so that it cannot hide their loss of energy.
#include "sim/backends/cuda/jobs/diagnostics_job.h"

#include "sim/api/errors.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/forces/force_check.h"
#include "sim/forces/law.h"
#include "sim/measure/potential_error.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace gravlab::cuda {
namespace {

/// Bodies whose terms one block sums.
constexpr std::uint32_t kMeasureChunk = 1024;
/// Most sources of one launch of the pairs: a multiple of the threads.
constexpr std::uint32_t kMeasureSources = 4096;
// Pairs a second until the rate is measured: that of a small device, so that the first slice is not too long.
constexpr double kFirstRate = 5e10;
constexpr unsigned kRadiusBlocks = 264;

constexpr unsigned long long kWhole = 1ull << 62, kOutside = ~0ull;

/// Sums `value` of all threads into thread 0's result, always in the same order.
__device__ double blockSum(double value, double (&room)[kMeasureThreads]) {
    __syncthreads();
    room[threadIdx.x] = value;
    for (unsigned half = kMeasureThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) room[threadIdx.x] += room[threadIdx.x + half];
    }
    __syncthreads();
    return room[0];
}

template <class Real>
__device__ double inertiaOf(const Vector<Real>& x, const Vector<Real>& v) {
    return v.w != 0 ? static_cast<double>(x.w) / static_cast<double>(v.w) : 0;
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void sumMoments(MeasureTask<Real> task) {
    __shared__ double room[kMeasureThreads];
    double sum[kMoments] = {};
    Moments& s = *reinterpret_cast<Moments*>(sum);
    const std::uint32_t first = blockIdx.x * kMeasureChunk, end = min(first + kMeasureChunk, task.count);
    for (std::uint32_t i = first + threadIdx.x; i < end; i += kMeasureThreads) {
        const Vector<Real> body = asVectors(task.x)[i], speed = asVectors(task.v)[i];
        const double m = inertiaOf<Real>(body, speed), size = fabs(m);
        const double x = body.x, y = body.y, z = body.z, u = speed.x, v = speed.y, w = speed.z;
        s.kinetic += m * (u * u + v * v + w * w) / 2;
        s.momentum[0] += m * u;
        s.momentum[1] += m * v;
        s.momentum[2] += m * w;
        s.spin[0] += m * (y * w - z * v);
        s.spin[1] += m * (z * u - x * w);
        s.spin[2] += m * (x * v - y * u);
        s.first[0] += m * x;
        s.first[1] += m * y;
        s.first[2] += m * z;
        s.mass += m;
        s.weight[0] += size * x;
        s.weight[1] += size * y;
        s.weight[2] += size * z;
        s.weightOfMass += size;
        s.spinScale += size * sqrt(x * x + y * y + z * z) * sqrt(u * u + v * v + w * w);
        s.sources += fabs(static_cast<double>(body.w));
    }
    double* const part = reinterpret_cast<double*>(task.parts + blockIdx.x);
    for (int k = 0; k < kMoments; ++k) {
        const double whole = blockSum(sum[k], room);
        if (threadIdx.x == 0) part[k] = whole;
    }
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void endMoments(MeasureTask<Real> task) {
    __shared__ double room[kMeasureThreads];
    double* const result = reinterpret_cast<double*>(&task.state->moments);
    for (int k = 0; k < kMoments; ++k) {
        double sum = 0;
        for (std::uint32_t part = threadIdx.x; part < task.chunks; part += kMeasureThreads)
            sum += reinterpret_cast<const double*>(task.parts + part)[k];
        sum = blockSum(sum, room);
        if (threadIdx.x == 0) result[k] = sum;
    }
    for (unsigned k = threadIdx.x; k < 3 * 256; k += kMeasureThreads) task.histogram[k] = 0;
    if (threadIdx.x < 3) {
        task.search->prefix[threadIdx.x] = task.search->inside[threadIdx.x] = 0;
        task.state->radii[threadIdx.x] = 0;
    }
}

template <class Real>
__global__ void findRadii(MeasureTask<Real> task) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= task.count) return;
    const Moments& sums = task.state->moments;
    const Vector<Real> at = asVectors(task.x)[i];
    const double mass = fabs(inertiaOf<Real>(at, asVectors(task.v)[i]));
    const double dx = at.x - sums.weight[0] / sums.weightOfMass, dy = at.y - sums.weight[1] / sums.weightOfMass,
                 dz = at.z - sums.weight[2] / sums.weightOfMass;
    // Doubles that are not negative have the order of their bits.
    task.radius[i] =
        mass > 0 ? static_cast<unsigned long long>(__double_as_longlong(sqrt(dx * dx + dy * dy + dz * dz))) : kOutside;
    task.mass[i] = mass > 0 ? __double2ull_rn(mass / sums.weightOfMass * static_cast<double>(kWhole)) : 0;
}

__device__ unsigned long long warpSum(unsigned long long value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(~0u, value, offset);
    return value;
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void countRadii(MeasureTask<Real> task) {
    __shared__ unsigned long long histogram[3][256];
    for (unsigned k = threadIdx.x; k < 3 * 256; k += kMeasureThreads) histogram[k / 256][k % 256] = 0;
    __syncthreads();
    const std::uint32_t stride = gridDim.x * kMeasureThreads;
    // All threads of a warp run the loop equally often, because they exchange values.
    for (std::uint32_t base = blockIdx.x * kMeasureThreads; base < task.count; base += stride) {
        const std::uint32_t i = base + threadIdx.x;
        const unsigned long long radius = i < task.count ? task.radius[i] : kOutside;
        const unsigned long long mass = i < task.count ? task.mass[i] : 0;
        const auto bin = static_cast<unsigned>(radius >> task.shift & 255);
        for (int k = 0; k < 3; ++k) {
            const bool fits = mass > 0 && (task.shift == 56 || radius >> (task.shift + 8) == task.search->prefix[k]);
            const unsigned fitting = __ballot_sync(~0u, fits);
            if (fitting == 0) continue;
            // Most radii have the same leading bits: a sum within the warp first avoids a queue of atomics on one counter.
            const unsigned common = __shfl_sync(~0u, bin, __ffs(static_cast<int>(fitting)) - 1);
            if (__all_sync(~0u, !fits || bin == common)) {
                const unsigned long long sum = warpSum(fits ? mass : 0);
                if (threadIdx.x % 32 == 0) atomicAdd(&histogram[k][common], sum);
            } else if (fits) {
                atomicAdd(&histogram[k][bin], mass);
            }
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 3 * 256; k += kMeasureThreads)
        if (const unsigned long long mass = histogram[k / 256][k % 256]) atomicAdd(&task.histogram[k], mass);
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void pickRadii(MeasureTask<Real> task) {
    __shared__ unsigned long long histogram[3][256];
    for (unsigned k = threadIdx.x; k < 3 * 256; k += kMeasureThreads) {
        histogram[k / 256][k % 256] = task.histogram[k];
        task.histogram[k] = 0;
    }
    __syncthreads();
    const unsigned k = threadIdx.x;
    if (k >= 3) return;
    unsigned long long inside = task.search->inside[k];
    unsigned bin = 0;
    while (bin < 255 && inside + histogram[k][bin] < task.want[k]) inside += histogram[k][bin++];
    task.search->inside[k] = inside;
    const unsigned long long radius = task.search->prefix[k] << 8 | bin;
    task.search->prefix[k] = radius;
    if (task.shift > 0) return;
    const double mass = task.state->moments.weightOfMass;
    task.state->radii[k] = mass > 0 ? __longlong_as_double(static_cast<long long>(radius)) : mass == 0 ? 0 : mass - mass;
}

/// Whether `a` is the nearer pair; of equal distances the smaller indices win, in any order of comparisons.
__device__ bool isNearer(const PairPart& a, const PairPart& b) {
    if (a.squared != b.squared) return a.squared < b.squared;
    return a.second != b.second ? a.second < b.second : a.first < b.first;
}

/// Energy and nearest pair of all threads, in thread 0.
__device__ PairPart blockPart(PairPart mine) {
    __shared__ double sums[kMeasureThreads];
    __shared__ PairPart parts[kMeasureThreads];
    const double energy = blockSum(mine.energy, sums);
    parts[threadIdx.x] = mine;
    for (unsigned half = kMeasureThreads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && isNearer(parts[threadIdx.x + half], parts[threadIdx.x]))
            parts[threadIdx.x] = parts[threadIdx.x + half];
    }
    PairPart result = parts[threadIdx.x];  // each thread reads its own: thread 0 may have just written its part
    result.energy = energy;
    return result;
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void sumPairs(MeasureTask<Real> task) {
    const std::uint32_t first = blockIdx.x * kMeasureChunk, end = min(first + kMeasureChunk, task.count);
    PairPart mine{0, INFINITY, 0, 0};
    for (std::uint32_t i = first + threadIdx.x; i < end; i += kMeasureThreads) {
        const double source = task.x[i].w;
        if (source != 0) mine.energy += source * task.energy[i];
        const PairPart pair{0, task.squared[i], task.neighbour[i], i};
        if (isNearer(pair, mine)) {
            mine.squared = pair.squared;
            mine.first = pair.first;
            mine.second = pair.second;
        }
    }
    const PairPart whole = blockPart(mine);
    if (threadIdx.x == 0) task.pairParts[blockIdx.x] = whole;
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void endPairs(MeasureTask<Real> task) {
    PairPart mine{0, INFINITY, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < task.chunks; k += kMeasureThreads) {
        const PairPart part = task.pairParts[k];
        const double energy = mine.energy + part.energy;
        if (isNearer(part, mine)) mine = part;
        mine.energy = energy;
    }
    PairPart whole = blockPart(mine);
    if (threadIdx.x > 0) return;
    whole.energy *= task.sign;
    if (whole.squared < INFINITY) {
        const Vec4<Real> a = task.x[whole.first], b = task.x[whole.second];
        const double dx = static_cast<double>(a.x) - b.x, dy = static_cast<double>(a.y) - b.y,
                     dz = static_cast<double>(a.z) - b.z;
        whole.squared = dx * dx + dy * dy + dz * dz;
    }
    task.state->pairs = whole;
}

/// Compares the energy of some bodies with a plain loop in double. One block per body.
struct FieldCheckTask {
    const Vec4<float>* bodies;
    const double* energy;          ///< values under test, see TreeFields
    const std::uint32_t* targets;  ///< one a block
    double* result;                ///< [2 k] value under test, [2 k + 1] value of the plain loop
    std::uint32_t count;
    double softeningSquared;
    double power, factor;  ///< constants of the pull, see PowerPull
};
/// Potential of a source of 1, whose slope is the pull of that power.
__device__ double plainField(double squared, double power) {
    if (power == 2) return 1 / sqrt(squared);
    if (power == 1) return -0.5 * log(squared);
    return pow(squared, 0.5 * (1 - power)) / (power - 1);
}

__global__ __launch_bounds__(kMeasureThreads) void checkFields(FieldCheckTask task) {
    __shared__ double room[kMeasureThreads];
    const std::uint32_t target = task.targets[blockIdx.x];
    const Vec4<float> at = task.bodies[target];
    double sum = 0;
    for (std::uint32_t j = threadIdx.x; j < task.count; j += kMeasureThreads) {
        const Vec4<float> source = task.bodies[j];
        const double x = static_cast<double>(source.x) - at.x, y = static_cast<double>(source.y) - at.y,
                     z = static_cast<double>(source.z) - at.z;
        const double squared = x * x + y * y + z * z + task.softeningSquared;
        if (j != target && squared > 0) sum += source.w * plainField(squared, task.power);
    }
    sum = blockSum(sum, room);
    if (threadIdx.x > 0) return;
    task.result[2 * blockIdx.x] = at.w * task.energy[target];
    task.result[2 * blockIdx.x + 1] = at.w * (0.5 * task.factor * sum);
}

}  // namespace

const void* measureCode() { return kernelOf(sumMoments<float>).address; }

template <class Real>
DiagnosticsJob<Real>::DiagnosticsJob(Stream stream, std::uint32_t count)
    : stream_(stream), count_(count), x_(count), v_(count), host_(1) {
    task_.count = count;
    task_.chunks = blocksFor(count, kMeasureChunk);
    task_.x = x_.data();
    task_.v = v_.data();
    task_.radius = arrays_.make<unsigned long long>(count);
    task_.mass = arrays_.make<unsigned long long>(count);
    task_.energy = reinterpret_cast<double*>(task_.radius);
    task_.squared = reinterpret_cast<double*>(task_.mass);
    task_.neighbour = arrays_.make<std::uint32_t>(count);
    task_.parts = arrays_.make<Moments>(task_.chunks);
    task_.pairParts = arrays_.make<PairPart>(task_.chunks);
    task_.state = arrays_.make<MeasuredState>(1);
    task_.search = arrays_.make<RadiusSearch>(1);
    task_.histogram = arrays_.make<unsigned long long>(3 * 256);
    for (std::size_t k = 0; k < kLagrangianShares.size(); ++k)
        task_.want[k] = static_cast<unsigned long long>(kLagrangianShares[k] * (1 - 1e-12) * std::ldexp(1, 62));
}

template <class Real>
void DiagnosticsJob<Real>::run(Kernel<MeasureTask<Real>> kernel, unsigned blocks) {
    launchKernel(kernel, {blocks}, kMeasureThreads, task_, 0, stream_);
}

template <class Real>
void DiagnosticsJob<Real>::begin(const Vec4<Real>* x, const Vec4<Real>* v, const ForceSettings& force) {
    drop();
    force_ = force;
    ended_ = false;
    source_ = target_ = 0;
    treeBegun_ = false;
    seconds_ = slicePairs_ = 0;
    CUDA_CHECK(recordEvent(sliceBegin_, stream_));
    CUDA_CHECK(copyAsync(x_.data(), x, x_.bytes(), Copy::onDevice, stream_));
    CUDA_CHECK(copyAsync(v_.data(), v, v_.bytes(), Copy::onDevice, stream_));
    enqueue();
    CUDA_CHECK(recordEvent(sliceEnd_, stream_));
    running_ = sliceRunning_ = true;
}

/// Enqueues the sums over bodies, and the radii.
template <class Real>
void DiagnosticsJob<Real>::enqueue() {
    const unsigned all = blocksFor(count_, kMeasureThreads);
    run(kernelOf(sumMoments<Real>), task_.chunks);
    run(kernelOf(endMoments<Real>), 1);
    run(kernelOf(findRadii<Real>), all);
    for (task_.shift = 56; task_.shift >= 0; task_.shift -= 8) {
        run(kernelOf(countRadii<Real>), std::min(all, kRadiusBlocks));
        run(kernelOf(pickRadii<Real>), 1);
    }
}

template <class Real>
void DiagnosticsJob<Real>::enqueuePairs(double seconds) {
    double left = seconds * (rate_ > 0 ? rate_ : kFirstRate);
    slicePairs_ = 0;
    while (source_ < count_ && left > 0) {
        const std::uint32_t sourceEnd = std::min(source_ + kMeasureSources, count_);
        // Targets before these sources have no pairs with them.
        const std::uint32_t first = std::max(target_, source_);
        const double wanted = std::ceil(left / kMeasureSources / kMeasureThreads) * kMeasureThreads;
        const auto targets = static_cast<std::uint32_t>(std::min<double>(wanted, count_ - first));
        launchPairs<Real>({.bodies = x_.data(),
                           .state = task_.state,
                           .energy = task_.energy,
                           .squared = task_.squared,
                           .neighbour = task_.neighbour,
                           .targetFirst = first,
                           .targetEnd = first + targets,
                           .sourceFirst = source_,
                           .sourceEnd = sourceEnd},
                          count_, force_, stream_);
        const double pairs = static_cast<double>(targets) * (sourceEnd - source_);
        slicePairs_ += pairs;
        left -= pairs;
        target_ = first + targets;
        if (target_ < count_) continue;
        target_ = 0;
        source_ = sourceEnd;
    }
}

template <class Real>
void DiagnosticsJob<Real>::setTree(std::unique_ptr<TreeEnergy> tree) {
    drop();
    tree_ = std::move(tree);
    if (!tree_) return;
    // These pairs cost a device about a millisecond where double precision is half as fast as single.
    constexpr double kPairs = 2.7e8;
    constexpr std::size_t kFewest = 32, kMost = 1024;
    const auto affordable = static_cast<std::size_t>(kPairs / std::max<double>(1, count_));
    const std::vector<std::uint32_t> targets = randomTargets(count_, std::clamp(affordable, kFewest, kMost));
    checked_ = uploaded(targets, stream_);
    checks_.reserve(2 * targets.size());
}

/// Enqueues the next slice of pairs; true when all are enqueued.
template <class Real>
bool DiagnosticsJob<Real>::enqueueTree(double seconds) {
    if constexpr (std::is_same_v<Real, float>) {
        const TreeFields fields{task_.energy, task_.squared, task_.neighbour};
        if (!std::exchange(treeBegun_, true)) tree_->begin(x_.data(), force_, fields);
        if (!tree_->enqueue(seconds)) return false;
        const TreeForce law = treeForce(force_);
        launchKernel(kernelOf(checkFields), {static_cast<unsigned>(checked_.size())}, kMeasureThreads,
                     FieldCheckTask{x_.data(), fields.energy, checked_.data(), checks_.device.data(), count_,
                                    force_.softening * force_.softening, law.power, law.factor},
                     0, stream_);
        checks_.toHost(2 * checked_.size(), stream_);
    }
    return true;
}

template <class Real>
void DiagnosticsJob<Real>::enqueueEnd() {
    task_.sign = tree_ || loopLaw(force_) == Law::gravity ? -forceFactor(force_) : 1;
    run(kernelOf(sumPairs<Real>), task_.chunks);
    run(kernelOf(endPairs<Real>), 1);
    CUDA_CHECK(copyAsync(host_.data(), task_.state, sizeof(MeasuredState), Copy::toHost, stream_));
    ended_ = true;
}

template <class Real>
std::optional<Diagnostics> DiagnosticsJob<Real>::advance(double seconds) {
    if (!running_) return std::nullopt;
    try {
        if (sliceRunning_) {
            if (!sliceEnd_.reached()) return std::nullopt;
            const double took = secondsBetween(sliceBegin_, sliceEnd_);
            seconds_ += took;
            // The rate of slices of a few microseconds is not that of longer ones.
            if (slicePairs_ > 0 && took > 5e-5) rate_ = slicePairs_ / took;
            sliceRunning_ = false;
        }
        if (ended_) {
            running_ = false;
            return result();
        }
        CUDA_CHECK(recordEvent(sliceBegin_, stream_));
        if (!tree_) enqueuePairs(seconds);
        if (tree_ ? enqueueTree(seconds) : source_ >= count_) enqueueEnd();
        CUDA_CHECK(recordEvent(sliceEnd_, stream_));
        sliceRunning_ = true;
    } catch (...) {
        drop();
        throw;
    }
    return std::nullopt;
}

template <class Real>
Diagnostics DiagnosticsJob<Real>::result() const {
    const MeasuredState& state = *host_.data();
    const Moments& m = state.moments;
    Diagnostics result;
    result.kinetic = m.kinetic;
    result.potential = state.pairs.energy;
    result.momentum = {m.momentum[0], m.momentum[1], m.momentum[2]};
    result.angularMomentum = {m.spin[0], m.spin[1], m.spin[2]};
    result.centreOfMass = Vec3d{m.first[0], m.first[1], m.first[2]} / (m.mass != 0 ? m.mass : 1);
    result.mass = m.mass;
    std::copy_n(state.radii, result.shape.lagrangianRadii.size(), result.shape.lagrangianRadii.begin());
    if (state.pairs.squared < std::numeric_limits<double>::infinity()) {
        result.shape.closest = std::sqrt(state.pairs.squared);
        result.shape.closestFirst = state.pairs.first;
        result.shape.closestSecond = state.pairs.second;
    }
    // Either body of a pair may have found the other.
    if (result.shape.closestFirst > result.shape.closestSecond)
        std::swap(result.shape.closestFirst, result.shape.closestSecond);
    if (tree_) {
        PotentialError error;
        for (std::size_t k = 0; k < checked_.size(); ++k)
            error.add(checks_.host.data()[2 * k], checks_.host.data()[2 * k + 1]);
        result.potentialError = error.relative();
    }
    result.angularMomentumScale = m.spinScale;
    result.seconds = seconds_;
    return result;
}

template <class Real>
std::optional<Diagnostics> Measurement<Real>::take(double seconds) {
    Diagnostics failed;
    failed.failure = std::exchange(failure, {});
    if (!failed.failure.empty()) return failed;
    if (!pairs) return std::nullopt;
    try {
        if (!ofPairs) ofPairs = pairs->advance(seconds);
        if (!ofPairs) return std::nullopt;
        if (!otherEnergy.valid()) return std::exchange(ofPairs, std::nullopt);
        if (otherEnergy.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
        Diagnostics measured = *std::exchange(ofPairs, std::nullopt);
        measured.potential += otherEnergy.get();
        return measured;
    } catch (const Error& error) {
        ofPairs.reset();
        failed.failure = error.what();
        return failed;
    }
}

template class DiagnosticsJob<float>;
template class DiagnosticsJob<double>;
template struct Measurement<float>;
template struct Measurement<double>;

}  // namespace gravlab::cuda
