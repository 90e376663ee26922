// Facts from the runtime and, where it is installed, from the management library of the driver, which is opened by name so
// that nothing depends on it.
#include "sim/backends/cuda/methods/launch_plan.h"

#include "sim/backends/cuda/methods/device.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace gravlab::cuda {
namespace {

/// The few functions of libnvidia-ml that are needed: https://docs.nvidia.com/deploy/nvml-api.
class Management {
public:
    using Device = void*;
    static const Management& instance() {
        static const Management loaded;
        return loaded;
    }
    std::string driver() const {
        std::array<char, 80> text{};
        const bool known = driverVersion_ && driverVersion_(text.data(), static_cast<unsigned>(text.size())) == 0;
        return known ? text.data() : "";
    }
    /// Present clock of the multiprocessors [1/s].
    double clock(const std::string& pciBus) const {
        constexpr int kMultiprocessors = 1;
        Device device = nullptr;
        unsigned megahertz = 0;
        const bool known =
            byBus_ && clock_ && byBus_(pciBus.c_str(), &device) == 0 && clock_(device, kMultiprocessors, &megahertz) == 0;
        return known ? 1e6 * megahertz : 0;
    }

private:
    Management() {
        void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        if (!library) return;
        const auto load = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        };
        int (*start)() = nullptr;
        load(start, "nvmlInit_v2");
        if (!start || start() != 0) return;
        load(driverVersion_, "nvmlSystemGetDriverVersion");
        load(byBus_, "nvmlDeviceGetHandleByPciBusId_v2");
        load(clock_, "nvmlDeviceGetClockInfo");
    }
    int (*driverVersion_)(char*, unsigned) = nullptr;
    int (*byBus_)(const char*, Device*) = nullptr;
    int (*clock_)(Device, int, unsigned*) = nullptr;
};

std::string driverText() {
    const std::string text = Management::instance().driver();
    if (!text.empty()) return text;
    int version = 0;
    if (driverVersion(version) != kSuccess) takeLastError();
    return "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The grid of one launch on all bodies, or of one round, and the bodies that its blocks read from memory.
struct Geometry {
    int blocks = 0, ranges = 1, threads = 0;
    double memoryBytes = 0;
};
Geometry geometryOf(const LaunchPlan& plan, std::size_t bodies, const DeviceFacts& device) {
    const LaunchConfig& launch = plan.launch;
    const bool doubles = plan.precision == Precision::fp64;
    const double body = doubles ? 32.0 : 16.0;
    if (bodies == 0 || launch.block < 1) return {0, 1, launch.block, 0};
    if (const MethodCode* own = plan.entry->own())
        return {own->blocks
                    ? static_cast<int>(own->blocks(bodies, device.multiprocessors, static_cast<unsigned>(launch.block)))
                    : 0,
                1, launch.block, 0};
    if (plan.entry->symmetric()) {
        const TilePartition partition = tilePartition(static_cast<std::uint32_t>(bodies), 32 * launch.bodiesPerThread);
        const int partners = std::min(partition.range, partition.round);
        const int units = partition.tiles * ((partners + partition.chunk - 1) / partition.chunk + 1);
        // A warp reads its tile once and each partner of its chunks once.
        const int warps = launch.block / 32;
        return {(units + warps - 1) / warps, 1, launch.block,
                body * partition.tiles * (static_cast<double>(partition.range) + partition.tile)};
    }
    const double sources = static_cast<double>(plan.sources.among(bodies));
    if (plan.entry->manySteps()) {
        const ManyStepsPartition partition = manyStepsPartition(bodies, device.multiprocessors, launch.block / 32);
        // The warps of a block that share targets read the sources once together, through the second-level cache.
        const double groups = static_cast<double>(partition.blocks) * partition.targets / kManyStepsBodies;
        return {partition.blocks, 1, partition.threads(), body * groups * sources};
    }
    if (const LoadedCode* code = plan.entry->loaded()) {  // its reads are unknown: only its source states them
        const auto targets = static_cast<std::size_t>(launch.block) * static_cast<std::size_t>(launch.bodiesPerThread);
        return {static_cast<int>((bodies + targets - 1) / targets), static_cast<int>(code->split), launch.block, 0};
    }
    const OneSidedCode& code = *plan.entry->oneSided();
    const std::size_t targets = code.targets(launch);
    const int blocks = static_cast<int>((bodies + targets - 1) / targets);
    // With tiles every block reads all sources once; without, every warp does.
    const bool byBlock = code.tiles || code.ownTile || code.pairsOfThreads;
    const double readers = byBlock ? blocks : static_cast<double>(blocks) * ((launch.block + 31) / 32);
    return {blocks, code.splitsInBlock ? 1 : launch.split, code.threads(launch), body * readers * sources};
}

std::size_t sharedBytes(const LaunchPlan& plan, std::size_t bodies, const DeviceFacts& device) {
    if (plan.entry->manySteps())
        return manyStepsPartition(bodies, device.multiprocessors, plan.launch.block / 32).sharedBytes();
    if (const LoadedCode* code = plan.entry->loaded()) return code->sharedBytes;
    const std::size_t realBytes = plan.precision == Precision::fp64 ? sizeof(double) : sizeof(float);
    return plan.entry->oneSided() ? plan.entry->oneSided()->sharedBytes(plan.launch, realBytes) : 0;
}

}  // namespace

LaunchFacts launchFacts(const LaunchPlan& plan, std::size_t bodies, const DeviceFacts& device) {
    const LaunchConfig& launch = plan.launch;
    LaunchFacts facts;
    facts.device = device.name;
    static const std::string driver = driverText();
    facts.driver = driver;
    facts.multiprocessors = device.multiprocessors;
    facts.lanesPerMultiprocessor = lanesPerMultiprocessor(device);
    facts.warpsPerMultiprocessor = device.warpsPerMultiprocessor;
    facts.highestClock = 1e3 * device.clockKHz;
    facts.clockNow = Management::instance().clock(device.pciBus);
    facts.threads = launch.block;
    facts.residentBlocks = plan.residentBlocks;
    KernelFacts kernel;
    if (kernelFacts(kernel, plan.machineCode) == kSuccess) {
        facts.registers = kernel.registers;
        facts.localBytes = kernel.localBytes;
        facts.sharedBytes = kernel.sharedBytes + sharedBytes(plan, bodies, device);
    } else {
        takeLastError();
    }
    const Geometry geometry = geometryOf(plan, bodies, device);
    facts.gridX = geometry.blocks;
    facts.gridY = geometry.ranges;
    facts.threads = geometry.threads;
    facts.memoryBytes = geometry.memoryBytes;
    return facts;
}

}  // namespace gravlab::cuda
