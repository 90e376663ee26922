#include "app/tables/occupancy.h"

#include "sim/core/names.h"

#include <algorithm>

namespace gravlab {
namespace {

constexpr std::size_t kKilo = 1024;
constexpr int kWarp = 32, kMostThreads = 1024;
constexpr int kRegisterUnit = 256;  // allocation unit of a warp's registers

// In the order of the fields of GpuRow.
constexpr GpuRow kGpus[] = {
    {"gtx-680", "sm_30", "GeForce GTX 680 (GK104)", 8, 192, 1.058e9, 64, 16, 65536, 63, 4, 48 * kKilo, 48 * kKilo, 256, 0},
    {"p100", "sm_60", "Tesla P100", 56, 64, 1.48e9, 64, 32, 65536, 255, 2, 64 * kKilo, 48 * kKilo, 256, 0},
    {"v100", "sm_70", "Tesla V100", 80, 64, 1.53e9, 64, 32, 65536, 255, 4, 96 * kKilo, 96 * kKilo, 256, 0},
    {"t4", "sm_75", "Tesla T4", 40, 64, 1.59e9, 32, 16, 65536, 255, 4, 64 * kKilo, 64 * kKilo, 256, 0},
    {"a100", "sm_80", "A100", 108, 64, 1.41e9, 64, 32, 65536, 255, 4, 164 * kKilo, 163 * kKilo, 128, kKilo},
    {"rtx-3090", "sm_86", "GeForce RTX 3090", 82, 128, 1.695e9, 48, 16, 65536, 255, 4, 100 * kKilo, 99 * kKilo, 128, kKilo},
    {"rtx-4090", "sm_89", "GeForce RTX 4090", 128, 128, 2.52e9, 48, 24, 65536, 255, 4, 100 * kKilo, 99 * kKilo, 128, kKilo},
    {"h100", "sm_90", "H100 SXM", 132, 128, 1.98e9, 64, 32, 65536, 255, 4, 228 * kKilo, 227 * kKilo, 128, kKilo},
    {"h200", "sm_90", "H200", 132, 128, 1.98e9, 64, 32, 65536, 255, 4, 228 * kKilo, 227 * kKilo, 128, kKilo},
};

template <class Number>
constexpr Number roundedUp(Number value, Number unit) {
    return (value + unit - 1) / unit * unit;
}

/// Why a device would refuse the launch; empty: it would start it.
std::string refusalOf(const GpuRow& gpu, const LaunchPlan& plan) {
    const auto text = [](auto number) { return std::to_string(number); };
    if (plan.threads > kMostThreads)
        return "a block has at most " + text(kMostThreads) + " threads, not " + text(plan.threads);
    if (plan.registers > gpu.threadRegisters)
        return "a thread has at most " + text(gpu.threadRegisters) + " registers, not " + text(plan.registers);
    if (plan.sharedBytes > gpu.blockSharedBytes)
        return "a block has at most " + text(gpu.blockSharedBytes) + " bytes of shared memory, not " +
               text(plan.sharedBytes);
    return {};
}

}  // namespace

std::span<const GpuRow> gpus() { return kGpus; }
const GpuRow& gpu(std::string_view name) { return findRow(gpus(), "GPU", name); }

std::string_view nameOf(LaunchLimit limit) {
    constexpr std::string_view kNames[] = {"warps", "blocks", "registers", "shared memory"};
    return kNames[static_cast<std::size_t>(limit)];
}

PlannedLaunch planned(const GpuRow& gpu, const LaunchPlan& plan) {
    PlannedLaunch result;
    LaunchFacts& facts = result.facts;
    facts.device = gpu.title;
    facts.multiprocessors = gpu.multiprocessors;
    facts.lanesPerMultiprocessor = gpu.lanes;
    facts.warpsPerMultiprocessor = gpu.warps;
    facts.highestClock = facts.clockNow = gpu.clock;
    const std::size_t targets = static_cast<std::size_t>(plan.threads) * static_cast<std::size_t>(plan.bodiesPerThread);
    facts.gridX = static_cast<int>((plan.bodies + targets - 1) / targets);
    facts.gridY = plan.split;
    facts.threads = plan.threads;
    facts.registers = plan.registers;
    facts.sharedBytes = plan.sharedBytes;
    result.refusal = refusalOf(gpu, plan);

    const int warps = (plan.threads + kWarp - 1) / kWarp;
    const int warpRegisters = roundedUp(std::max(plan.registers, 1) * kWarp, kRegisterUnit);
    const int registerWarps = gpu.registers / warpRegisters / gpu.warpUnit * gpu.warpUnit;
    const std::size_t shared = roundedUp(plan.sharedBytes + gpu.reservedShared, gpu.sharedUnit);
    const int most[] = {gpu.warps / warps, gpu.blocks, registerWarps / warps,
                        shared == 0 ? gpu.blocks : static_cast<int>(gpu.sharedBytes / shared)};
    const auto* least = std::min_element(std::begin(most), std::end(most));
    result.limit = static_cast<LaunchLimit>(least - std::begin(most));
    if (*least == 0 && result.refusal.empty())
        result.refusal =
            "not even one block fits: its " + std::string(nameOf(result.limit)) + " are more than a multiprocessor has";
    facts.residentBlocks = result.refusal.empty() ? *least : 0;
    return result;
}

GpuRow gpuOf(const OccupancyAsk& ask) {
    GpuRow row = gpu(ask.gpu);
    if (ask.multiprocessors) row.multiprocessors = *ask.multiprocessors;
    if (ask.warps) row.warps = *ask.warps;
    if (ask.blocks) row.blocks = *ask.blocks;
    if (ask.registerFile) row.registers = *ask.registerFile;
    if (ask.sharedMemory) row.sharedBytes = row.blockSharedBytes = static_cast<std::size_t>(*ask.sharedMemory);
    return row;
}

LaunchPlan planOf(const OccupancyAsk& ask) { return planOf(ask, ask.bodies, ask.block); }

LaunchPlan planOf(const OccupancyAsk& ask, std::size_t bodies, int block) {
    constexpr std::size_t kBody = 16;  // bytes of a body in a tile
    const std::size_t tile = kBody * static_cast<std::size_t>(block);
    return {.bodies = bodies,
            .threads = block,
            .registers = ask.registers,
            .bodiesPerThread = ask.bodiesPerThread,
            .split = ask.split,
            .sharedBytes = ask.shared ? static_cast<std::size_t>(*ask.shared) : tile};
}

}  // namespace gravlab
