// The symmetric kernels in double precision.
#include "sim/backends/cuda/kernels/symmetric.cuh"

namespace gravlab::cuda {

template <>
const void* symmetricKernel<double>(SymmetricSums sums) {
    switch (sums) {
        case SymmetricSums::slots:
            return reinterpret_cast<const void*>(symmetricRound<double, SymmetricSums::slots>);
        case SymmetricSums::slotsEqualMasses:
            return reinterpret_cast<const void*>(symmetricRound<double, SymmetricSums::slotsEqualMasses>);
        case SymmetricSums::slotsMassRuns:
            return reinterpret_cast<const void*>(symmetricRound<double, SymmetricSums::slotsMassRuns>);
        case SymmetricSums::atomics:
            return reinterpret_cast<const void*>(symmetricRound<double, SymmetricSums::atomics>);
    }
    return nullptr;
}

template <>
const void* addSlotsKernel<double>() {
    return reinterpret_cast<const void*>(addSlots<double>);
}

}  // namespace gravlab::cuda
