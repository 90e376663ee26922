// The rows of CUDA's kernels for bonds and for a second pair law, in every build. Rule: they are pure data: a row exists
// even where it cannot run.
#include "sim/backends/term_rows.h"
#include "sim/forces/bonds/bonds.h"
#include "sim/forces/second_pair_law.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

namespace gravlab::cuda {
namespace {

constexpr int kRowBlocks[] = {64, 128, 256, 512};

// Those of a term are in ladder order, the best last.
constexpr KernelRow kTermRows[] = {
    {.backend = "cuda",
     .term = Bonds::kKind,
     .name = "cusparse",
     .idea =
         "NVIDIA's library, if installed: a matrix of factors, filled for each force, times positions; their sums cancel",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .approximates = true,
     .source = "bonds.cu:fillFactors,takeProduct",
     .keeps = [](const ForceSettings& force, double,
                 double) { return force.precision == Precision::fp32 ? bondLibraryError<float> : bondLibraryError<double>; },
     .refuses = [](const KernelRow&, const ForceSettings&) { return whyNoBondLibrary(); }},
    {.backend = "cuda",
     .term = Bonds::kKind,
     .name = "bonds-per-element",
     .idea = "a thread a bond end; warps add up the rows by a segmented scan",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .source = "bonds.cu:elementSums,carrySums"},
    {.backend = "cuda",
     .term = Bonds::kKind,
     .name = "bonds-symmetric",
     .idea = "each bond once, for both bodies: one launch a colour, and no two bonds of a colour have a common body",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .source = "bonds.cu:symmetricSums"},
    {.backend = "cuda",
     .term = Bonds::kKind,
     .name = "bonds-per-row",
     .idea = "a thread a body, in tables of 32 rows whose columns are read together; undamped springs have a kernel of "
             "their own",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .source = "bonds.cu:springSums,rowSums"},
    {.backend = "cuda",
     .term = Bonds::kKind,
     .name = "bonds-hybrid",
     .idea = "rows up to the width that a third of them reach, and elements for the rest: no hub delays a warp",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .source = "bonds.cu:springSums,rowSums,elementSums"},
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

const KernelRow& termRow(std::string_view term, std::string_view name) {
    const auto found =
        std::ranges::find_if(kTermRows, [&](const KernelRow& row) { return row.term == term && row.name == name; });
    if (found == std::end(kTermRows))
        throw std::logic_error("no kernel '" + std::string(name) + "' for " + std::string(term));
    return *found;
}

#if !GRAVLAB_HAS_CUDA
Reason whyNoBondLibrary() { return "this build has no CUDA"; }
bool addTermMethods() {
    for (const KernelRow& row : kTermRows) addKernel(row);
    return true;
}
#endif

}  // namespace gravlab::cuda
