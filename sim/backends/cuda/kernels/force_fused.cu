// The tiled force, the operations after it and the vertex, in one launch: what was in registers is not stored and read
// again.
#include "sim/backends/cuda/kernels/ops.cuh"
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {
namespace {

template <int kUnroll>
__global__ void fusedForce(FusedTask task) {
    extern __shared__ unsigned char shared[];
    TiledTargets<float, kUnroll, 1> targets;
    targets.gather(task.force, reinterpret_cast<float4*>(shared), GravityPull<float>{task.force.softeningSquared});
    const double(&sum)[3] = targets.sum[0];
    if (targets.firstTarget < task.force.targetCount)
        runOps<float>(task.pass, targets.firstTarget,
                      make_float4(static_cast<float>(sum[0]), static_cast<float>(sum[1]), static_cast<float>(sum[2]), 0));
}

}  // namespace

const void* fusedKernel(int unroll) {
    switch (unroll) {
        case 1:
            return reinterpret_cast<const void*>(fusedForce<1>);
        case 2:
            return reinterpret_cast<const void*>(fusedForce<2>);
        case 4:
            return reinterpret_cast<const void*>(fusedForce<4>);
        case 8:
            return reinterpret_cast<const void*>(fusedForce<8>);
        case 16:
            return reinterpret_cast<const void*>(fusedForce<16>);
        case 32:
            return reinterpret_cast<const void*>(fusedForce<32>);
        default:
            return nullptr;
    }
}

}  // namespace gravlab::cuda
