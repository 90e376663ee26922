// The symmetric kernels in both precisions.
#include "sim/backends/cuda/kernels/symmetric.cuh"

namespace gravlab::cuda {

template Kernel<SymmetricTask<float>> symmetricKernel(SymmetricSums sums, const LaunchConfig& launch);
template Kernel<SymmetricTask<double>> symmetricKernel(SymmetricSums sums, const LaunchConfig& launch);
template Kernel<SlotsTask<float>> addSlotsKernel(int bodies);
template Kernel<SlotsTask<double>> addSlotsKernel(int bodies);
template Kernel<JoinTask<float>> joinSpansKernel();
template Kernel<JoinTask<double>> joinSpansKernel();

}  // namespace gravlab::cuda
