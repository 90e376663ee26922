// The table of row_code.h.
#include "sim/backends/cuda/methods/row_code.h"

#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/many_steps.h"

#include <algorithm>
#include <stdexcept>

namespace gravlab::cuda {
namespace {

const void* tiled32(const LaunchConfig& launch) { return tiledKernel<float>(launch.unroll, launch.bodiesPerThread); }
const void* tiled64(const LaunchConfig& launch) { return tiledKernel<double>(launch.unroll, launch.bodiesPerThread); }
const void* shuffle(const LaunchConfig& launch) { return shuffleKernel(launch.unroll); }
template <const void* (*kKernel)()>
const void* plain(const LaunchConfig&) {
    return kKernel();
}
template <class Real, SymmetricSums kSums>
const void* symmetric(const LaunchConfig&) {
    return symmetricKernel<Real>(kSums);
}
constexpr auto kSlots = SymmetricSums::slots, kEqual = SymmetricSums::slotsEqualMasses, kRuns = SymmetricSums::slotsMassRuns,
               kAtomics = SymmetricSums::atomics;
constexpr LaunchConfig kRung{128, 8, 1, 1}, kSymmetric{32, 4, 8, 1}, kManySteps{512, 4, kManyStepsBodies, 1};

constexpr RowCode kCodes[] = {
    {.row = "global", .family = Family::oneSided, .kernel32 = plain<globalKernel>, .fixed = kRung},
    {.row = "soa", .family = Family::oneSided, .kernel32 = plain<soaKernel>, .planes = true, .fixed = kRung},
    {.row = "constant",
     .family = Family::oneSided,
     .kernel32 = plain<constantKernel>,
     .sources = constantSources,
     .longestSlice = kConstantSources,
     .fixed = kRung},
    {.row = "shuffle", .family = Family::oneSided, .kernel32 = shuffle, .fixed = kRung},
    {.row = "tiled", .family = Family::oneSided, .kernel32 = tiled32, .kernel64 = tiled64, .tiles = true},
    {.row = "tiled-split", .family = Family::oneSided, .kernel32 = tiled32, .kernel64 = tiled64, .tiles = true},
    {.row = "tiled-atomics",
     .family = Family::oneSided,
     .kernel32 = tiled32,
     .kernel64 = tiled64,
     .tiles = true,
     .atomicSums = true},
    {.row = "tiled-registers", .family = Family::oneSided, .kernel32 = tiled32, .kernel64 = tiled64, .tiles = true},
    {.row = "fused", .family = Family::oneSided, .kernel32 = tiled32, .tiles = true, .fuses = true},
    {.row = "symmetric-atomics",
     .family = Family::symmetric,
     .kernel32 = symmetric<float, kAtomics>,
     .kernel64 = symmetric<double, kAtomics>,
     .symmetricSums = kAtomics,
     .fixed = kSymmetric},
    {.row = "symmetric",
     .family = Family::symmetric,
     .kernel32 = symmetric<float, kSlots>,
     .kernel64 = symmetric<double, kSlots>,
     .symmetricSums = kSlots,
     .fixed = kSymmetric},
    {.row = "symmetric-runs",
     .family = Family::symmetric,
     .kernel32 = symmetric<float, kRuns>,
     .kernel64 = symmetric<double, kRuns>,
     .symmetricSums = kRuns,
     .fixed = kSymmetric},
    {.row = "symmetric-equal",
     .family = Family::symmetric,
     .kernel32 = symmetric<float, kEqual>,
     .kernel64 = symmetric<double, kEqual>,
     .symmetricSums = kEqual,
     .fixed = kSymmetric},
    {.row = "many-steps", .family = Family::manySteps, .kernel32 = plain<manyStepsKernel>, .fixed = kManySteps},
};

}  // namespace

std::uint32_t RowCode::sliceStep(const LaunchConfig& launch) const {
    if (tiles) return static_cast<std::uint32_t>(launch.block);
    // Whole chunks, also those of a last warp that is narrower and, in `shuffle`, passes fewer bodies round.
    return static_cast<std::uint32_t>(kSumChunk * std::max(1, kernel32 == shuffle ? launch.block % 32 : 1));
}

const RowCode& codeOf(const KernelRow& row) {
    for (const RowCode& code : kCodes)
        if (code.row == row.name) return code;
    throw std::logic_error("no machine code for kernel '" + std::string(row.name) + "'");
}

}  // namespace gravlab::cuda
