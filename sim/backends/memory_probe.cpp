#include "sim/backends/memory_probe.h"

#include "sim/api/errors.h"

namespace gravlab {

std::unique_ptr<MemoryProbe> memoryProbe(std::string_view name, const BackendOptions& options) {
    const BackendRow& row = backend(name);
    if (const Reason reason = row.unavailable(options); !reason.empty())
        throw NoDeviceError("the memories of the " + std::string(name) + " backend cannot be timed: " + reason);
    if (row.onDevice) return cudaMemoryProbe(options);
    if (row.usesCores) return cpuMemoryProbe(options);
    throw UsageError("the " + std::string(name) + " backend has no times of memories; take --backend " +
                     std::string(hostBackend().name) + " or " + std::string(deviceBackend().name));
}

int unitsOfStride(int stride, int unitBytes) {
    int units = 0, last = -1;
    for (int lane = 0; lane < static_cast<int>(kStridedLanes); ++lane) {
        const int unit = lane * stride * static_cast<int>(sizeof(float)) / unitBytes;
        units += unit != last;
        last = unit;
    }
    return units;
}

StridedRead stridedRead(int stride, int unitBytes, std::size_t bytes, double seconds) {
    const double reads = static_cast<double>(bytes / sizeof(float) / static_cast<unsigned>(stride));
    const double units = unitsOfStride(stride, unitBytes);
    return {stride, units, reads * sizeof(float) / seconds,
            reads / static_cast<double>(kStridedLanes) * units * unitBytes / seconds};
}

}  // namespace gravlab
