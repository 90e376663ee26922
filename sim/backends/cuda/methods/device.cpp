// Detection of CUDA devices, with reasons that state a fix.
#include "sim/backends/cuda/methods/device.h"

#include "sim/backends/cuda/kernels/force.h"
#include "sim/core/names.h"
#include "sim/core/text.h"

#include <algorithm>
#include <utility>

namespace gravlab::cuda {
namespace {

std::string versionText(int version) { return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10); }

/// The oldest driver that runs a program of this toolkit.
std::string neededDriver(int runtime) {
    const int major = runtime / 1000;
    return (major <= 12 ? "525" : "580") + std::string(" or later for CUDA ") + std::to_string(major);
}

/// Empty when there is a driver that is new enough.
Reason whyNoDriver() {
    int driver = 0, runtime = 0;
    driverVersion(driver);
    runtimeVersion(runtime);
    takeLastError();
    if (driver == 0) return "no NVIDIA driver is installed; install one (" + neededDriver(runtime) + ")";
    if (driver / 1000 < runtime / 1000)
        return "the NVIDIA driver is too old: it knows CUDA " + versionText(driver) + ", this build needs CUDA " +
               versionText(runtime) + "; update the driver (" + neededDriver(runtime) + ")";
    return {};
}

Reason whyNoCount(int& count) {
    const Code code = deviceCount(count);
    takeLastError();
    if (code == kInsufficientDriver)
        if (Reason reason = whyNoDriver(); !reason.empty()) return reason;
    if (code != kSuccess) return errorSentence(code);
    return count == 0 ? errorSentence(kNoDevice) : Reason();
}

}  // namespace

Reason whyNotDevice(int index) {
    int count = 0;
    if (Reason reason = whyNoCount(count); !reason.empty()) return reason;
    if (index < 0 || index >= count)
        return "there is no CUDA device " + std::to_string(index) + ": valid are 0 to " + std::to_string(count - 1);
    DeviceFacts device;
    Code code = deviceFacts(index, device);
    if (code == kSuccess) code = setDevice(index);
    KernelFacts kernel;
    // This is the first call that needs a context and machine code for this device.
    if (code == kSuccess) code = kernelFacts(kernel, globalKernel(1).address);
    if (code == kSuccess) return {};
    takeLastError();
    Reason reason = device.name + ": " + errorSentence(code);
    if (code == kNoKernelImage)
        reason += "; here -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(device.major) + std::to_string(device.minor);
    return reason;
}

std::string deviceText(const DeviceFacts& facts) {
    return formatted("%s, %d multiprocessors, sm_%d%d, %.1f GiB", facts.name.c_str(), facts.multiprocessors, facts.major,
                     facts.minor, static_cast<double>(facts.memoryBytes) / (1 << 30));
}

/// "; NVLink to 1 and 2; no direct way to 3": how the device reaches the others.
std::string linksText(int index, int count) {
    static constexpr std::pair<PeerLink, const char*> kWays[] = {
        {PeerLink::nvlink, "NVLink to "}, {PeerLink::pcie, "PCIe to "}, {PeerLink::none, "no direct way to "}};
    std::string text;
    for (const auto& [link, words] : kWays) {
        std::string others;
        for (int other = 0; other < count; ++other)
            if (other != index && peerLink(index, other) == link) addTo(others, std::to_string(other), " and ");
        if (!others.empty()) text += std::string("; ") + words + others;
    }
    return text;
}

std::string deviceList() {
    int count = 0;
    if (const Reason reason = whyNoCount(count); !reason.empty()) return "none: " + reason;
    std::string text;
    for (int index = 0; index < count; ++index) {
        DeviceFacts facts;
        const Code code = deviceFacts(index, facts);
        takeLastError();
        text += (index ? "\n" : "") + std::to_string(index) + ": ";
        text += code == kSuccess ? deviceText(facts) + linksText(index, count) : errorSentence(code);
    }
    return text;
}

int lanesPerMultiprocessor(const DeviceFacts& facts) {
    // A multiprocessor has 64 lanes on the P100, Volta, Turing and the A100, and 128 on all others that CUDA 12 and 13 know.
    const bool half = facts.major == 7 || ((facts.major == 6 || facts.major == 8) && facts.minor == 0);
    return half ? 64 : 128;
}

DevicePeaks peaksOf(const DeviceFacts& facts) {
    // Inverse roots a clock and multiprocessor, by the table of arithmetic throughput in the CUDA C++ Programming Guide.
    const bool doubled = facts.major == 5 || (facts.major == 6 && facts.minor != 0) || facts.major == 3;
    const double cycles = 1e3 * facts.clockKHz * facts.multiprocessors;
    return {.multiplyAdds = cycles * lanesPerMultiprocessor(facts),
            .inverseRoots = cycles * (doubled ? 32 : 16),
            .bandwidth = 2 * 1e3 * facts.memoryKHz * facts.memoryBits / 8};
}

double expectedPairRate(const DeviceFacts& facts, double threads) {
    const double filled = std::min(1.0, threads / (1024.0 * facts.multiprocessors));
    const double clock = facts.clockKHz > 0 ? 1e3 * facts.clockKHz : 1.5e9;
    return std::max(1e9, 0.04 * lanesPerMultiprocessor(facts) * facts.multiprocessors * clock * filled);
}

}  // namespace gravlab::cuda
