// The matrix of pair forces, tile by tile: shared memory holds the bodies of a tile's rows and columns.
#include "sim/backends/cuda/jobs/matrix.h"
#include "sim/backends/cuda/kernels/pair.cuh"

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
        // A place past the end holds a body without a source, whose forces are zero.
        const std::uint32_t i = blockIdx.y * length + k, j = blockIdx.x * length + k;
        rows[k] = i < task.count ? narrowed<Real>(asVectors(task.bodies)[i]) : float4{};
        columns[k] = j < task.count ? narrowed<Real>(asVectors(task.bodies)[j]) : float4{};
    }
    __syncthreads();
    const std::uint32_t across = threadIdx.x % kEdge, down = threadIdx.x / kEdge;
    const std::uint32_t row = blockIdx.y * kEdge + down, column = blockIdx.x * kEdge + across;
    float largest = 0;
    for (std::uint32_t a = 0; a < task.stride; ++a)
        for (std::uint32_t b = 0; b < task.stride; ++b) {
            const float4 x = rows[down * task.stride + a], y = columns[across * task.stride + b];
            const float dx = y.x - x.x, dy = y.y - x.y, dz = y.z - x.z;
            const float squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
            if (task.value == PairValue::force) {
                largest = fmaxf(largest, fabsf(x.w * y.w * all.single.forceOverDistance(squared)) * sqrtf(squared));
                continue;
            }
            const std::uint32_t i = row * task.stride + a, j = column * task.stride + b;
            if (i == j || i >= task.count || j >= task.count) continue;
            const float value = valueOfPair(task.value, all.single, task.sign * x.w * y.w, dx, squared);
            if (fabsf(value) > fabsf(largest) && isfinite(value)) largest = value;
        }
    if (row < task.cells && column < task.cells) {
        task.values[row * task.cells + column] = largest;
        if (largest != 0) atomicMax(&strongest, __float_as_uint(fabsf(largest)));
    }
    __syncthreads();
    if (threadIdx.x == 0 && strongest > 0) atomicMax(&task.facts->strongest, strongest);
}

/// The tile of paper 001: a thread holds the body of a column in registers and visits the rows, whose bodies all threads
/// read into shared memory.
template <class Real, class Single, class Double>
__global__ void matrixColumns(MatrixLawTask<Real, Single, Double> all) {
    extern __shared__ float4 points[];
    __shared__ unsigned strongest;
    const MatrixTask<Real>& task = all.matrix;
    const std::uint32_t first = blockIdx.y * blockDim.x, column = blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t read = first + threadIdx.x;
    if (threadIdx.x == 0) strongest = 0;
    points[threadIdx.x] = read < task.count ? narrowed<Real>(asVectors(task.bodies)[read]) : float4{};
    const float4 y = column < task.count ? narrowed<Real>(asVectors(task.bodies)[column]) : float4{};
    __syncthreads();
    float largest = 0;
    const std::uint32_t rows = column < task.count ? min(blockDim.x, task.count - first) : 0;
    for (std::uint32_t k = 0; k < rows; ++k) {
        const float4 x = points[k];
        const float dx = y.x - x.x, dy = y.y - x.y, dz = y.z - x.z;
        const float squared = fmaf(dz, dz, fmaf(dy, dy, dx * dx));
        float value = 0;
        if (task.value == PairValue::force)
            value = fmaxf(0, fabsf(x.w * y.w * all.single.forceOverDistance(squared)) * sqrtf(squared));
        else if (first + k != column)
            value = valueOfPair(task.value, all.single, task.sign * x.w * y.w, dx, squared);
        if (!isfinite(value)) value = 0;
        task.values[(first + k) * task.cells + column] = value;
        largest = fmaxf(largest, fabsf(value));
    }
    if (largest != 0) atomicMax(&strongest, __float_as_uint(largest));
    __syncthreads();
    // Small blocks are many: most of them find a larger value there and need no atomic.
    if (threadIdx.x == 0 && strongest > *const_cast<volatile unsigned*>(&task.facts->strongest))
        atomicMax(&task.facts->strongest, strongest);
}

template <class Real, class Single, class Double>
__global__ void matrixPair(MatrixLawTask<Real, Single, Double> all) {
    const MatrixTask<Real>& task = all.matrix;
    MatrixPair best{task.row, task.column, task.row * task.stride, task.column * task.stride, 0, 0, 0};
    bool any = false;
    for (std::uint32_t a = 0; a < task.stride; ++a)
        for (std::uint32_t b = 0; b < task.stride; ++b) {
            const std::uint32_t i = task.row * task.stride + a, j = task.column * task.stride + b;
            if (i >= task.count || j >= task.count) continue;
            const Vector<Real> x = asVectors(task.bodies)[i], y = asVectors(task.bodies)[j];
            const double dx = static_cast<double>(y.x) - x.x, dy = static_cast<double>(y.y) - x.y,
                         dz = static_cast<double>(y.z) - x.z;
            const double squared = dx * dx + dy * dy + dz * dz, distance = sqrt(squared);
            const double force = fabs(static_cast<double>(x.w) * y.w * all.exact.forceOverDistance(squared)) * distance;
            const double value =
                i == j ? 0.0 : valueOfPair(task.value, all.exact, static_cast<double>(task.sign) * x.w * y.w, dx, squared);
            if (!any || fabs(value) > fabs(best.value)) {
                any = true;
                best.i = i;
                best.j = j;
                best.force = force;
                best.distance = distance;
                best.value = value;
            }
        }
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
    const float value = task.values[k], size = fabsf(value), strongest = __uint_as_float(task.facts->strongest);
    if (task.value == PairValue::distance) {
        task.levels[k] = strongest > 0 ? fminf(size / strongest, 1.f) : 0;
        return;
    }
    const float below = size > 0 ? kLog10Of2 * (__log2f(strongest) - __log2f(size)) : kMatrixDecades;
    const float level = fminf(fmaxf(1 - below / kMatrixDecades, 0.f), 1.f);
    task.levels[k] = task.value != PairValue::component ? level : value < 0 ? 0.5f - 0.5f * level : 0.5f + 0.5f * level;
}

}  // namespace

template <class Real, template <class> class... PairLaws>
auto MatrixKernels<Real, LawList<PairLaws...>>::tiles(int wanted) -> Kernels {
    return {edgedKernel<Real, PairLaws<float>, PairLaws<double>>(wanted)...};
}
template <class Real, template <class> class... PairLaws>
auto MatrixKernels<Real, LawList<PairLaws...>>::columns() -> Kernels {
    return {kernelOf(matrixColumns<Real, PairLaws<float>, PairLaws<double>>)...};
}
template <class Real, template <class> class... PairLaws>
auto MatrixKernels<Real, LawList<PairLaws...>>::pairs() -> Kernels {
    return {kernelOf(matrixPair<Real, PairLaws<float>, PairLaws<double>>)...};
}
template struct MatrixKernels<float, LoopLaws>;
template struct MatrixKernels<double, LoopLaws>;
Kernel<MatrixLevelTask> matrixLevelKernel() { return kernelOf(matrixLevels); }

}  // namespace gravlab::cuda
