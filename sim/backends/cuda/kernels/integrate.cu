// Runs the operations between two forces, body by body, in registers.
#include "sim/backends/cuda/kernels/integrate.cuh"

namespace gravlab::cuda {
namespace {

/// The force on body `i`: its ranges summed in double by the body's threads, in an order that depends on their number alone.
template <class Real>
__device__ Vector<Real> summedForce(const IntegrateTask<Real>& task, std::uint32_t i, unsigned lane, bool inside) {
    extern __shared__ double part[];  // [axis][thread]
    const unsigned lanes = blockDim.x / task.bodiesPerBlock;
    double sum[3] = {};
    if (inside)
        for (std::uint32_t range = lane; range < task.ranges; range += lanes) {
            const Vector<Real> a = asVectors(task.sums)[static_cast<std::size_t>(range) * task.count + i];
            sum[0] += a.x;
            sum[1] += a.y;
            sum[2] += a.z;
        }
    if (lanes > 1) {
        for (int axis = 0; axis < 3; ++axis) part[axis * blockDim.x + threadIdx.x] = sum[axis];
        __syncthreads();
        if (lane == 0)
            for (unsigned l = 1; l < lanes; ++l)
                for (int axis = 0; axis < 3; ++axis)
                    sum[axis] += part[axis * blockDim.x + l * task.bodiesPerBlock + threadIdx.x];
    }
    return {static_cast<Real>(sum[0]), static_cast<Real>(sum[1]), static_cast<Real>(sum[2]), 0};
}

template <class Real, bool kBlocks>
__global__ void integrate(IntegrateTask<Real> task) {
    const unsigned lane = threadIdx.x / task.bodiesPerBlock;
    const std::uint32_t i = blockIdx.x * task.bodiesPerBlock + (threadIdx.x - lane * task.bodiesPerBlock);
    const bool inside = i < task.count;
    Vector<Real> a = {};
    if (task.ranges > 1)
        a = summedForce(task, i, lane, inside);
    else if (task.ranges == 1 && inside)
        a = asVectors(task.sums)[i];
    if (task.more && inside) {
        const Vector<Real> more = asVectors(task.more)[i];
        a = {a.x + more.x, a.y + more.y, a.z + more.z, 0};
    }
    if (inside && lane == 0) runOperations<Real, kBlocks>(task, i, a);
}

}  // namespace

template <class Real>
Kernel<IntegrateTask<Real>> integrateKernel(bool inBlocks) {
    return kernelOf(inBlocks ? integrate<Real, true> : integrate<Real, false>);
}
template Kernel<IntegrateTask<float>> integrateKernel(bool);
template Kernel<IntegrateTask<double>> integrateKernel(bool);

}  // namespace gravlab::cuda
