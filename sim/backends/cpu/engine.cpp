#include "sim/backends/cpu/engine.h"

#include "sim/backends/cpu/aligned_array.h"

namespace gravlab::cpu {

template class EngineOf<float>;
template class EngineOf<double>;

double engineBytes(std::size_t bodies, const CpuKernel& kernel, const ForceSettings& force, bool inBlocks) {
    // A body has source, response, and two states of nine numbers.
    const double state = 2 + 2 * 9, stateBytes = force.precision == Precision::fp32 ? 4 : 8;
    // Block steps need rungs, and the groups of a subset of the bodies, or their list, positions and sums.
    const double pairBytes = force.precision == Precision::fp64 ? 8 : 4;
    const double part = 1 + (everyPair(kernel.row) ? 3 * pairBytes + 3 * stateBytes + 4 : 1);
    return static_cast<double>(roundUp(bodies, kTile)) * state * stateBytes + kernel.bytes(bodies, force) +
           (inBlocks ? part * static_cast<double>(bodies) : 0);
}

}  // namespace gravlab::cpu
