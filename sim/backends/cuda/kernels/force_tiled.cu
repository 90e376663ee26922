// The tiled kernels in single precision: four numbers of bodies a thread, six unrolls.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {

template <>
const void* tiledKernel<float>(int unroll, int bodiesPerThread) {
    switch (bodiesPerThread) {
        case 1:
            return tiledOfUnroll<float, 1>(unroll);
        case 2:
            return tiledOfUnroll<float, 2>(unroll);
        case 4:
            return tiledOfUnroll<float, 4>(unroll);
        case 8:
            return tiledOfUnroll<float, 8>(unroll);
        default:
            return nullptr;
    }
}

}  // namespace gravlab::cuda
