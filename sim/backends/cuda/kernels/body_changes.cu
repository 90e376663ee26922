// Scatters changed bodies, and closes the gaps that removed ones leave.
#include "sim/backends/cuda/kernels/body_changes.h"

namespace gravlab::cuda {
namespace {

template <class Real>
__device__ Vec4<Real> roundedFrom(const Double4& value) {
    return {static_cast<Real>(value.x), static_cast<Real>(value.y), static_cast<Real>(value.z), static_cast<Real>(value.w)};
}

template <class Real>
__global__ void scatterChanged(ScatterTask<Real> task) {
    const std::uint32_t k = blockIdx.x * kChangeThreads + threadIdx.x;
    if (k >= task.count) return;
    const ChangedBody& body = task.changed[k];
    if (task.x) task.x[body.index] = roundedFrom<Real>(body.position);
    if (task.v) task.v[body.index] = roundedFrom<Real>(body.velocity);
    if (task.radius) task.radius[body.index] = body.radius;
}

template <class T>
__global__ void keepOthers(KeepTask<T> task) {
    const std::uint32_t place = blockIdx.x * kChangeThreads + threadIdx.x;
    if (place >= task.end) return;
    if (place >= task.count) {
        task.to[place] = task.pad;
        return;
    }
    // removed[r] - r bodies that stay are before the removed body r.
    std::uint32_t before = 0;
    for (std::uint32_t length = task.removals; length > 0;) {
        const std::uint32_t half = length / 2;
        const bool below = task.removed[before + half] - (before + half) <= place;
        before += below ? half + 1 : 0;
        length = below ? length - half - 1 : half;
    }
    task.to[place] = task.from[place + before];
}

}  // namespace

template <class Real>
Kernel<ScatterTask<Real>> scatterKernel() {
    return kernelOf(scatterChanged<Real>);
}
template Kernel<ScatterTask<float>> scatterKernel();
template Kernel<ScatterTask<double>> scatterKernel();

template <class T>
Kernel<KeepTask<T>> keepKernel() {
    return kernelOf(keepOthers<T>);
}
template Kernel<KeepTask<float>> keepKernel();
template Kernel<KeepTask<double>> keepKernel();
template Kernel<KeepTask<Float4>> keepKernel();
template Kernel<KeepTask<Double4>> keepKernel();

}  // namespace gravlab::cuda
