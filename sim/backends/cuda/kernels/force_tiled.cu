// The tiled kernels in single precision: four numbers of bodies per thread, eight unrolls.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {

template <>
Kernel<ForceTask<float>> tiledKernel(int unroll, int bodiesPerThread) {
    return tiledOf<float, BodiesPerThread>(unroll, bodiesPerThread);
}

}  // namespace gravlab::cuda
