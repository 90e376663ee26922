// The kernel table of the CUDA backend: what a row is called, what can be tuned, and its machine code, in one entry.
// Rule: one entry a row, and no switch on names anywhere. Needs no CUDA header; all builds list the rows.
#pragma once
#include "sim/backends/cuda/kernels/force.h"
#include "sim/backends/cuda/kernels/many_steps.h"
#include "sim/backends/cuda/kernels/symmetric.h"
#include "sim/backends/cuda/kernels/tree.h"
#include "sim/backends/kernel.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>

namespace gravlab::cuda {

/// Threads own targets; the sources come in slices. What a launch can be given decides about the code: null for factors that
/// are not built, and in builds without CUDA.
struct OneSidedCode {
    Kernel<ForceTask<float>> (*kernel32)(const LaunchConfig& launch) = nullptr;
    Kernel<ForceTask<double>> (*kernel64)(const LaunchConfig& launch) = nullptr;  ///< null: not built
    Kernel<FusedTask> (*fused)(const LaunchConfig& launch) = nullptr;             ///< with the operations after the force
    bool tiles = false;                        ///< one body a thread in dynamic shared memory
    bool ownTile = false;                      ///< the same in memory whose size is compiled in
    bool otherLaws = false;                    ///< lawKernel() serves laws whose pull is not gravity's
    bool atomicSums = false;                   ///< ranges are added by atomics
    bool splitsInBlock = false;                ///< ranges are those of a block's threads: it has split times as many
    bool pairsOfThreads = false;               ///< a thread a pair: a block has the root of its threads as targets
    bool byWarps = false;                      ///< a warp passes its sources round, a last one that is narrower fewer
    bool goesOn = false;                       ///< a launch that fails is told and counted as if it had run: a trap
    Kernel<CopiesTask> (*copier)() = nullptr;  ///< of bodies into an array that it reads
    std::uint32_t copied = 0;                  ///< numbers a body in that array
    const void* (*sources)() = nullptr;        ///< symbol that the host fills with each slice
    std::uint32_t longestSlice = 0xffffffffu;  ///< sources

    int threads(const LaunchConfig& launch) const { return launch.block * (splitsInBlock ? launch.split : 1); }
    /// Of a block.
    std::uint32_t targets(const LaunchConfig& launch) const;
    std::size_t sharedBytes(const LaunchConfig& launch, std::size_t realBytes) const {
        return tiles ? static_cast<std::size_t>(threads(launch)) * 4 * realBytes : 0;
    }
    /// Sources after which a slice may end without changing the order of sums.
    std::uint32_t sliceStep(const LaunchConfig& launch) const;
};

/// Warps own tiles, each pair once; rounds.
struct SymmetricCode {
    SymmetricSums sums;
    Kernel<SymmetricTask<float>> (*kernel32)(const LaunchConfig& launch) = nullptr;
    Kernel<SymmetricTask<double>> (*kernel64)(const LaunchConfig& launch) = nullptr;
};

/// One resident wave that can also make whole steps.
struct ManyStepsCode {
    Kernel<ManyStepsTask> (*kernel32)(const LaunchConfig& launch) = nullptr;
};

template <class Real>
class DeviceForceMethod;
struct MethodParts;

/// A method of its own, of no family.
struct OwnCode {
    std::unique_ptr<DeviceForceMethod<float>> (*make32)(const MethodParts& parts) = nullptr;
    std::unique_ptr<DeviceForceMethod<double>> (*make64)(const MethodParts& parts) = nullptr;  ///< null: not built
    const void* (*machineCode)(Precision precision) = nullptr;  ///< of the kernel that tells most about its launches
    /// Of its launch on all bodies; null: not known.
    unsigned (*blocks)(std::size_t bodies, int multiprocessors, unsigned threads) = nullptr;
};

/// The method of the tree's rows.
template <TreeWalk kWalk, TreeKeys kCurve>
std::unique_ptr<DeviceForceMethod<float>> makeTree(const MethodParts& parts);

/// The method of laws that end.
template <class Real>
std::unique_ptr<DeviceForceMethod<Real>> makeCells(const MethodParts& parts);

/// Machine code that was loaded while the program ran: one launch a force, as own_kernel.h says it.
struct LoadedCode {
    const void* kernel32 = nullptr;
    unsigned split = 1;                                                 ///< blocks that share the sources of the same bodies
    std::size_t sharedBytes = 0;                                        ///< dynamic, of a block
    bool (*tried)(const KernelRow& row, std::size_t bodies) = nullptr;  ///< whether a trial found it good for so many
};

struct KernelEntry {
    KernelRow row;
    std::variant<OneSidedCode, SymmetricCode, ManyStepsCode, OwnCode, LoadedCode> code;

    bool builtIn(Precision precision) const;
    /// The code of a family, or null.
    const OneSidedCode* oneSided() const { return std::get_if<OneSidedCode>(&code); }
    const SymmetricCode* symmetric() const { return std::get_if<SymmetricCode>(&code); }
    const ManyStepsCode* manySteps() const { return std::get_if<ManyStepsCode>(&code); }
    const OwnCode* own() const { return std::get_if<OwnCode>(&code); }
    const LoadedCode* loaded() const { return std::get_if<LoadedCode>(&code); }
};

/// All entries, in ladder order; and those that are wrong on purpose, see KernelRow::trap.
std::span<const KernelEntry> kernelEntries();
std::span<const KernelEntry> trapEntries();
/// Brings an entry of its own, as a test does: taken by its name, and in no list. See addKernel().
bool addKernelEntry(const KernelEntry& entry);
/// Throws UsageError naming the valid ones and the nearest.
const KernelEntry& kernelEntry(std::string_view name);

}  // namespace gravlab::cuda
