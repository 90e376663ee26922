// The matrix of pair forces, tile by tile: the rows' and the columns' bodies of a tile lie in shared memory.
#include "sim/backends/cuda/kernels/pair.cuh"
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
            force = fmaxf(force, fabsf(x.w * y.w * all.single.forceOverDistance(squared)) * sqrtf(squared));
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
            const double force = fabs(static_cast<double>(x.w) * y.w * all.exact.forceOverDistance(squared)) * distance;
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

template <class Real, class Single, class Double>
Kernel<MatrixLawTask<Real, Single, Double>> edgedKernel(int wanted) {
    return MatrixEdges::pick(wanted, [](auto edge) { return kernelOf(matrixTile<Real, edge(), Single, Double>); });
}

__global__ void matrixLevels(MatrixLevelTask task) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= task.count) return;
    constexpr float kLog10Of2 = 0.30103f;
    const float force = task.forces[k], strongest = __uint_as_float(task.facts->strongest);
    const float below = force > 0 ? kLog10Of2 * (__log2f(strongest) - __log2f(force)) : kMatrixDecades;
    task.levels[k] = fminf(fmaxf(1 - below / kMatrixDecades, 0.f), 1.f);
}

}  // namespace

template <class Real, template <class> class... PairLaws>
auto MatrixKernels<Real, LawList<PairLaws...>>::tiles(int wanted) -> Kernels {
    return {edgedKernel<Real, PairLaws<float>, PairLaws<double>>(wanted)...};
}
template <class Real, template <class> class... PairLaws>
auto MatrixKernels<Real, LawList<PairLaws...>>::pairs() -> Kernels {
    return {kernelOf(matrixPair<Real, PairLaws<float>, PairLaws<double>>)...};
}
template struct MatrixKernels<float, LoopLaws>;
template struct MatrixKernels<double, LoopLaws>;
Kernel<MatrixLevelTask> matrixLevelKernel() { return kernelOf(matrixLevels); }

}  // namespace gravlab::cuda
