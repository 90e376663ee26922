// The tiled kernels in double precision. Eight bodies a thread would not fit the registers.
#include "sim/backends/cuda/kernels/tiled.cuh"

namespace gravlab::cuda {

template <>
const void* tiledKernel<double>(int unroll, int bodiesPerThread) {
    switch (bodiesPerThread) {
        case 1:
            return tiledOfUnroll<double, 1>(unroll);
        case 2:
            return tiledOfUnroll<double, 2>(unroll);
        case 4:
            return tiledOfUnroll<double, 4>(unroll);
        default:
            return nullptr;
    }
}

}  // namespace gravlab::cuda
