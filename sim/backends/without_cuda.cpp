// The device's backend in a build without CUDA, in the place of all of backends/cuda: rows as a build with CUDA recorded
// them, and the reason why none of them can run. Rule: a name of a file, a rate or a lesson stays known in every build.
#include "sim/api/errors.h"
#include "sim/backends/devices.h"
#include "sim/backends/groups.h"
#include "sim/backends/kernel_rows.h"
#include "sim/backends/memory_need.h"
#include "sim/backends/memory_probe.h"
#include "sim/own/own_kernel.h"

#include <limits>

namespace gravlab {
namespace {

constexpr const char* kNoCuda = "this build has no CUDA";

Reason whyNotBuilt(const BackendOptions& = {}) {
    return std::string(kNoCuda) + ": install the CUDA toolkit and build again with -DGRAVLAB_CUDA=ON";
}

// The words of the record.
template <int... kValues>
constexpr int of[] = {kValues...};
constexpr KernelRow recorded(KernelRow row) {
    row.refuses = [](const KernelRow&, const ForceSettings&) { return Reason(kNoCuda); };
    return row;
}
double groupBytes(std::size_t bodies) { return 128.0 * static_cast<double>(bodies); }
#include "assets/cuda_rows.inl"

}  // namespace

BackendRow cudaBackendRow() {
    BackendRow row = kBackend;
    row.unavailable = whyNotBuilt;
    row.make = [](const BackendOptions&) -> std::unique_ptr<Backend> { throw NoDeviceError(whyNotBuilt()); };
    row.devices = [] { return "none: " + whyNotBuilt(); };
    return row;
}
std::unique_ptr<Helper> deviceHelper(std::size_t, int, MessageReader, Transfers&) { throw NoDeviceError(whyNotBuilt()); }
std::span<const KernelRow> cudaKernelRows() { return kKernels; }
std::span<const KernelRow> cudaTrapRows() { return kTraps; }
std::span<const GroupRow> cudaGroupRows() { return kGroups; }
std::span<const DepthRow> cudaDepthRows() { return kDepths; }
bool cuda::addTermMethods() {
    for (const KernelRow& row : kTermKernels) addKernel(row);
    return true;
}

MemoryRows cudaRows(const RunSize&) { return {}; }
bool mayKeepOneState(const RunSize&) { return false; }
double freeCudaBytes(int) { return std::numeric_limits<double>::infinity(); }
DeviceUse deviceUse() { return {}; }
DeviceSize cudaDeviceSize(int) { return {}; }
std::unique_ptr<MemoryProbe> cudaMemoryProbe(const BackendOptions&) { throw NoDeviceError(whyNotBuilt()); }

OwnDevice ownDevice(int) { return {.missing = kNoCuda}; }
const KernelRow& adoptOwnKernel(const std::string&, const OwnMachineCode&, const OwnLaunch&, std::size_t) {
    throw NoDeviceError(std::string(kNoCuda) + ", so that own kernels cannot run");
}
bool isOwnKernel(std::string_view) { return false; }

}  // namespace gravlab
