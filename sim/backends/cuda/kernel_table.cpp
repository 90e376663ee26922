// The entries. Data and names of machine code, no CUDA header, so that every build lists them.
#include "sim/backends/cuda/kernel_table.h"

#include "sim/backends/cuda/kernels/factors.h"
#include "sim/backends/kernel_rows.h"
#include "sim/core/names.h"
#include "sim/forces/law.h"
#include "sim/forces/tree/criterion.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <stdexcept>

namespace gravlab {
namespace cuda {
namespace {

Reason whyNotOnCuda(const KernelRow& row, const ForceSettings& force) {
    const KernelEntry& entry = kernelEntry(row.name);
    const OneSidedCode* oneSided = entry.oneSided();
    if (!entry.builtIn(force.precision)) return "it is not built in fp64; take 'tiled' or 'symmetric'";
    if (loopLaw(force) != Law::gravity && !(oneSided && oneSided->otherLaws))
        return "it has loops for gravity and charges only; take 'tiled' or 'tiled-split'";
    if (entry.row.approximates && force.law != Law::gravity) return "its cells know gravity only; take 'tiled'";
    // Its force is not taken up between two launches, so that nobody can turn it by a body's response.
    if (force.law != Law::gravity && oneSided && oneSided->fused)
        return "it knows gravity only, where all bodies respond alike; take 'tiled'";
    return {};
}

// The code of a row. What a build without CUDA leaves out is not linked there.
#if GRAVLAB_HAS_CUDA
constexpr bool kBuilt = true;
#else
constexpr bool kBuilt = false;
#endif

template <Kernel<ForceTask<float>> (*kKernel)()>
Kernel<ForceTask<float>> oneSided(const LaunchConfig&) {
    if constexpr (kBuilt) return kKernel();
    return {};
}
Kernel<ForceTask<float>> shuffle([[maybe_unused]] const LaunchConfig& launch) {
    if constexpr (kBuilt) return shuffleKernel(launch.unroll);
    return {};
}
template <class Real>
Kernel<ForceTask<Real>> tiled([[maybe_unused]] const LaunchConfig& launch) {
    if constexpr (kBuilt) return tiledKernel<Real>(launch.unroll, launch.bodiesPerThread);
    return {};
}
Kernel<FusedTask> fused([[maybe_unused]] const LaunchConfig& launch) {
    if constexpr (kBuilt) return fusedKernel(launch.unroll);
    return {};
}
const void* sourcesInConstant() {
    if constexpr (kBuilt) return constantSources();
    return nullptr;
}
template <class Real, SymmetricSums kSums>
Kernel<SymmetricTask<Real>> symmetricOf() {
    if constexpr (kBuilt) return symmetricKernel<Real>(kSums);
    return {};
}
template <SymmetricSums kSums>
constexpr SymmetricCode symmetric{
    .sums = kSums, .kernel32 = symmetricOf<float, kSums>, .kernel64 = symmetricOf<double, kSums>};
Kernel<ManyStepsTask> manySteps() {
    if constexpr (kBuilt) return manyStepsKernel();
    return {};
}

std::unique_ptr<DeviceForceMethod<float>> noTree(const MethodParts&) {
    throw std::logic_error("a build without CUDA has no tree on a device");
}
template <TreeWalk kWalk>
const void* treeCode(Precision) {
    if constexpr (kBuilt) return treeWalkKernel(kWalk, 2).address;
    return nullptr;
}
template <TreeWalk kWalk>
constexpr OwnCode treeRow{.make32 = kBuilt ? makeTree<kWalk> : noTree, .machineCode = treeCode<kWalk>, .blocks = walkBlocks};

constexpr LaunchConfig kTree{static_cast<int>(kWalkThreads), 1, 1, 1};
constexpr LaunchConfig kRung{128, 8, 1, 1}, kSymmetric{32, 4, 8, 1}, kManySteps{512, 4, kManyStepsBodies, 1};

// Instructions issued a directed pair in fp32, counted in the machine code of the inner loops: 13 for the pull itself,
// then reads, loop and the second level of sums. How each was tuned is in docs/benchmarks/kernel-notes.md.
constexpr KernelEntry kEntries[] = {
    {.row = {.backend = "cuda",
             .name = "global",
             .idea = "one thread a body reads all sources from global memory, 16 bytes at a time",
             .blocks = {1, 0},
             .issuedPerDirectedPair = 14.3,
             .source = "global.cu:gather,forceGlobal",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = oneSided<globalKernel>},
     .fixed = kRung},
    {.row = {.backend = "cuda",
             .name = "soa",
             .idea = "the same from four arrays: coordinates apart, so four reads where one would do",
             .blocks = {1, 0},
             .issuedPerDirectedPair = 17.3,
             .source = "global.cu:gather,forceSoa",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = oneSided<soaKernel>, .planes = true},
     .fixed = kRung},
    {.row = {.backend = "cuda",
             .name = "constant",
             .idea = "sources through constant memory in chunks: one broadcast serves a warp",
             .blocks = {1, 0},
             .issuedPerDirectedPair = 13.3,
             .source = "global.cu:gather,forceConstant",
             .refuses = whyNotOnCuda},
     .code =
         OneSidedCode{.kernel32 = oneSided<constantKernel>, .sources = sourcesInConstant, .longestSlice = kConstantSources},
     .fixed = kRung},
    {.row = {.backend = "cuda",
             .name = "shuffle",
             .idea = "each lane reads one source and the warp passes them round by shuffles",
             .blocks = {1, 0},
             .unrolls = Unrolls::values,
             .issuedPerDirectedPair = 17.1,
             .source = "global.cu:forceShuffle",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = shuffle, .byWarps = true},
     .fixed = kRung},
    {.row = {.backend = "cuda",
             .name = "tiled",
             .idea = "a block reads a tile of bodies into shared memory once for all its threads",
             .blocks = {1, 0},
             .unrolls = Unrolls::values,
             .issuedPerDirectedPair = 14,
             .slots64PerDirectedPair = 34,
             .source = "tiled.cuh:gather,tiledForce",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true, .otherLaws = true}},
    {.row = {.backend = "cuda",
             .name = "tiled-split",
             .idea =
                 "several blocks share a body's sources and a fixed order adds their sums: small systems fill the device",
             .blocks = {1, 0},
             .unrolls = Unrolls::values,
             .splits = {1, 128},
             .issuedPerDirectedPair = 14,
             .slots64PerDirectedPair = 34,
             .source = "tiled.cuh:gather,tiledForce",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true, .otherLaws = true}},
    {.row = {.backend = "cuda",
             .name = "tiled-atomics",
             .idea = "the same, but the sums are added by atomics as they come: no fixed order, no second launch",
             .blocks = {1, 0},
             .unrolls = Unrolls::values,
             .splits = {1, 128},
             .deterministic = false,
             .issuedPerDirectedPair = 14,
             .slots64PerDirectedPair = 34,
             .source = "tiled.cuh:gather,tiledForce",
             .refuses = whyNotOnCuda},
     .code =
         OneSidedCode{
             .kernel32 = tiled<float>, .kernel64 = tiled<double>, .tiles = true, .otherLaws = true, .atomicSums = true}},
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
    {.row = {.backend = "cuda",
             .name = "fused",
             .idea = "the tiled kernel also integrates and stores the vertex, all in the same launch",
             .blocks = {1, 0},
             .unrolls = Unrolls::values,
             .issuedPerDirectedPair = 14,
             .source = "force_fused.cu:fusedForce",
             .refuses = whyNotOnCuda},
     .code = OneSidedCode{.kernel32 = tiled<float>, .fused = fused, .tiles = true}},
    {.row = {.backend = "cuda",
             .name = "symmetric-atomics",
             .idea = "each pair once: partners rotate through the warp with their sums, added by atomics in no fixed order",
             .shape = WorkShape::pairTiles,
             .deterministic = false,
             .issuedPerDirectedPair = 8.8,
             .slots64PerDirectedPair = 21,
             .source = "symmetric.cuh:symmetricRound",
             .refuses = whyNotOnCuda},
     .code = symmetric<SymmetricSums::atomics>,
     .fixed = kSymmetric},
    {.row = {.backend = "cuda",
             .name = "symmetric",
             .idea = "each pair once, and partial sums in slots that a fixed order adds in fp64: same bits every time",
             .shape = WorkShape::pairTiles,
             .issuedPerDirectedPair = 8.8,
             .slots64PerDirectedPair = 21,
             .source = "symmetric.cuh:symmetricRound,addSlots",
             .refuses = whyNotOnCuda},
     .code = symmetric<SymmetricSums::slots>,
     .fixed = kSymmetric},
    {.row = {.backend = "cuda",
             .name = "symmetric-runs",
             .idea = "the same, and where neighbours weigh the same, as whole galaxies do, their mass waits for the end of "
                     "the sums",
             .shape = WorkShape::pairTiles,
             .issuedPerDirectedPair = 7.8,
             .slots64PerDirectedPair = 19,
             .source = "symmetric.cuh:symmetricRound,addSlots",
             .refuses = whyNotOnCuda},
     .code = symmetric<SymmetricSums::slotsMassRuns>,
     .fixed = kSymmetric},
    {.row = {.backend = "cuda",
             .name = "symmetric-equal",
             .idea = "the same where all masses are equal: two multiplications a pair less",
             .shape = WorkShape::pairTiles,
             .equalMasses = true,
             .issuedPerDirectedPair = 7.8,
             .slots64PerDirectedPair = 19,
             .source = "symmetric.cuh:symmetricRound,addSlots",
             .refuses = whyNotOnCuda},
     .code = symmetric<SymmetricSums::slotsEqualMasses>,
     .fixed = kSymmetric},
    {.row = {.backend = "cuda",
             .name = "many-steps",
             .idea = "batches of leapfrog steps in one cooperative launch, for small systems: the host is out of the loop",
             .shape = WorkShape::wholeSteps,
             .issuedPerDirectedPair = 13.2,
             .source = "many_steps.cu:manySteps",
             .refuses = whyNotOnCuda},
     .code = ManyStepsCode{.kernel32 = manySteps},
     .fixed = kManySteps},
    {.row = {.backend = "cuda",
             .name = "tree-theta-monopole",
             .idea = "far bodies as one at their centre: an octree, opened by the angle under which a cell is seen",
             .approximates = true,
             .ownAccuracy = kMonopoleAccuracy,
             .source = "tree_walk.cu:visit,meetCells,meetBodies",
             .refuses = whyNotOnCuda},
     .code = treeRow<TreeWalk::thetaMonopole>,
     .fixed = kTree},
    {.row = {.backend = "cuda",
             .name = "tree-theta",
             .idea = "the same with the second moments of a cell: three to eight times more exact at 2.4 times its cost",
             .approximates = true,
             .ownAccuracy = kQuadrupoleAccuracy,
             .source = "tree_walk.cu:visit,meetCells,meetBodies",
             .refuses = whyNotOnCuda},
     .code = treeRow<TreeWalk::theta>,
     .fixed = kTree},
    {.row = {.backend = "cuda",
             .name = "tree-cells",
             .idea = "cells are opened by what they would leave out of the acceleration: work goes where it is small",
             .approximates = true,
             .source = "tree_walk.cu:visit,meetCells,meetBodies",
             .refuses = whyNotOnCuda},
     .code = treeRow<TreeWalk::cells>,
     .fixed = kTree},
    {.row = {.backend = "cuda",
             .name = "tree",
             .idea = "cells far from a group of bodies go into one expansion about it, a lane each, and once for the group",
             .approximates = true,
             .source = "tree_walk.cu:visit,expand,meetCells,meetBodies",
             .refuses = whyNotOnCuda},
     .code = treeRow<TreeWalk::expansions>,
     .fixed = kTree},
};

bool hasCode(const KernelEntry& entry, bool doubles) {
    return std::visit(
        [doubles](const auto& code) {
            if constexpr (requires { code.make64; }) return (doubles ? code.make64 != nullptr : code.make32 != nullptr);
            if constexpr (requires { code.kernel64; }) {
                if (doubles) return code.kernel64 != nullptr;
            }
            if constexpr (requires { code.kernel32; }) return !doubles && code.kernel32 != nullptr;
            return false;
        },
        entry.code);
}

/// Entries come while other threads look for theirs. A deque, so that references stay.
std::mutex& addedLock() {
    static std::mutex lock;
    return lock;
}
std::deque<KernelEntry>& added() {
    static std::deque<KernelEntry> entries;
    return entries;
}

}  // namespace

bool KernelEntry::builtIn(Precision precision) const { return hasCode(*this, precision == Precision::fp64); }

std::uint32_t OneSidedCode::sliceStep(const LaunchConfig& launch) const {
    if (tiles) return static_cast<std::uint32_t>(launch.block);
    // Whole chunks, also those of a last warp that is narrower.
    return static_cast<std::uint32_t>(kSumChunk * std::max(1, byWarps ? launch.block % 32 : 1));
}

std::span<const KernelEntry> kernelEntries() { return kEntries; }

bool addKernelEntry(const KernelEntry& entry) {
    addKernel(entry.row);
    const std::lock_guard hold(addedLock());
    added().push_back(entry);
    return true;
}

const KernelEntry& kernelEntry(std::string_view name) {
    {
        const std::lock_guard hold(addedLock());
        for (const KernelEntry& entry : added())
            if (entry.row.name == name) return entry;
    }
    const std::span<const KernelRow> rows = cudaKernelRows();
    return kEntries[&findRow(rows, "cuda kernel", name) - rows.data()];
}

}  // namespace cuda

std::span<const KernelRow> cudaKernelRows() {
    static const auto rows = [] {
        std::array<KernelRow, std::size(cuda::kEntries)> all;
        std::ranges::transform(cuda::kEntries, all.begin(), [](const cuda::KernelEntry& entry) { return entry.row; });
        return all;
    }();
    return rows;
}

}  // namespace gravlab
