// The properties of a launch on a GPU that may be absent: resident blocks, waves, tail, occupancy, and what limits them.
// Rule: use published limits alone, like NVIDIA's occupancy calculator; real launches are measured elsewhere.
#pragma once
#include "sim/backends/launch_facts.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gravlab {

/// Limits of a device.
struct GpuRow {
    std::string_view name, capability, title;
    int multiprocessors = 0;
    int lanes = 0;                     ///< fp32, per multiprocessor
    double clock = 0;                  ///< highest [1/s]
    int warps = 0, blocks = 0;         ///< most resident ones per multiprocessor
    int registers = 65536;             ///< per multiprocessor
    int threadRegisters = 255;         ///< most per thread
    int warpUnit = 4;                  ///< registers are allocated to this many warps at once
    std::size_t sharedBytes = 0;       ///< per multiprocessor
    std::size_t blockSharedBytes = 0;  ///< most per block
    std::size_t sharedUnit = 128;      ///< allocation unit of shared memory
    std::size_t reservedShared = 0;    ///< per block, by the system
};
std::span<const GpuRow> gpus();
/// The row with that name. Throws UsageError naming the nearest.
const GpuRow& gpu(std::string_view name);

/// A launch to evaluate.
struct LaunchPlan {
    std::size_t bodies = 65536;
    int threads = 128, registers = 64, bodiesPerThread = 1, split = 1;
    std::size_t sharedBytes = 0;  ///< per block
};

/// The resource that limits the blocks on a multiprocessor.
enum class LaunchLimit { warps, blocks, registers, shared };
std::string_view nameOf(LaunchLimit limit);

struct PlannedLaunch {
    LaunchFacts facts;  ///< waves(), lastWave() and occupancy() like those of a real launch
    LaunchLimit limit = LaunchLimit::warps;
    std::string refusal;  ///< why the device would refuse it; empty: it would start it
};
PlannedLaunch planned(const GpuRow& gpu, const LaunchPlan& plan);

/// A hypothetical launch, on a GPU that may be absent: the input of the lab's calculator and of `gravlab occupancy`.
struct OccupancyAsk {
    std::string gpu = "h200";
    std::size_t bodies = 65536;
    int block = 128, registers = 64, bodiesPerThread = 1, split = 1;
    std::optional<int> shared{};  ///< bytes per block; empty: a tile with one body per thread
    /// Limits that replace those of the named GPU.
    std::optional<int> multiprocessors{}, warps{}, blocks{}, registerFile{}, sharedMemory{};
    bool operator==(const OccupancyAsk&) const = default;
};
/// The named row with the replaced limits.
GpuRow gpuOf(const OccupancyAsk& ask);
/// The plan for the requested bodies and threads per block, or for others.
LaunchPlan planOf(const OccupancyAsk& ask);
LaunchPlan planOf(const OccupancyAsk& ask, std::size_t bodies, int block);

/// N and p of the table of N/p.
inline constexpr std::array<int, 6> kTableBlocks{32, 64, 128, 256, 512, 1024};
inline constexpr std::array<std::size_t, 7> kTableBodies{1024, 2048, 4096, 8192, 16384, 32768, 65536};

}  // namespace gravlab
