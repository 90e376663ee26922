#include "app/tables/occupancy.h"

#include "sim/core/names.h"

#include <algorithm>

namespace gravlab {
namespace {

constexpr std::size_t kKilo = 1024;
constexpr int kWarp = 32, kMostThreads = 1024;
constexpr int kRegisterUnit = 256;  // allocation unit of a warp's registers

constexpr GpuRow kGpus[] = {
    {.name = "gtx-680",
     .capability = "sm_30",
     .title = "GeForce GTX 680 (GK104)",
     .multiprocessors = 8,
     .lanes = 192,
     .clock = 1.058e9,
     .warps = 64,
     .blocks = 16,
     .threadRegisters = 63,
     .sharedBytes = 48 * kKilo,
     .blockSharedBytes = 48 * kKilo,
     .sharedUnit = 256},
    {.name = "p100",
     .capability = "sm_60",
     .title = "Tesla P100",
     .multiprocessors = 56,
     .lanes = 64,
     .clock = 1.48e9,
     .warps = 64,
     .blocks = 32,
     .warpUnit = 2,
     .sharedBytes = 64 * kKilo,
     .blockSharedBytes = 48 * kKilo,
     .sharedUnit = 256},
    {.name = "v100",
     .capability = "sm_70",
     .title = "Tesla V100",
     .multiprocessors = 80,
     .lanes = 64,
     .clock = 1.53e9,
     .warps = 64,
     .blocks = 32,
     .sharedBytes = 96 * kKilo,
     .blockSharedBytes = 96 * kKilo,
     .sharedUnit = 256},
    {.name = "t4",
     .capability = "sm_75",
     .title = "Tesla T4",
     .multiprocessors = 40,
     .lanes = 64,
     .clock = 1.59e9,
     .warps = 32,
     .blocks = 16,
     .sharedBytes = 64 * kKilo,
     .blockSharedBytes = 64 * kKilo,
     .sharedUnit = 256},
    {.name = "a100",
     .capability = "sm_80",
     .title = "A100",
     .multiprocessors = 108,
     .lanes = 64,
     .clock = 1.41e9,
     .warps = 64,
     .blocks = 32,
     .sharedBytes = 164 * kKilo,
     .blockSharedBytes = 163 * kKilo,
     .reservedShared = kKilo},
    {.name = "rtx-3090",
     .capability = "sm_86",
     .title = "GeForce RTX 3090",
     .multiprocessors = 82,
     .lanes = 128,
     .clock = 1.695e9,
     .warps = 48,
     .blocks = 16,
     .sharedBytes = 100 * kKilo,
     .blockSharedBytes = 99 * kKilo,
     .reservedShared = kKilo},
    {.name = "rtx-4090",
     .capability = "sm_89",
     .title = "GeForce RTX 4090",
     .multiprocessors = 128,
     .lanes = 128,
     .clock = 2.52e9,
     .warps = 48,
     .blocks = 24,
     .sharedBytes = 100 * kKilo,
     .blockSharedBytes = 99 * kKilo,
     .reservedShared = kKilo},
    {.name = "h100",
     .capability = "sm_90",
     .title = "H100 SXM",
     .multiprocessors = 132,
     .lanes = 128,
     .clock = 1.98e9,
     .warps = 64,
     .blocks = 32,
     .sharedBytes = 228 * kKilo,
     .blockSharedBytes = 227 * kKilo,
     .reservedShared = kKilo},
    {.name = "h200",
     .capability = "sm_90",
     .title = "H200",
     .multiprocessors = 132,
     .lanes = 128,
     .clock = 1.98e9,
     .warps = 64,
     .blocks = 32,
     .sharedBytes = 228 * kKilo,
     .blockSharedBytes = 227 * kKilo,
     .reservedShared = kKilo},
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
