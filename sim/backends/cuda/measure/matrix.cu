// The matrix of pair forces, tile by tile: the rows' and the columns' bodies of a tile lie in shared memory.
#include "sim/backends/cuda/kernels/vector.cuh"
#include "sim/backends/cuda/measure/matrix.h"

namespace gravlab::cuda {
namespace {

constexpr std::uint32_t kMostStride = static_cast<std::uint32_t>(matrixStride(kMatrixBodies));

template <class Real>
__device__ float4 narrowed(const Vector<Real>& a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z), static_cast<float>(a.w)};
}

template <class Real, int kEdge, class Single, class Double>
__global__ __launch_bounds__(kEdge* kEdge) void matrixTile(MatrixLawTask<Real, Single, Double> all) {
    __shared__ float4 rows[kEdge * kMostStride], columns[kEdge * kMostStride];
    __shared__ unsigned strongest;
    const MatrixTask<Real>& task = all.matrix;
    const std::uint32_t length = kEdge * task.stride;
    if (threadIdx.x == 0) strongest = 0;
    for (std::uint32_t k = threadIdx.x; k < length; k += kEdge * kEdge) {
        // Past the end lies a body without a source: its forces are zero.
        const std::uint32_t i = blockIdx.y * length + k, j = blockIdx.x * length + k;
        rows[k] = i < task.count ? narrowed<Real>(asVectors(task.bodies)[i]) : float4{};
        columns[k] = j < task.count ? narrowed<Real>(asVectors(task.bodies)[j]) : float4{};
    }
    __syncthreads();
    const std::uint32_t across = threadIdx.x % kEdge, down = threadIdx.x / kEdge;
    float force = 0;
    for (std::uint32_t a = 0; a < task.stride; ++a)
        for (std::uint32_t b = 0; b < task.stride; ++b) {
            const float4 x = rows[down * task.stride + a], y = columns[across * task.stride + b];
            const float dx = y.x - x.x, dy = y.y - x.y, dz = y.z - x.z;
            const float squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
            force = fmaxf(force, fabsf(x.w * y.w * all.single.pull(squared)) * sqrtf(squared));
        }
    const std::uint32_t row = blockIdx.y * kEdge + down, column = blockIdx.x * kEdge + across;
    if (row < task.cells && column < task.cells) {
        task.forces[row * task.cells + column] = force;
        if (force > 0) atomicMax(&strongest, __float_as_uint(force));
    }
    __syncthreads();
    if (threadIdx.x == 0 && strongest > 0) atomicMax(&task.facts->strongest, strongest);
}

template <class Real, class Single, class Double>
__global__ void matrixPair(MatrixLawTask<Real, Single, Double> all) {
    const MatrixTask<Real>& task = all.matrix;
    MatrixPair best{task.row, task.column, task.row * task.stride, task.column * task.stride, -1, 0};
    for (std::uint32_t a = 0; a < task.stride; ++a)
        for (std::uint32_t b = 0; b < task.stride; ++b) {
            const std::uint32_t i = task.row * task.stride + a, j = task.column * task.stride + b;
            if (i >= task.count || j >= task.count) continue;
            const Vector<Real> x = asVectors(task.bodies)[i], y = asVectors(task.bodies)[j];
            const double dx = static_cast<double>(y.x) - x.x, dy = static_cast<double>(y.y) - x.y,
                         dz = static_cast<double>(y.z) - x.z;
            const double squared = dx * dx + dy * dy + dz * dz, distance = sqrt(squared);
            const double force = fabs(static_cast<double>(x.w) * y.w * all.exact.pull(squared)) * distance;
            if (force > best.force) {
                best.i = i;
                best.j = j;
                best.force = force;
                best.distance = distance;
            }
        }
    best.force = fmax(best.force, 0.0);
    task.facts->pair = best;
}

__global__ void colourMatrix(MatrixColourTask task) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= task.cells * task.cells) return;
    constexpr float kLog10Of2 = 0.30103f;
    const float force = task.forces[k], strongest = __uint_as_float(task.facts->strongest);
    const float below = force > 0 ? kLog10Of2 * (__log2f(strongest) - __log2f(force)) : kMatrixDecades;
    const float part = fminf(fmaxf(1 - below / kMatrixDecades, 0.f), 1.f);
    task.pixels[k] = task.colours[static_cast<std::size_t>(part * 255 + 0.5f)];
}

template <class Real, template <class> class Law>
const void* ofEdge(int edge) {
    switch (edge) {
        case 8:
            return reinterpret_cast<const void*>(matrixTile<Real, 8, Law<float>, Law<double>>);
        case 16:
            return reinterpret_cast<const void*>(matrixTile<Real, 16, Law<float>, Law<double>>);
        case 32:
            return reinterpret_cast<const void*>(matrixTile<Real, 32, Law<float>, Law<double>>);
        default:
            return nullptr;
    }
}

template <class Real>
const void* tiles(Law law, int edge) {
    if (law == Law::powerLaw) return ofEdge<Real, PowerLaw>(edge);
    if (law == Law::lennardJones) return ofEdge<Real, LennardJones>(edge);
    return ofEdge<Real, Gravity>(edge);
}

template <class Real>
const void* pairs(Law law) {
    if (law == Law::powerLaw) return reinterpret_cast<const void*>(matrixPair<Real, PowerLaw<float>, PowerLaw<double>>);
    if (law == Law::lennardJones)
        return reinterpret_cast<const void*>(matrixPair<Real, LennardJones<float>, LennardJones<double>>);
    return reinterpret_cast<const void*>(matrixPair<Real, Gravity<float>, Gravity<double>>);
}

}  // namespace

template <>
const void* matrixKernel<float>(Law law, int edge) {
    return tiles<float>(law, edge);
}
template <>
const void* matrixKernel<double>(Law law, int edge) {
    return tiles<double>(law, edge);
}
template <>
const void* matrixPairKernel<float>(Law law) {
    return pairs<float>(law);
}
template <>
const void* matrixPairKernel<double>(Law law) {
    return pairs<double>(law);
}
const void* matrixColourKernel() { return reinterpret_cast<const void*>(colourMatrix); }

}  // namespace gravlab::cuda
