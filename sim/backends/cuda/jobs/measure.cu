// Sums, radii and pairs of a state. Rule: it uses no code of the force kernels, so that it cannot hide their loss of energy.
#include "sim/backends/cuda/jobs/measure.h"
#include "sim/backends/cuda/kernels/pair.cuh"
#include "sim/forces/law.h"

#include <cfloat>
#include <type_traits>

namespace gravlab::cuda {
namespace {

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
__global__ __launch_bounds__(kMeasureThreads) void sumMoments(MomentTask<Real> task) {
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

__global__ __launch_bounds__(kMeasureThreads) void endMoments(MomentEndTask task) {
    __shared__ double room[kMeasureThreads];
    double* const result = reinterpret_cast<double*>(&task.result->moments);
    for (int k = 0; k < kMoments; ++k) {
        double sum = 0;
        for (std::uint32_t part = threadIdx.x; part < task.count; part += kMeasureThreads)
            sum += reinterpret_cast<const double*>(task.parts + part)[k];
        sum = blockSum(sum, room);
        if (threadIdx.x == 0) result[k] = sum;
    }
    for (unsigned k = threadIdx.x; k < 3 * 256; k += kMeasureThreads) task.histogram[k] = 0;
    if (threadIdx.x < 3) {
        task.search->prefix[threadIdx.x] = task.search->inside[threadIdx.x] = 0;
        task.result->radii[threadIdx.x] = 0;
    }
}

template <class Real>
__global__ void findRadii(RadiusTask<Real> task) {
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

__global__ __launch_bounds__(kMeasureThreads) void countRadii(RadiusCountTask task) {
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

__global__ __launch_bounds__(kMeasureThreads) void pickRadii(RadiusPickTask task) {
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
    if (!task.last) return;
    const double mass = task.state->moments.weightOfMass;
    task.state->radii[k] = mass > 0 ? __longlong_as_double(static_cast<long long>(radius)) : mass == 0 ? 0 : mass - mass;
}

/// 1 / sqrt(x), exact to the last bit but one: the hardware's estimate alone would bias a sum of many pairs.
__device__ __forceinline__ float closeInverseRoot(float x) {
    const float y = inverseRoot(x);
    return fmaf(0.5f * y, fmaf(-x * y, y, 1.0f), y);
}
__device__ __forceinline__ double closeInverseRoot(double x) { return inverseRoot(x); }

template <class Real>
__device__ __forceinline__ Real energyOf(const PlainEnergy<Real>& law, Real squared) {
    const Real soft = squared + law.squared;
    constexpr Real kLeast = sizeof(Real) == sizeof(float) ? FLT_MIN : DBL_MIN;
    return soft >= kLeast ? closeInverseRoot(soft) : Real(0);
}
template <class Real, class Law>
__device__ __forceinline__ Real energyOf(const LawEnergy<Law>& law, Real squared) {
    return squared > 0 || law.finiteAtZero ? law.law.potential(squared) : Real(0);
}

struct PairRow {
    double energy, squared;
    std::uint32_t neighbour;
};

/// Adds the pairs of a target with the first `count` sources of a tile, whose indices begin at `base`.
template <class Pair, class V, class Energy>
__device__ __forceinline__ void gatherRow(PairRow& row, const V* tile, std::uint32_t base, int count, const V& self,
                                          const Energy& energy) {
    constexpr int kChunk = 128;
    const bool source = self.w != 0;
    const Pair x = self.x, y = self.y, z = self.z;
    Pair nearest = static_cast<Pair>(row.squared);
    std::uint32_t neighbour = row.neighbour;
    for (int j = 0; j < count;) {
        const int end = min(j + kChunk, count);
        Pair part = 0;
#pragma unroll 4
        for (; j < end; ++j) {
            const V other = tile[j];
            const Pair dx = static_cast<Pair>(other.x) - x, dy = static_cast<Pair>(other.y) - y,
                       dz = static_cast<Pair>(other.z) - z;
            const Pair squared = fma(dz, dz, fma(dy, dy, dx * dx)), w = other.w;
            part = fma(w, energyOf(energy, squared), part);
            if (squared < nearest && (source || w != 0)) {
                nearest = squared;
                neighbour = base + j;
            }
        }
        row.energy += part;
    }
    row.squared = nearest;
    row.neighbour = neighbour;
}

template <class Real, class Pair, class Light, class Heavy>
__global__ __launch_bounds__(kMeasureThreads) void measurePairs(LawPairTask<Real, Light, Heavy> all) {
    __shared__ Vector<Real> tile[kMeasureThreads];
    const PairTask<Real>& task = all.pairs;
    const Vector<Real>* const bodies = asVectors(task.bodies);
    const std::uint32_t blockFirst = task.targetFirst + blockIdx.x * kMeasureThreads, i = blockFirst + threadIdx.x;
    const bool inside = i < task.targetEnd;
    const Vector<Real> self = bodies[inside ? i : task.targetEnd - 1];
    const bool heavy =
        !std::is_same_v<Pair, double> && fabs(static_cast<double>(self.w)) > kHeavyShare * task.state->moments.sources;
    PairRow row{0, INFINITY, 0};
    if (inside && task.sourceFirst > 0) row = {task.energy[i], task.squared[i], task.neighbour[i]};
    // No target of the block has sources past its own index.
    const std::uint32_t end = min(task.sourceEnd, min(blockFirst + kMeasureThreads, task.targetEnd) - 1);
    for (std::uint32_t base = task.sourceFirst; base < end; base += kMeasureThreads) {
        const std::uint32_t filled = min(kMeasureThreads, end - base);
        __syncthreads();
        if (threadIdx.x < filled) tile[threadIdx.x] = bodies[base + threadIdx.x];
        __syncthreads();
        const int count = inside && i > base ? static_cast<int>(min(filled, i - base)) : 0;
        if (heavy)
            gatherRow<double>(row, tile, base, count, self, all.heavy);
        else
            gatherRow<Pair>(row, tile, base, count, self, all.light);
    }
    if (!inside) return;
    task.energy[i] = row.energy;
    task.squared[i] = row.squared;
    task.neighbour[i] = row.neighbour;
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
__global__ __launch_bounds__(kMeasureThreads) void sumPairs(PairChunkTask<Real> task) {
    const std::uint32_t first = blockIdx.x * kMeasureChunk, end = min(first + kMeasureChunk, task.count);
    PairPart mine{0, INFINITY, 0, 0};
    for (std::uint32_t i = first + threadIdx.x; i < end; i += kMeasureThreads) {
        const double source = task.bodies[i].w;
        if (source != 0) mine.energy += source * task.energy[i];
        const PairPart pair{0, task.squared[i], task.neighbour[i], i};
        if (isNearer(pair, mine)) {
            mine.squared = pair.squared;
            mine.first = pair.first;
            mine.second = pair.second;
        }
    }
    const PairPart whole = blockPart(mine);
    if (threadIdx.x == 0) task.parts[blockIdx.x] = whole;
}

template <class Real>
__global__ __launch_bounds__(kMeasureThreads) void endPairs(PairEndTask<Real> task) {
    PairPart mine{0, INFINITY, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < task.count; k += kMeasureThreads) {
        const PairPart part = task.parts[k];
        const double energy = mine.energy + part.energy;
        if (isNearer(part, mine)) mine = part;
        mine.energy = energy;
    }
    PairPart whole = blockPart(mine);
    if (threadIdx.x > 0) return;
    whole.energy *= task.sign;
    if (whole.squared < INFINITY) {
        const Vec4<Real> a = task.bodies[whole.first], b = task.bodies[whole.second];
        const double dx = static_cast<double>(a.x) - b.x, dy = static_cast<double>(a.y) - b.y,
                     dz = static_cast<double>(a.z) - b.z;
        whole.squared = dx * dx + dy * dy + dz * dz;
    }
    task.state->pairs = whole;
}

}  // namespace

template <class Real>
MeasureKernels<Real> measureKernels() {
    return {kernelOf(sumMoments<Real>), kernelOf(endMoments),     kernelOf(findRadii<Real>), kernelOf(countRadii),
            kernelOf(pickRadii),        kernelOf(sumPairs<Real>), kernelOf(endPairs<Real>)};
}
template MeasureKernels<float> measureKernels();
template MeasureKernels<double> measureKernels();

template <class Real, class Pair, template <class> class... PairLaws>
auto PairEnergyKernels<Real, Pair, LawList<PairLaws...>>::all() -> Kernels {
    return {kernelOf(measurePairs<Real, Pair, PlainEnergy<Pair>, PlainEnergy<double>>),
            kernelOf(measurePairs<Real, PairRealOf<PairLaws, Pair>, LawEnergy<PairLaws<PairRealOf<PairLaws, Pair>>>,
                                  LawEnergy<PairLaws<double>>>)...};
}
template struct PairEnergyKernels<float, float, OtherLoopLaws>;
template struct PairEnergyKernels<float, double, OtherLoopLaws>;
template struct PairEnergyKernels<double, double, OtherLoopLaws>;

}  // namespace gravlab::cuda
