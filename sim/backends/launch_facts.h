// Facts of a backend's launch: the numbers behind a rate. They are plain data, for panels, records and caches.
#pragma once
#include <cstddef>
#include <string>

namespace gravlab {

/// Facts of one device and one launch of the force kernel on all bodies. 0 or empty: not known, or not applicable.
struct LaunchFacts {
    std::string device{};  ///< name of the device or instruction set
    std::string driver{};  ///< version of the driver; empty on a CPU

    // Of devices with multiprocessors.
    int multiprocessors = 0;
    int lanesPerMultiprocessor = 0;  ///< fp32 instructions issued per clock and multiprocessor, all lanes counted
    int warpsPerMultiprocessor = 0;  ///< most resident warps
    double highestClock = 0;         ///< [1/s]
    double clockNow = 0;             ///< [1/s] at the time of the call
    int gridX = 0, gridY = 0;        ///< blocks; y: slices of the sources
    int threads = 0;                 ///< per block
    int residentBlocks = 0;          ///< on one multiprocessor
    int registers = 0;               ///< per thread
    std::size_t sharedBytes = 0;     ///< per block
    std::size_t localBytes = 0;      ///< per thread, spilled registers
    double memoryBytes = 0;          ///< bodies read from memory in one force evaluation

    std::string failure{};  ///< why the last launch did not run, for a row that continues as if it had

    // Of CPUs.
    int cpuThreads = 0;
    int vectorLanes = 0;  ///< fp32 bodies in one register

    int blocks() const { return gridX * gridY; }
    /// Rounds of resident blocks that the grid needs; the digits after the point say how full the last round is.
    double waves() const {
        const double atOnce = static_cast<double>(residentBlocks) * multiprocessors;
        return atOnce > 0 ? blocks() / atOnce : 0;
    }
    /// Fraction of the device that the last round keeps busy, 0..1.
    double lastWave() const {
        const double all = waves(), part = all - static_cast<double>(static_cast<long long>(all));
        return all <= 0 ? 0 : part > 0 ? part : 1;
    }
    /// Resident warps over the most that can be resident, 0..1.
    double occupancy() const {
        const int warps = (threads + 31) / 32 * residentBlocks;
        return warpsPerMultiprocessor > 0 ? static_cast<double>(warps) / warpsPerMultiprocessor : 0;
    }
    bool operator==(const LaunchFacts&) const = default;
};

/// Highest rates of a device, each with nothing else to do. 0: not known.
struct DevicePeaks {
    double multiplyAdds = 0;  ///< fp32 [1/s]
    double inverseRoots = 0;  ///< fp32, estimates of the unit for special functions [1/s]
    double bandwidth = 0;     ///< read from memory [bytes/s]
    bool measured = false;    ///< measured by small loops; else units x clock, as the device reports them
};

}  // namespace gravlab
