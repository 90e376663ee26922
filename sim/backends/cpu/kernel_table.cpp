// The kernel table of the CPU: each row with the idea that it adds to the row above, and the method behind it.
// Rule: a row names its code here and nowhere else.
#include "sim/backends/cpu/methods/cell_method.h"
#include "sim/backends/cpu/methods/divided.h"
#include "sim/backends/cpu/methods/force_evaluation.h"
#include "sim/backends/cpu/methods/mixed.h"
#include "sim/backends/cpu/methods/tree_method.h"
#include "sim/backends/kernel_rows.h"
#include "sim/forces/cell_grid.h"

#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace gravlab::cpu {
namespace {

struct Plain {
    static const LawKernels<float>& of(const SimdTarget&, float) { return kPlainKernels32; }
    static const LawKernels<double>& of(const SimdTarget&, double) { return kPlainKernels64; }
};
struct OpenMp {
    static const LawKernels<float>& of(const SimdTarget&, float) { return kOpenMpKernels32; }
};
struct Simd {
    static const LawKernels<float>& of(const SimdTarget& simd, float) { return simd.kernels32; }
    static const LawKernels<double>& of(const SimdTarget& simd, double) { return simd.kernels64; }
};

/// Most bodies of a tile of pairs; small systems use smaller tiles, so that all threads have work.
constexpr std::array kPairTiles{128, 256, static_cast<int>(kPairTile)};

template <class Loops, Split kShape, Sharing kSharing, class T, class P>
std::unique_ptr<CpuForceMethod<T>> makeDirect(const MethodContext& context) {
    return std::make_unique<ForceEvaluation<T, P>>(DirectKernel<P>{&Loops::of(context.simd, P()), kShape, kSharing},
                                                   context);
}

/// Memory of a method for pairs of that precision.
template <template <class, class> class Method>
double bytesOf(std::size_t bodies, const ForceSettings& force) {
    if (force.precision == Precision::mixed) return Method<double, float>::bytes(bodies) + InPairUnits::bytes(bodies);
    return force.precision == Precision::fp64 ? Method<double, double>::bytes(bodies) : Method<float, float>::bytes(bodies);
}

/// Makes the row of a direct sum by one family of loops.
template <class Loops, Split kShape, Sharing kSharing>
CpuKernel direct(std::string_view name, std::string_view idea, std::string_view source, Reason (*unavailable)() = nullptr) {
    using LoopsOfDouble = decltype(Loops::of(std::declval<const SimdTarget&>(), double()));
    CpuKernel kernel{
        .row = {.backend = "cpu", .name = name, .idea = idea, .cut = kShape, .source = source, .refuses = whyNotOnCpu},
        .sharesWork = kSharing != Sharing::oneThread,
        .vectors = std::is_same_v<Loops, Simd>,
        .fp32 = makeDirect<Loops, kShape, kSharing, float, float>,
        .mixed = makeDirect<Loops, kShape, kSharing, double, float>,
        .bytes = bytesOf<ForceEvaluation>,
        .unavailable = unavailable};
    if constexpr (std::is_same_v<LoopsOfDouble, const LawKernels<double>&>)
        kernel.fp64 = makeDirect<Loops, kShape, kSharing, double, double>;
    if constexpr (std::is_same_v<Loops, Simd> && kShape == Split::targets) {
        kernel.row.unrolls = kUnrolls;
        kernel.row.usual.unroll = 1;
    } else if constexpr (std::is_same_v<Loops, Simd>) {
        kernel.row.blocks = {kPairTiles.front(), kPairTiles.back()};
        kernel.row.blockSizes = kPairTiles;
        kernel.row.usual = {.block = kPairTiles.back(), .unroll = 1};
    }
    return kernel;
}

/// Approximate number of bodies that a core walks through the tree at a time.
constexpr int kTreeBlocks[] = {32, 64, 128, 256, 512};
constexpr LaunchConfig kTree{.block = 128, .unroll = 1};

template <TreeWalk kWalk>
Reason whyNoTree(const KernelRow& row, const ForceSettings& force) {
    const Reason reason = whyNotOnCpu(row, force);
    return reason.empty() ? treeRefusal(kWalk, force, "symmetric-threads") : reason;
}

template <class T, TreeWalk kWalk, TreeKeys kCurve>
std::unique_ptr<CpuForceMethod<T>> makeTree(const MethodContext& context) {
    return std::make_unique<TreeMethod<T>>(kWalk, context, kCurve);
}

/// Makes the row of a tree, which takes far bodies as cells.
template <TreeWalk kWalk, TreeKeys kCurve = TreeKeys::hilbert>
CpuKernel tree(std::string_view name, std::string_view idea) {
    return {.row = {.backend = "cpu",
                    .name = name,
                    .idea = idea,
                    .blocks = {kTreeBlocks[0], *std::rbegin(kTreeBlocks)},
                    .blockSizes = kTreeBlocks,
                    .usual = kTree,
                    .cut = Split::keyRanges,
                    .approximates = true,
                    .byOpening = byAngle(kWalk),
                    .source = "kernels_tree.inl:visit,expand,addCells,addBodies",
                    .keeps = [](const ForceSettings& force, double allowedError,
                                double opening) { return keptAccuracy(kWalk, force, allowedError, opening); },
                    .refuses = whyNoTree<kWalk>},
            .sharesWork = true,
            .fp32 = makeTree<float, kWalk, kCurve>,
            .mixed = makeTree<double, kWalk, kCurve>,
            .bytes = [](std::size_t bodies, const ForceSettings& force) {
                return force.precision == Precision::fp32
                           ? TreeMethod<float>::bytes(bodies, force)
                           : TreeMethod<double>::bytes(bodies, force) + InPairUnits::bytes(bodies);
            }};
}

/// Most bodies that a core sums at a time, in groups of kCellGroup or fewer. The usual number takes some 20 microseconds at
/// the density of a liquid.
constexpr int kCellBlocks[] = {16, 32, 64, 128, 256};
constexpr LaunchConfig kCells{.block = 64, .unroll = 1};
static_assert(kCellBlocks[0] == kCellGroup);

template <class T, class P>
std::unique_ptr<CpuForceMethod<T>> makeCells(const MethodContext& context) {
    return std::make_unique<CellMethod<T, P>>(context);
}

/// Makes the row of cell lists, which leave out bodies beyond the end of a law.
CpuKernel cellLists(std::string_view name, std::string_view idea) {
    return {.row = {.backend = "cpu",
                    .name = name,
                    .idea = idea,
                    .blocks = {kCellBlocks[0], *std::rbegin(kCellBlocks)},
                    .blockSizes = kCellBlocks,
                    .usual = kCells,
                    .cut = Split::keyRanges,
                    .byCutOff = true,
                    .source = "kernels_simd.cpp:cellGroup,cells",
                    .refuses = whyNotOnCpu},
            .sharesWork = true,
            .fp32 = makeCells<float, float>,
            .mixed = makeCells<double, float>,
            .fp64 = makeCells<double, double>,
            .bytes = bytesOf<CellMethod>};
}

Reason whyNoOpenMp() {
    return kOpenMpKernels32.available()
               ? Reason()
               : "this build has no OpenMP: install the compiler's OpenMP runtime and configure again";
}

const std::vector<CpuKernel>& table() {
    static const std::vector<CpuKernel> kernels = [] {
        constexpr Split targets = Split::targets, pairs = Split::tilePairs;
        return std::vector<CpuKernel>{
            direct<Plain, targets, Sharing::oneThread>("naive", "the textbook double loop, one thread, one pair at a time",
                                                       "kernels_plain.cpp:targets"),
            direct<Plain, pairs, Sharing::oneThread>("naive-symmetric",
                                                     "each pair once: what i does to j, j does to i with the sign turned",
                                                     "kernels_plain.cpp:pairs"),
            direct<OpenMp, targets, Sharing::openMp>("openmp",
                                                     "the textbook loop with directives only: parallel for and simd",
                                                     "kernels_openmp.cpp:targets", whyNoOpenMp),
            direct<Simd, targets, Sharing::oneThread>(
                "simd", "many bodies in one vector register, one thread, chosen for this CPU at run time",
                "kernels_simd.cpp:targetGroup"),
            direct<Simd, targets, Sharing::pool>("simd-threads", "targets shared out over all cores by a persistent pool",
                                                 "force_evaluation.cpp:runTargets,share"),
            direct<Simd, pairs, Sharing::pool>(
                "symmetric-threads", "each pair once on all cores, tiles in rounds: same bits for any number of threads",
                "kernels_simd.cpp:pairGroup"),
            cellLists("cells",
                      "only what is within the cut-off of a law that has one: bodies sorted by cells, exact in O(N)"),
            tree<TreeWalk::thetaMonopole>(
                "tree-theta-monopole",
                "far bodies as one at their centre: an octree, opened by the angle under which a cell is seen"),
            tree<TreeWalk::theta>(
                "tree-theta",
                "cells opened by their angle act by mass and second moments, which cost little and bring much"),
            tree<TreeWalk::cells>(
                "tree-cells",
                "cells are opened by what they would leave out of the acceleration: work goes where it is small"),
            tree<TreeWalk::expansions, TreeKeys::morton>(
                "tree-morton",
                "far cells go into one expansion about a group of bodies; groups lie along a Morton curve, which jumps"),
            tree<TreeWalk::expansions>("tree",
                                       "far cells go into one expansion about a group of bodies; groups lie along a Hilbert "
                                       "curve, so none is wide"),
        };
    }();
    return kernels;
}

}  // namespace

const CpuKernel& cpuKernel(const KernelRow& row) {
    if (row.backend == "cpu") {
        if (const CpuKernel* added = CpuKernels::find(kPairLawTerm, row.name)) return *added;
        for (const CpuKernel& kernel : table())
            if (kernel.row.name == row.name) return kernel;
    }
    throw std::logic_error("kernel '" + std::string(row.name) + "' is no row of the cpu backend");
}

template <>
std::unique_ptr<CpuForceMethod<float>> makeMethod<float>(const CpuKernel& kernel, Precision precision,
                                                         const MethodContext& context) {
    return divided(kernel.fp32(context), kernel, precision, context);
}

template <>
std::unique_ptr<CpuForceMethod<double>> makeMethod<double>(const CpuKernel& kernel, Precision precision,
                                                           const MethodContext& context) {
    const MakeMethod<double> make = precision == Precision::mixed ? kernel.mixed : kernel.fp64;
    if (!make) throw std::logic_error("kernel '" + std::string(kernel.row.name) + "' has no method in this precision");
    std::unique_ptr<CpuForceMethod<double>> made = divided(make(context), kernel, precision, context);
    if (precision == Precision::mixed) return std::make_unique<InPairUnits>(std::move(made), context);
    return made;
}

}  // namespace gravlab::cpu

namespace gravlab {

std::span<const KernelRow> cpuKernelRows() {
    static const std::vector<KernelRow> rows = [] {
        std::vector<KernelRow> all;
        for (const cpu::CpuKernel& kernel : cpu::table()) all.push_back(kernel.row);
        return all;
    }();
    return rows;
}

Reason whyNotOnCpu(const KernelRow& row, const ForceSettings& force) {
    const cpu::CpuKernel& kernel = cpu::cpuKernel(row);
    if (kernel.unavailable)
        if (Reason reason = kernel.unavailable(); !reason.empty()) return reason;
    const bool there = force.precision == Precision::fp32    ? kernel.fp32 != nullptr
                       : force.precision == Precision::mixed ? kernel.mixed != nullptr
                                                             : kernel.fp64 != nullptr;
    if (there && kernel.row.byCutOff && !std::isfinite(reachOf(force)))
        return "its cells need a law with a cut-off, which " + std::string(lawRow(force.law).name) +
               " has not; take 'symmetric-threads'";
    if (there) return {};
    return "the " + std::string(row.name) + " kernel has pairs in fp32 only; use simd-threads for fp64";
}

CpuUse cpuUse(const KernelRow& row) {
    const cpu::CpuKernel& kernel = cpu::cpuKernel(row);
    return {.threads = kernel.sharesWork, .instructionSets = kernel.vectors};
}

}  // namespace gravlab
