// The tiled kernels in double precision. Eight bodies per thread would not fit the registers.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {

template <>
Kernel<ForceTask<double>> tiledKernel(int unroll, int bodiesPerThread) {
    return tiledOf<double, BodiesPerThread64>(unroll, bodiesPerThread);
}

}  // namespace gravlab::cuda
