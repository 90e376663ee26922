// Facts from the runtime and, where it is installed, from the management library of the driver, which is opened by name so
// that nothing depends on it.
#include "sim/cuda/launch_facts.h"

#include "sim/cuda/device.h"

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
    /// Of the multiprocessors, now [1/s].
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

}  // namespace

LaunchFacts launchFacts(const Choice& choice, std::size_t bodies, const DeviceFacts& device) {
    const LaunchConfig& launch = choice.launch;
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
    facts.residentBlocks = choice.residentBlocks;
    KernelFacts kernel;
    if (kernelFacts(kernel, choice.kernel) == kSuccess) {
        facts.registers = kernel.registers;
        facts.localBytes = kernel.localBytes;
        facts.sharedBytes = kernel.sharedBytes + sharedBytes(launch);
    } else {
        takeLastError();
    }
    if (choice.row->shape != WorkShape::targets || launch.block < 1) return facts;
    const std::size_t targets = static_cast<std::size_t>(launch.block) * static_cast<std::size_t>(launch.bodiesPerThread);
    facts.gridX = static_cast<int>((bodies + targets - 1) / targets);
    facts.gridY = launch.split;
    // Every block reads all its sources once, 16 bytes a body; the parts of a split read them together.
    facts.memoryBytes = 16.0 * facts.gridX * static_cast<double>(bodies);
    return facts;
}

}  // namespace gravlab::cuda
