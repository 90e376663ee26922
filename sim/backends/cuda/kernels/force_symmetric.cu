// The symmetric kernels in single precision.
#include "sim/backends/cuda/kernels/symmetric.cuh"

namespace gravlab::cuda {

template Kernel<SymmetricTask<float>> symmetricKernel(SymmetricSums sums, const LaunchConfig& launch);
template Kernel<SlotsTask<float>> addSlotsKernel(int bodies);
template Kernel<JoinTask<float>> joinSpansKernel();

}  // namespace gravlab::cuda
