// The rows of kernels for a second pair law on CUDA, in every build.
#include "sim/backends/second_pair_rows.h"
#include "sim/forces/second_pair_law.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace gravlab::cuda {
namespace {

// In ladder order, the best last.
constexpr KernelRow kSecondPairRows[] = {
    {.backend = "cuda",
     .term = SecondPairLaw::kKind,
     .name = "tiled",
     .idea = "every pair, by tiles in shared memory",
     .source = "tiled.cuh:gather,tiledForce"},
    {.backend = "cuda",
     .term = SecondPairLaw::kKind,
     .name = "cells",
     .idea = "only what is within the cut-off of a law that has one: exact in O(N)",
     .cut = Split::keyRanges,
     .byCutOff = true,
     .source = "cells.cu:placeOfKey,walkCells"},
};

}  // namespace

const KernelRow& secondPairRow(std::string_view name) {
    const auto row = std::ranges::find(kSecondPairRows, name, &KernelRow::name);
    if (row == std::end(kSecondPairRows))
        throw std::logic_error("there is no row '" + std::string(name) + "' of a second pair law");
    return *row;
}

#if !GRAVLAB_HAS_CUDA
bool addSecondPairMethods() {
    for (const KernelRow& row : kSecondPairRows) addKernel(row);
    return true;
}
#endif

}  // namespace gravlab::cuda
