// The symmetric kernels in double precision.
#include "sim/backends/cuda/kernels/symmetric.cuh"

namespace gravlab::cuda {

template Kernel<SymmetricTask<double>> symmetricKernel(SymmetricSums sums);
template Kernel<SlotsTask<double>> addSlotsKernel();

}  // namespace gravlab::cuda
