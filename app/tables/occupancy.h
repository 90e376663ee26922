// What a launch would find on a GPU that need not be here: resident blocks, waves, tail, occupancy, and what limits them.
// Rule: from published limits alone, as NVIDIA's occupancy calculator has them; what runs is measured elsewhere.
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
    int lanes = 0;                     ///< fp32, of a multiprocessor
    double clock = 0;                  ///< highest [1/s]
    int warps = 0, blocks = 0;         ///< resident on a multiprocessor at most
    int registers = 65536;             ///< of a multiprocessor
    int threadRegisters = 255;         ///< of a thread at most
    int warpUnit = 4;                  ///< warps that registers are given to at once
    std::size_t sharedBytes = 0;       ///< of a multiprocessor
    std::size_t blockSharedBytes = 0;  ///< of a block at most
    std::size_t sharedUnit = 128;      ///< of which shared memory is given
    std::size_t reservedShared = 0;    ///< a block, by the system
};
std::span<const GpuRow> gpus();
/// Throws UsageError naming the nearest.
const GpuRow& gpu(std::string_view name);

/// A launch that is asked about.
struct LaunchPlan {
    std::size_t bodies = 65536;
    int threads = 128, registers = 64, bodiesPerThread = 1, split = 1;
    std::size_t sharedBytes = 0;  ///< a block
};

/// What limits the blocks on a multiprocessor.
enum class LaunchLimit { warps, blocks, registers, shared };
std::string_view nameOf(LaunchLimit limit);

struct PlannedLaunch {
    LaunchFacts facts;  ///< waves(), lastWave() and occupancy() as of a launch that runs
    LaunchLimit limit = LaunchLimit::warps;
    std::string refusal;  ///< why the device would not start it; empty: it would
};
PlannedLaunch planned(const GpuRow& gpu, const LaunchPlan& plan);

/// A launch that somebody asks about, on a GPU that need not be here: what the calculator of the lab and
/// `gravlab occupancy` are told.
struct OccupancyAsk {
    std::string gpu = "h200";
    std::size_t bodies = 65536;
    int block = 128, registers = 64, bodiesPerThread = 1, split = 1;
    std::optional<int> shared{};  ///< bytes a block; empty: a tile of a body a thread
    /// Limits instead of those of the GPU named.
    std::optional<int> multiprocessors{}, warps{}, blocks{}, registerFile{}, sharedMemory{};
    bool operator==(const OccupancyAsk&) const = default;
};
/// The row of its name, with what was given instead of its limits.
GpuRow gpuOf(const OccupancyAsk& ask);
/// For as many bodies and threads a block as are asked for, or for others.
LaunchPlan planOf(const OccupancyAsk& ask);
LaunchPlan planOf(const OccupancyAsk& ask, std::size_t bodies, int block);

/// N and p of the table of N/p.
inline constexpr std::array<int, 6> kTableBlocks{32, 64, 128, 256, 512, 1024};
inline constexpr std::array<std::size_t, 7> kTableBodies{1024, 2048, 4096, 8192, 16384, 32768, 65536};

}  // namespace gravlab
