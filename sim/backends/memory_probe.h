// Times of the memories of a device: latency of a read from each level, reads at strides, and ways between host and device.
// Rule: a probe uses its own memory and no bodies, and a call of measure() fits into a frame.
#pragma once
#include "sim/api/vectors.h"
#include "sim/backends/backend.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gravlab {

/// Time until a dependent instruction can use a result.
struct MemoryLatency {
    std::string_view from;
    double nanoseconds = 0;
    double clocks = 0;  ///< of the device's clock; 0: not known
};
/// Reads of fp32 numbers that lie `stride` numbers apart, by neighbouring lanes.
struct StridedRead {
    int stride = 1;
    double units = 0;              ///< pieces of memory that 32 neighbouring reads need
    double useful = 0, moved = 0;  ///< requested numbers, and whole pieces [bytes/s]
};
/// The pass that copies memory of a device to itself: bytes read and written.
constexpr std::string_view kDeviceCopy = "copy within device memory, read and written";
/// A pass over memory or a copy of it.
struct MemoryPass {
    std::string_view what;
    double bytes = 0, seconds = 0;
};
struct MemoryTimes {
    std::string device;
    int unitBytes = 0;  ///< smallest piece that is read from memory: a sector of a GPU, a cache line of a CPU [bytes]
    std::vector<MemoryLatency> latencies;
    std::vector<StridedRead> strides;
    std::vector<MemoryPass> passes;
};

/// Measures one row a call.
class MemoryProbe {
public:
    virtual ~MemoryProbe() = default;
    /// Adds the next row to `times`; false: all rows are there. Waits for the device. Throws DeviceError.
    virtual bool measure(MemoryTimes& times) = 0;
    virtual std::size_t rows() const = 0;
};

/// Throws NoDeviceError, and UsageError for a backend without a probe.
std::unique_ptr<MemoryProbe> memoryProbe(std::string_view backend, const BackendOptions& options);

constexpr int kStrides[] = {1, 2, 3, 4, 8, 16, 32};
constexpr std::uint64_t kStridedLanes = 32;
/// Pieces of `unitBytes` bytes that 32 fp32 numbers touch, `stride` numbers apart, where the first begins a piece.
int unitsOfStride(int stride, int unitBytes);
/// A pass over `bytes` bytes at that stride.
StridedRead stridedRead(int stride, int unitBytes, std::size_t bytes, double seconds);

/// The place after `at` in a ring through all `count` places, a power of two, in an order that no prefetcher follows: a
/// linear congruential generator of full period. Hull & Dobell 1962, SIAM Rev. 4, 230.
GRAVLAB_HOST_DEVICE std::uint64_t nextInRing(std::uint64_t at, std::uint64_t count) {
    return (at * 1664525 + 1013904223) & (count - 1);
}

// memory_probe.cpp joins them.
std::unique_ptr<MemoryProbe> cpuMemoryProbe(const BackendOptions& options);
std::unique_ptr<MemoryProbe> cudaMemoryProbe(const BackendOptions& options);

}  // namespace gravlab
