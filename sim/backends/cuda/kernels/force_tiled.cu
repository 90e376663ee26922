// The tiled kernels: four numbers of bodies per thread, eight unrolls. In double precision eight bodies per thread would not
// fit the registers.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {

template <>
Kernel<ForceTask<float>> tiledKernel(int unroll, int bodiesPerThread) {
    return tiledOf<float, BodiesPerThread>(unroll, bodiesPerThread);
}
template <>
Kernel<ForceTask<double>> tiledKernel(int unroll, int bodiesPerThread) {
    return tiledOf<double, BodiesPerThread64>(unroll, bodiesPerThread);
}

}  // namespace gravlab::cuda
