// The entries: data and names of machine code. Builds without CUDA list the rows by assets/cuda_rows.inl.
#include "sim/backends/cuda/kernel_table.h"

#include "sim/backends/cuda/kernels/cut_off.h"
#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/cuda/kernels/neighbours.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/names.h"
#include "sim/forces/cell_grid.h"
#include "sim/forces/law.h"
#include "sim/tree/criterion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace gravlab {
namespace cuda {
namespace {

Reason whyNotOnCuda(const KernelRow& row, const ForceSettings& force) {
    const KernelEntry& entry = kernelEntry(row.name);
    const OneSidedCode* oneSided = entry.oneSided();
    if (!entry.builtIn(force.precision)) return "it is not built in fp64; take 'tiled' or 'symmetric'";
    if (row.byCutOff)
        return std::isfinite(reachOf(force))
                   ? Reason()
                   : std::string("its ") + (row.name == "cells" ? "cells" : "lists") + " need a law with a cut-off, which " +
                         std::string(lawRow(force.law).name) + " has not; take 'tiled'";
    if (!entry.row.approximates && loopLaw(force) != Law::gravity && !(oneSided && oneSided->otherLaws))
        return "it has loops for gravity and charges only; take 'tiled' or 'tiled-split'";
    // A fused kernel uses its force within the launch, so no other code can apply a body's response to it.
    if (force.law != Law::gravity && oneSided && oneSided->fused)
        return "it knows gravity only, where all bodies respond alike; take 'tiled'";
    return {};
}

using Code32 = Kernel<ForceTask<float>>;
/// The code of a kernel that is compiled once; unrolled() is for kernels that are compiled for several unrolls.
template <Code32 (*kKernel)()>
Code32 oneSided(const LaunchConfig&) {
    return kKernel();
}
template <Code32 (*kKernel)(int)>
Code32 unrolled(const LaunchConfig& launch) {
    return kKernel(launch.unroll);
}
template <CubeRoot kWay>
Code32 root(const LaunchConfig& launch) {
    return rootKernel(kWay, launch.unroll);
}
Code32 constantBlock(const LaunchConfig& launch) { return constantBlockKernel(launch.block); }
int edgeOf(int block) { return static_cast<int>(std::lround(std::sqrt(static_cast<double>(std::max(block, 0))))); }
Code32 pairs(const LaunchConfig& launch) { return pairsKernel(edgeOf(launch.block)); }
template <class Real>
Kernel<ForceTask<Real>> tiled(const LaunchConfig& launch) {
    return tiledKernel<Real>(launch.unroll, launch.bodiesPerThread);
}
Kernel<FusedTask> fused(const LaunchConfig& launch) { return fusedKernel(launch.unroll); }
template <class Real, SymmetricSums kSums>
Kernel<SymmetricTask<Real>> symmetricOf(const LaunchConfig& launch) {
    return symmetricKernel<Real>(kSums, launch);
}
Kernel<ManyStepsTask> manySteps(const LaunchConfig& launch) { return manyStepsKernel(launch.unroll, false); }

template <TreeWalk kWalk>
Reason whyNoTree(const KernelRow& row, const ForceSettings& force) {
    const Reason reason = whyNotOnCuda(row, force);
    return reason.empty() ? treeRefusal(kWalk, force, "tiled") : reason;
}

Reason whyNoLists(const KernelRow& row, const ForceSettings& force) {
    if (Reason reason = whyNotOnCuda(row, force); !reason.empty()) return reason;
    if (listWidthFor(force) <= kWidestList) return {};
    return "its lists would have room for " + std::to_string(std::llround(listWidthFor(force))) +
           " bodies each under this cut-off, and " + std::to_string(kWidestList) + " is the most; take 'cells'";
}

// Default launches of these rows; none of them can be LaunchConfig().
constexpr LaunchConfig kTree{static_cast<int>(kWalkThreads), 1, 1, 1}, kCells{static_cast<int>(kCellWalkThreads), 1, 1, 1},
    kPairs{256, 1, 1, 1}, kSymmetric{32, 4, kSymmetricBodies<float>, 1}, kManySteps{512, 4, kManyStepsBodies, 1},
    kTooMany{1025, 16, 1, 1};
constexpr int kPairBlocks[] = {64, 256, 1024}, kWalkBlocks[] = {32, 64, 128}, kCellBlocks[] = {64, 128, 256},
              kManyStepsBlocks[] = {64, 128, 256, 512}, kSymmetricBlocks[] = {32, 64, 32 * kMostSymmetricWarps},
              kSymmetricBodiesALane[] = {kFewerSymmetricBodies, kSymmetricBodies<float>};

/// The entry of a tree row, which takes far bodies as cells.
template <TreeWalk kWalk, TreeKeys kCurve = TreeKeys::hilbert>
constexpr KernelEntry treeEntry(std::string_view name, std::string_view idea) {
    return {.row = {.backend = "cuda",
                    .name = name,
                    .idea = idea,
                    .blocks = {32, static_cast<int>(kWalkThreads)},
                    .blockSizes = kWalkBlocks,
                    .usual = kTree,
                    .cut = Split::keyRanges,
                    .approximates = true,
                    .byOpening = byAngle(kWalk),
                    .source = kWalk == TreeWalk::expansions ? "tree_walker.cuh:expand,addCells,addBodies"
                                                            : "tree_walker.cuh:addCells,addBodies",
                    .keeps = [](const ForceSettings& force, double allowedError,
                                double opening) { return keptAccuracy(kWalk, force, allowedError, opening); },
                    .refuses = whyNoTree<kWalk>},
            .code = MethodCode{.make32 = makeTree<kWalk, kCurve>,
                               .machineCode = [](Precision) { return treeWalkKernel(kWalk, 2).address; },
                               .blocks = walkBlocks}};
}

/// The entry of a row of laws with a finite reach.
constexpr KernelEntry cutOffEntry(std::string_view name, std::string_view idea, std::string_view source,
                                  Reason (*refuses)(const KernelRow&, const ForceSettings&), MethodCode code) {
    code.blocks = cellWalkBlocks;
    return {.row = {.backend = "cuda",
                    .name = name,
                    .idea = idea,
                    .blocks = {64, 256},
                    .blockSizes = kCellBlocks,
                    .usual = kCells,
                    .cut = Split::keyRanges,
                    .byCutOff = true,
                    .source = source,
                    .refuses = refuses},
            .code = code};
}

/// Instructions issued a directed pair in fp32, and slots in fp64; 0: not known.
struct PairSlots {
    double single = 0, doubles = 0;
};

/// The entry of a row in which threads own targets, in blocks of any size.
constexpr KernelEntry targetsEntry(std::string_view name, std::string_view idea, std::string_view source,
                                   std::span<const int> unrolls, PairSlots slots, const OneSidedCode& code,
                                   Range splits = {1, 1}, std::string_view trap = {}) {
    return {.row = {.backend = "cuda",
                    .name = name,
                    .idea = idea,
                    .blocks = {1, 0},
                    .unrolls = unrolls,
                    .splits = splits,
                    .deterministic = !code.atomicSums,
                    .issuedPerDirectedPair = slots.single,
                    .slots64PerDirectedPair = slots.doubles,
                    .source = source,
                    .trap = trap,
                    .refuses = whyNotOnCuda},
            .code = code};
}

/// The entry of a row that computes each pair once.
template <SymmetricSums kSums>
constexpr KernelEntry symmetricEntry(std::string_view name, std::string_view idea, PairSlots slots) {
    constexpr bool kAtomics = kSums == SymmetricSums::atomics;
    return {
        .row = {.backend = "cuda",
                .name = name,
                .idea = idea,
                .blocks = {32, 32 * kMostSymmetricWarps},
                .blockSizes = kSymmetricBlocks,
                .unrolls = Rotations::values,
                .bodiesPerThread = kSymmetricBodiesALane,
                .usual = kSymmetric,
                .cut = Split::tilePairs,
                .deterministic = !kAtomics,
                .equalMasses = kSums == SymmetricSums::slotsEqualMasses,
                .issuedPerDirectedPair = slots.single,
                .slots64PerDirectedPair = slots.doubles,
                .source = kAtomics ? "symmetric.cuh:symmetricRound" : "symmetric.cuh:symmetricRound,addSlots",
                .refuses = whyNotOnCuda},
        .code = SymmetricCode{.sums = kSums, .kernel32 = symmetricOf<float, kSums>, .kernel64 = symmetricOf<double, kSums>}};
}

// Instructions issued a directed pair in fp32, counted in the machine code of the inner loops: 13 for the pull itself,
// then reads, loop and the second level of sums. How each was tuned is in docs/benchmarks/kernel-notes.md.
constexpr KernelEntry kEntries[] = {
    {.row = {.backend = "cuda",
             .name = "pairs",
             .idea = "one thread a pair: p * p threads a tile, whose pulls are added up through shared memory",
             .blocks = {64, 1024},
             .blockSizes = kPairBlocks,
             .usual = kPairs,
             .source = "rungs.cu:forcePairs",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = pairs, .pairsOfThreads = true}},
    targetsEntry("aos", "one thread a body reads all sources from structs of seven floats: four reads, 28 bytes a body",
                 "global.cu:gather,forceAos", AllUnrolls::values, {17.3},
                 {.kernel32 = unrolled<aosKernel>, .copier = packedKernel, .copied = sizeof(PackedBody) / sizeof(float)}),
    targetsEntry("global", "one thread a body reads all sources from packed positions and masses: one read, 16 bytes a body",
                 "global.cu:gather,forceGlobal", AllUnrolls::values, {14.3}, {.kernel32 = unrolled<globalKernel>}),
    targetsEntry("soa",
                 "one thread a body reads all sources from four arrays, coordinates apart: four reads, 16 bytes a body",
                 "global.cu:gather,forceSoa", AllUnrolls::values, {17.3},
                 {.kernel32 = unrolled<soaKernel>, .copier = planesKernel, .copied = kPlanes}),
    targetsEntry(
        "float3",
        "one thread a body reads all sources from an array of float3 and one of masses: four reads, 16 bytes a body",
        "global.cu:gather,forceFloat3", FewUnrolls::values, {},
        {.kernel32 = unrolled<float3Kernel>, .copier = float3CopyKernel, .copied = 4}),
    targetsEntry("constant", "sources through constant memory in chunks: one broadcast serves a warp",
                 "global.cu:gather,forceConstant", AllUnrolls::values, {13.3},
                 {.kernel32 = unrolled<constantKernel>, .sources = constantSources, .longestSlice = kConstantSources}),
    targetsEntry("shuffle", "each lane reads one source and the warp passes them round by shuffles",
                 "global.cu:forceShuffle", AllUnrolls::values, {17.1},
                 {.kernel32 = unrolled<shuffleKernel>, .byWarps = true}),
    targetsEntry("tiled", "a block reads a tile of bodies into shared memory once for all its threads",
                 "tiled.cuh:gather,tiledForce", AllUnrolls::values, {14, 34},
                 {.kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true, .otherLaws = true}),
    targetsEntry("tiled-float3",
                 "a tile of float3 and one of masses in shared memory: two reads or more a source where `tiled` makes one",
                 "roots.cu:tiledFloat3", FewUnrolls::values, {}, {.kernel32 = unrolled<tiledFloat3Kernel>, .tiles = true}),
    targetsEntry(
        "tiled-root-sixth", "1/r^3 as one root of r^6, which fp32 can hold for softened distances of 4.8e-7 to 2.6e6 only",
        "roots.cu:rootOfSixth,tiledRoot", FewUnrolls::values, {}, {.kernel32 = root<CubeRoot::ofSixth>, .tiles = true}),
    targetsEntry("tiled-root-cubed",
                 "1/r^3 as the cube of rsqrtf(r^2), which also handles subnormal numbers; `tiled` takes the plain estimate",
                 "roots.cu:rootCubed,tiledRoot", FewUnrolls::values, {}, {.kernel32 = root<CubeRoot::cubed>, .tiles = true}),
    targetsEntry("tiled-root-divided", "1/r^3 as the cube of 1 / sqrt(r^2), both rounded correctly: the textbook formula",
                 "roots.cu:rootDivided,tiledRoot", FewUnrolls::values, {},
                 {.kernel32 = root<CubeRoot::divided>, .tiles = true}),
    {.row = {.backend = "cuda",
             .name = "tiled-constant-block",
             .idea = "the width of the tile is compiled in: a whole tile needs no remainder, and its addresses are known",
             .blocks = {32, 1024},
             .blockSizes = ConstantBlocks::values,
             .issuedPerDirectedPair = 13.1,
             .source = "rungs.cu:tiledConstantBlock",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = constantBlock, .ownTile = true}},
    targetsEntry("tiled-split",
                 "several blocks share a body's sources and a fixed order adds their sums: small systems fill the device",
                 "tiled.cuh:gather,tiledForce", AllUnrolls::values, {14, 34},
                 {.kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true, .otherLaws = true}, {1, 128}),
    targetsEntry(
        "tiled-atomics",
        "several blocks share the sources of a tile of bodies and add sums by atomics: no fixed order, no second launch",
        "tiled.cuh:gather,tiledForce", AllUnrolls::values, {14, 34},
        {.kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true, .otherLaws = true, .atomicSums = true},
        {1, 128}),
    targetsEntry("tiled-block-split",
                 "p x q threads in one block: q of them share a body's sources and add their sums in shared memory",
                 "rungs.cu:tiledBlockSplit", AllUnrolls::values, {14},
                 {.kernel32 = unrolled<blockSplitKernel>, .tiles = true, .splitsInBlock = true}, {1, 64}),
    {.row = {.backend = "cuda",
             .name = "tiled-registers",
             .idea = "a thread holds several bodies in registers, so one read of shared memory serves them all",
             .blocks = {1, 0},
             .unrolls = Unrolls::values,
             .bodiesPerThread = BodiesPerThread::values,
             .splits = {1, 128},
             .issuedPerDirectedPair = 13.1,
             .slots64PerDirectedPair = 34,
             .source = "tiled.cuh:gather,tiledForce",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true}},
    targetsEntry("fused", "one launch sums over tiles in shared memory, integrates and stores the vertex",
                 "force_fused.cu:fusedForce", AllUnrolls::values, {14},
                 {.kernel32 = tiled<float>, .fused = fused, .tiles = true}),
    symmetricEntry<SymmetricSums::atomics>(
        "symmetric-atomics",
        "each pair once: partners rotate through the warp with their sums, added by atomics in no fixed order", {8.8, 21}),
    symmetricEntry<SymmetricSums::slots>(
        "symmetric", "each pair once, and partial sums in slots that a fixed order adds in fp64: same bits every time",
        {8.8, 21}),
    symmetricEntry<SymmetricSums::slotsMassRuns>(
        "symmetric-runs",
        "each pair once, sums in slots; where neighbours weigh the same, as in galaxies, their mass waits for the end",
        {7.8, 19}),
    symmetricEntry<SymmetricSums::slotsEqualMasses>(
        "symmetric-equal", "each pair once where all masses are equal: two multiplications a pair less, sums in slots",
        {7.8, 19}),
    {.row = {.backend = "cuda",
             .name = "many-steps",
             .idea = "batches of leapfrog steps in one cooperative launch, for small systems: the host is out of the loop",
             .blocks = {64, 512},
             .blockSizes = kManyStepsBlocks,
             .unrolls = StepUnrolls::values,
             .usual = kManySteps,
             .cut = Split::none,
             .issuedPerDirectedPair = 13.2,
             .source = "many_steps.cu:manySteps",
             .refuses = whyNotOnCuda},
     .code = ManyStepsCode{.kernel32 = manySteps}},
    cutOffEntry("cells", "only what is within the cut-off of a law that has one: bodies sorted by cells, exact in O(N)",
                "cells.cu:placeOfKey,walkCells", whyNotOnCuda,
                {.make32 = makeCells<float>, .make64 = makeCells<double>, .machineCode = cellCode}),
    cutOffEntry("neighbour-list",
                "lists of all that is a little beyond the cut-off, which live until a body has crossed half of the rest",
                "neighbours.cu:ReachSum,walkLists", whyNoLists,
                {.make32 = makeNeighbourLists<float>, .make64 = makeNeighbourLists<double>, .machineCode = listCode}),
    treeEntry<TreeWalk::thetaMonopole>(
        "tree-theta-monopole",
        "far bodies as one at their centre: an octree, opened by the angle under which a cell is seen"),
    treeEntry<TreeWalk::theta>(
        "tree-theta",
        "cells opened by their angle act by mass and second moments: three to eight times more exact than by mass alone"),
    treeEntry<TreeWalk::cells>(
        "tree-cells", "cells are opened by what they would leave out of the acceleration: work goes where it is small"),
    treeEntry<TreeWalk::expansions, TreeKeys::morton>(
        "tree-morton",
        "far cells go into one expansion about a group of bodies; groups lie along a Morton curve, which jumps"),
    treeEntry<TreeWalk::expansions>(
        "tree",
        "far cells go into one expansion about a group of bodies; groups lie along a Hilbert curve, so none is wide"),
};

constexpr KernelEntry kTraps[] = {
    targetsEntry(
        "no-barrier", "tiles without the barrier that waits until all have read the tile", "traps.cu:forceNoBarrier", {},
        {14}, {.kernel32 = oneSided<noBarrierKernel>, .tiles = true}, {1, 1},
        "without its second barrier a warp overwrites the tile that others still read, so what a body feels is chance"),
    {.row = {.backend = "cuda",
             .name = "1025-threads",
             .idea = "a tiled sum with one thread a block more than a device takes, and no look at the error",
             .blocks = {1025, 1025},
             .usual = kTooMany,
             .source = "tiled.cuh:gather,tiledForce",
             .trap = "the launch fails and nothing is computed: what the clock shows is the time to refuse it",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = tiled<float>, .tiles = true, .ignoresLaunchError = true}},
    targetsEntry("float4-as-float3",
                 "an array of float4 that is read as one of float3: all bodies but the first are elsewhere",
                 "traps.cu:forceMisread", {}, {14}, {.kernel32 = oneSided<misreadKernel>}, {1, 1},
                 "it reads positions 12 bytes apart that lie 16 bytes apart, so bodies are where none is"),
};

}  // namespace

bool KernelEntry::builtIn(Precision precision) const {
    if (precision != Precision::fp64) return true;
    return symmetric() || (oneSided() && oneSided()->kernel64) || (own() && own()->make64);
}

std::uint32_t OneSidedCode::targets(const LaunchConfig& launch) const {
    return static_cast<std::uint32_t>(pairsOfThreads ? edgeOf(launch.block) : launch.block * launch.bodiesPerThread);
}

std::uint32_t OneSidedCode::sliceStep(const LaunchConfig& launch) const {
    if (pairsOfThreads) return targets(launch);
    if (tiles || ownTile) return static_cast<std::uint32_t>(launch.block);
    // A slice is whole chunks, also for a narrower last warp.
    return static_cast<std::uint32_t>(kSumChunk * std::max(1, byWarps ? launch.block % 32 : 1));
}

std::span<const KernelEntry> kernelEntries() { return kEntries; }

const KernelEntry& kernelEntry(std::string_view name) {
    if (const KernelEntry* added = KernelEntries::find(kPairLawTerm, name)) return *added;
    for (const KernelEntry& entry : kTraps)
        if (entry.row.name == name) return entry;
    const std::span<const KernelRow> rows = cudaKernelRows();
    return kEntries[&findRow(rows, "cuda kernel", name) - rows.data()];
}

}  // namespace cuda

namespace {

template <std::size_t kCount>
std::array<KernelRow, kCount> rowsOf(const cuda::KernelEntry (&entries)[kCount]) {
    std::array<KernelRow, kCount> rows;
    std::ranges::transform(entries, rows.begin(), [](const cuda::KernelEntry& entry) { return entry.row; });
    return rows;
}

}  // namespace

std::span<const KernelRow> cudaKernelRows() {
    static const auto rows = rowsOf(cuda::kEntries);
    return rows;
}

std::span<const KernelRow> cudaTrapRows() {
    static const auto rows = rowsOf(cuda::kTraps);
    return rows;
}

}  // namespace gravlab
