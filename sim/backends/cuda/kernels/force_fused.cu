// The tiled force, the operations after it and the vertex, in one launch: the force stays in registers.
#include "sim/backends/cuda/kernels/integrate.cuh"
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

/// As many registers as tiledForce() has, for the reason that is stated there.
template <int kUnroll>
__global__ __launch_bounds__(kTiledThreads<float, 1>, 1) void fusedForce(FusedTask task) {
    extern __shared__ unsigned char shared[];
    TiledTargets<float, kUnroll, 1> targets;
    targets.gather(task.force, reinterpret_cast<float4*>(shared), GravityPull<float>{task.force.softeningSquared});
    const double(&sum)[3] = targets.sum[0];
    if (targets.firstTarget < task.force.targetCount)
        runOperations<float>(
            task.pass, targets.firstTarget,
            make_float4(static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]), 0));
}

}  // namespace

Kernel<FusedTask> fusedKernel(int unroll) {
    return AllUnrolls::pick(unroll, [](auto factor) { return kernelOf(fusedForce<factor()>); });
}

}  // namespace gravlab::cuda
