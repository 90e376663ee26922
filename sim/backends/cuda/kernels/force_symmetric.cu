// The symmetric kernels in single precision.
#include "sim/backends/cuda/kernels/symmetric.cuh"

namespace gravlab::cuda {

template <>
const void* symmetricKernel<float>(SymmetricSums sums) {
    switch (sums) {
        case SymmetricSums::slots:
            return reinterpret_cast<const void*>(symmetricRound<float, SymmetricSums::slots>);
        case SymmetricSums::slotsEqualMasses:
            return reinterpret_cast<const void*>(symmetricRound<float, SymmetricSums::slotsEqualMasses>);
        case SymmetricSums::slotsMassRuns:
            return reinterpret_cast<const void*>(symmetricRound<float, SymmetricSums::slotsMassRuns>);
        case SymmetricSums::atomics:
            return reinterpret_cast<const void*>(symmetricRound<float, SymmetricSums::atomics>);
    }
    return nullptr;
}

template <>
const void* addSlotsKernel<float>() {
    return reinterpret_cast<const void*>(addSlots<float>);
}

}  // namespace gravlab::cuda
