// Which machine code belongs to which row of the kernel table, and how it is fed. Rule: one entry a row, no switch on names.
#pragma once
#include "sim/backends/cuda/kernels/symmetric.h"
#include "sim/backends/kernel.h"

#include <cstdint>
#include <span>

namespace gravlab::cuda {

/// How a force is cut and added up.
enum class Family {
    oneSided,   ///< threads own targets; sources come in slices
    symmetric,  ///< warps own tiles, each pair once; rounds
    manySteps   ///< one resident wave that can also make whole steps
};

struct RowCode {
    std::string_view row;
    Family family;
    /// Null for factors that are not built.
    const void* (*kernel32)(const LaunchConfig& launch);
    const void* (*kernel64)(const LaunchConfig& launch) = nullptr;
    bool tiles = false;                        ///< one body a thread in dynamic shared memory
    bool atomicSums = false;                   ///< ranges are added by atomics
    bool fuses = false;                        ///< a launch can hold the pass after the force
    bool planes = false;                       ///< reads four arrays
    const void* (*sources)() = nullptr;        ///< symbol that the host fills with each slice
    std::uint32_t longestSlice = 0xffffffffu;  ///< sources
    SymmetricSums symmetricSums = SymmetricSums::slots;
    LaunchConfig fixed{32, 4, 1, 1};  ///< what cannot be tuned

    std::size_t sharedBytes(const LaunchConfig& launch, std::size_t realBytes) const {
        return tiles ? static_cast<std::size_t>(launch.block) * 4 * realBytes : 0;
    }
    /// Sources after which a slice may end without changing the order of sums.
    std::uint32_t sliceStep(const LaunchConfig& launch) const;
};

/// The entry of a row of the CUDA backend.
const RowCode& codeOf(const KernelRow& row);

}  // namespace gravlab::cuda
