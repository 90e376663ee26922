// The kernel table of the CUDA backend: one entry holds a row's name, its tunable factors and its machine code.
// Rule: one entry a row, and no switch on names anywhere. It needs no CUDA header.
#pragma once
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/many_steps.h"
#include "sim/backends/cuda/kernels/symmetric.h"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/row_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

namespace gravlab::cuda {

/// Threads own targets; the sources come in slices. The launch selects the code: null for factors that are not built.
struct OneSidedCode {
    Kernel<ForceTask<float>> (*kernel32)(const LaunchConfig& launch) = nullptr;
    Kernel<ForceTask<double>> (*kernel64)(const LaunchConfig& launch) = nullptr;  ///< null: not built
    Kernel<FusedTask> (*fused)(const LaunchConfig& launch) = nullptr;             ///< with the operations after the force
    bool tiles = false;               ///< one body a thread in dynamic shared memory
    bool ownTile = false;             ///< the same in memory whose size is compiled in
    bool otherLaws = false;           ///< lawKernel() computes laws whose pull is not gravity's
    bool atomicSums = false;          ///< ranges are added by atomics
    bool splitsInBlock = false;       ///< threads of one block sum the ranges: the block has `split` times as many threads
    bool pairsOfThreads = false;      ///< one thread per pair: the targets of a block are the square root of its threads
    bool byWarps = false;             ///< a warp passes its sources round; a narrower last warp passes fewer
    bool ignoresLaunchError = false;  ///< a trap: a failed launch is reported and counted as if it had run
    Kernel<CopiesTask> (*copier)() = nullptr;  ///< copies the bodies into an array that the kernel reads
    std::uint32_t copied = 0;                  ///< numbers per body in that array
    const void* (*sources)() = nullptr;        ///< symbol that the host fills with each slice
    std::uint32_t longestSlice = 0xffffffffu;  ///< sources

    int threads(const LaunchConfig& launch) const { return launch.block * (splitsInBlock ? launch.split : 1); }
    /// Targets of a block.
    std::uint32_t targets(const LaunchConfig& launch) const;
    std::size_t sharedBytes(const LaunchConfig& launch, std::size_t realBytes) const {
        return tiles ? static_cast<std::size_t>(threads(launch)) * 4 * realBytes : 0;
    }
    /// Sources after which a slice may end without changing the order of sums.
    std::uint32_t sliceStep(const LaunchConfig& launch) const;
};

/// Warps own tiles and compute each pair once, in rounds.
struct SymmetricCode {
    SymmetricSums sums;
    Kernel<SymmetricTask<float>> (*kernel32)(const LaunchConfig& launch) = nullptr;
    Kernel<SymmetricTask<double>> (*kernel64)(const LaunchConfig& launch) = nullptr;
};

/// One resident wave of blocks, which can also run whole steps.
struct ManyStepsCode {
    Kernel<ManyStepsTask> (*kernel32)(const LaunchConfig& launch) = nullptr;
};

template <class Real>
class DeviceForceMethod;
struct MethodParts;

/// A method of its own, of no family.
struct MethodCode {
    std::unique_ptr<DeviceForceMethod<float>> (*make32)(const MethodParts& parts) = nullptr;
    std::unique_ptr<DeviceForceMethod<double>> (*make64)(const MethodParts& parts) = nullptr;  ///< null: not built
    const void* (*machineCode)(Precision precision) = nullptr;  ///< of the kernel that launchFacts() describes
    /// Blocks of its launch on all bodies; null: not known.
    unsigned (*blocks)(std::size_t bodies, int multiprocessors, unsigned threads) = nullptr;
};

/// Makes the method of the tree rows.
template <TreeWalk kWalk, TreeKeys kCurve>
std::unique_ptr<DeviceForceMethod<float>> makeTree(const MethodParts& parts);

/// Makes the method of laws with a finite reach.
template <class Real>
std::unique_ptr<DeviceForceMethod<Real>> makeCells(const MethodParts& parts);

/// Makes the method that keeps lists of neighbours under these laws.
template <class Real>
std::unique_ptr<DeviceForceMethod<Real>> makeNeighbourLists(const MethodParts& parts);

/// Machine code that was loaded while the program ran: one launch per force; own_kernel.h states its arguments.
struct LoadedCode {
    const void* kernel32 = nullptr;
    unsigned split = 1;                                                 ///< blocks that share the sources of the same bodies
    std::size_t sharedBytes = 0;                                        ///< dynamic, of a block
    bool (*tried)(const KernelRow& row, std::size_t bodies) = nullptr;  ///< true: a trial passed at this number of bodies
};

struct KernelEntry {
    KernelRow row;
    std::variant<OneSidedCode, SymmetricCode, ManyStepsCode, MethodCode, LoadedCode> code;

    bool builtIn(Precision precision) const;
    /// The code of a family, or null.
    const OneSidedCode* oneSided() const { return std::get_if<OneSidedCode>(&code); }
    const SymmetricCode* symmetric() const { return std::get_if<SymmetricCode>(&code); }
    const ManyStepsCode* manySteps() const { return std::get_if<ManyStepsCode>(&code); }
    const MethodCode* own() const { return std::get_if<MethodCode>(&code); }
    const LoadedCode* loaded() const { return std::get_if<LoadedCode>(&code); }
};

/// All entries in ladder order, without the deliberately wrong ones, see KernelRow::trap.
std::span<const KernelEntry> kernelEntries();
/// Entries that are added to the table.
using KernelEntries = RowTable<KernelEntry>;
/// The entry of a name. Throws UsageError with the valid names and the nearest one.
const KernelEntry& kernelEntry(std::string_view name);

}  // namespace gravlab::cuda
