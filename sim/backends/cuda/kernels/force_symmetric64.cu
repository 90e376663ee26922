// The symmetric kernels in double precision.
#include "sim/backends/cuda/kernels/symmetric.cuh"

namespace gravlab::cuda {

template Kernel<SymmetricTask<double>> symmetricKernel(SymmetricSums sums, const LaunchConfig& launch);
template Kernel<SlotsTask<double>> addSlotsKernel(int bodies);
template Kernel<JoinTask<double>> joinSpansKernel();

}  // namespace gravlab::cuda
