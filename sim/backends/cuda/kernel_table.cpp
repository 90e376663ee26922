// The CUDA rows of the kernel table. Data only, no CUDA header, so that every build lists them.
#include "sim/backends/kernel_rows.h"
#include "sim/forces/law.h"

#include <algorithm>

namespace gravlab {
namespace {

constexpr std::string_view kDoubleRows[] = {"tiled",     "tiled-split",       "tiled-atomics",  "tiled-registers",
                                            "symmetric", "symmetric-atomics", "symmetric-runs", "symmetric-equal"};

/// Rows that have loops for laws whose pull is not gravity's.
constexpr std::string_view kLawRows[] = {"tiled", "tiled-split", "tiled-atomics"};
/// Rows whose force is not taken up between two launches, so that nobody can turn it by a body's response.
constexpr std::string_view kUnresponsiveRows[] = {"fused"};

template <std::size_t kCount>
bool among(const std::string_view (&rows)[kCount], const KernelRow& row) {
    return std::find(std::begin(rows), std::end(rows), row.name) != std::end(rows);
}

Reason whyNotOnCuda(const KernelRow& row, const ForceSettings& force) {
    if (force.precision == Precision::fp64 && !among(kDoubleRows, row))
        return "it is not built in fp64; take 'tiled' or 'symmetric'";
    if (loopLaw(force) != Law::gravity && !among(kLawRows, row))
        return "it has loops for gravity and charges only; take 'tiled' or 'tiled-split'";
    if (force.law != Law::gravity && among(kUnresponsiveRows, row))
        return "it knows gravity only, where all bodies respond alike; take 'tiled'";
    return {};
}

}  // namespace

std::span<const KernelRow> cudaKernelRows() {
    static const int unrolls[] = {1, 2, 4, 8, 16, 32};
    static const int bodiesPerThread[] = {1, 2, 4, 8};
    // Instructions issued a directed pair in fp32, counted in the machine code of the inner loops: 13 for the pull itself,
    // then reads, loop and the second level of sums. How each was tuned is in docs/benchmarks/kernel-notes.md.
    static const KernelRow rows[] = {
        {.backend = "cuda",
         .name = "global",
         .idea = "one thread a body reads all sources from global memory, 16 bytes at a time",
         .blocks = {1, 0},
         .issuedPerDirectedPair = 14.3,
         .source = "force_rungs.cu:gather,forceGlobal",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "soa",
         .idea = "the same from four arrays: coordinates apart, so four reads where one would do",
         .blocks = {1, 0},
         .issuedPerDirectedPair = 17.3,
         .source = "force_rungs.cu:gather,forceSoa",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "constant",
         .idea = "sources through constant memory in chunks: one broadcast serves a warp",
         .blocks = {1, 0},
         .issuedPerDirectedPair = 13.3,
         .source = "force_rungs.cu:gather,forceConstant",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "shuffle",
         .idea = "each lane reads one source and the warp passes them round by shuffles",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .issuedPerDirectedPair = 17.1,
         .source = "force_rungs.cu:forceShuffle",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "tiled",
         .idea = "a block reads a tile of bodies into shared memory once for all its threads",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .issuedPerDirectedPair = 14,
         .slots64PerDirectedPair = 34,
         .source = "tiled.cuh:gather,tiledForce",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "tiled-split",
         .idea = "several blocks share a body's sources and a fixed order adds their sums: small systems fill the device",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .splits = {1, 128},
         .issuedPerDirectedPair = 14,
         .slots64PerDirectedPair = 34,
         .source = "tiled.cuh:gather,tiledForce",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "tiled-atomics",
         .idea = "the same, but the sums are added by atomics as they come: no fixed order, no second launch",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .splits = {1, 128},
         .deterministic = false,
         .issuedPerDirectedPair = 14,
         .slots64PerDirectedPair = 34,
         .source = "tiled.cuh:gather,tiledForce",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "tiled-registers",
         .idea = "a thread holds several bodies in registers, so one read of shared memory serves them all",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .bodiesPerThread = bodiesPerThread,
         .splits = {1, 128},
         .issuedPerDirectedPair = 13.1,
         .slots64PerDirectedPair = 34,
         .source = "tiled.cuh:gather,tiledForce",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "fused",
         .idea = "the tiled kernel also integrates and stores the vertex, all in the same launch",
         .blocks = {1, 0},
         .unrolls = unrolls,
         .issuedPerDirectedPair = 14,
         .source = "force_fused.cu:fusedForce",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "symmetric-atomics",
         .idea = "each pair once: partners rotate through the warp with their sums, added by atomics in no fixed order",
         .shape = WorkShape::pairTiles,
         .deterministic = false,
         .issuedPerDirectedPair = 8.8,
         .slots64PerDirectedPair = 21,
         .source = "symmetric.cuh:symmetricRound",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "symmetric",
         .idea = "each pair once, and partial sums in slots that a fixed order adds in fp64: same bits every time",
         .shape = WorkShape::pairTiles,
         .issuedPerDirectedPair = 8.8,
         .slots64PerDirectedPair = 21,
         .source = "symmetric.cuh:symmetricRound,addSlots",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "symmetric-runs",
         .idea =
             "the same, and where neighbours weigh the same, as whole galaxies do, their mass waits for the end of the sums",
         .shape = WorkShape::pairTiles,
         .issuedPerDirectedPair = 7.8,
         .slots64PerDirectedPair = 19,
         .source = "symmetric.cuh:symmetricRound,addSlots",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "symmetric-equal",
         .idea = "the same where all masses are equal: two multiplications a pair less",
         .shape = WorkShape::pairTiles,
         .equalMasses = true,
         .issuedPerDirectedPair = 7.8,
         .slots64PerDirectedPair = 19,
         .source = "symmetric.cuh:symmetricRound,addSlots",
         .refuses = whyNotOnCuda},
        {.backend = "cuda",
         .name = "many-steps",
         .idea = "batches of leapfrog steps in one cooperative launch, for small systems: the host is out of the loop",
         .shape = WorkShape::wholeSteps,
         .issuedPerDirectedPair = 13.2,
         .source = "many_steps.cu:manySteps",
         .refuses = whyNotOnCuda},
    };
    return rows;
}

}  // namespace gravlab
