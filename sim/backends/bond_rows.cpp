#include "sim/backends/bond_rows.h"

#include "sim/forces/bonds/bonds.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gravlab {
namespace {

constexpr int kRowBlocks[] = {64, 128, 256, 512};
constexpr int kRowsATask[] = {256, 1024, 4096};

// In ladder order, the best last.
constexpr KernelRow kBondRows[] = {
    {.backend = "cpu",
     .term = Bonds::kKind,
     .name = "bonds-symmetric",
     .idea = "each bond once, for both bodies: groups of bonds without a common body, one after another",
     .source = "bonds_cpu.cpp:symmetricBonds"},
    {.backend = "cpu",
     .term = Bonds::kKind,
     .name = "bonds-per-row",
     .idea = "each body adds up its own bonds, so that threads share nothing",
     .blocks = {256, 4096},
     .blockSizes = kRowsATask,
     .usual = {.block = 1024},
     .source = "bonds_cpu.cpp:rowOfBonds"},
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
     .refuses = [](const KernelRow&, const ForceSettings&) { return cuda::whyNoBondLibrary(); }},
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
     .idea = "a thread a body, in tables of 32 rows whose columns are read together",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .source = "bonds.cu:rowSums"},
    {.backend = "cuda",
     .term = Bonds::kKind,
     .name = "bonds-hybrid",
     .idea = "rows up to the width that a third of them reach, and elements for the rest: no hub delays a warp",
     .blocks = {64, 512},
     .blockSizes = kRowBlocks,
     .usual = {.block = 256},
     .source = "bonds.cu:rowSums,elementSums"},
};

}  // namespace

const KernelRow& bondRow(std::string_view backend, std::string_view name) {
    const auto found =
        std::ranges::find_if(kBondRows, [&](const KernelRow& row) { return row.backend == backend && row.name == name; });
    if (found == std::end(kBondRows)) throw std::logic_error("no kernel for bonds: " + std::string(name));
    return *found;
}

#if !GRAVLAB_HAS_CUDA
Reason cuda::whyNoBondLibrary() { return "this build has no CUDA"; }
bool cuda::addBondMethods() {
    for (const KernelRow& row : kBondRows)
        if (row.backend == "cuda") addKernel(row);
    return true;
}
#endif

}  // namespace gravlab
