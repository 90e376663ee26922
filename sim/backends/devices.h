// The backend on a device, as the tables of backends see it. backends/cuda defines it, and without_cuda.cpp in builds that
// compile nothing of that folder.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/exchange.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gravlab {

/// "0", or "0,1,2" with helpers.
std::string devicesText(const BackendOptions& options);
/// Sets the devices to those of such a text, or of "all", which names every CUDA device here. False, and nothing has
/// changed: it is no list of devices.
bool takeDevices(BackendOptions& options, std::string_view text);
/// Largest device index, and most devices of a list.
constexpr int kLastDevice = 1023, kMostDevices = 64;

/// How large a device is, as its driver describes it. Nothing is measured: the same device gives the same answer each time.
struct DeviceSize {
    int multiprocessors = 0;
    double bandwidth = 0;  ///< of its memory: two transfers per clock over the whole bus [bytes/s]; 0: not known
};
/// Size of the device that the options name; zeros for a CPU, and where there is no such device.
DeviceSize deviceSize(const BackendRow& row, const BackendOptions& options);

/// Launches, copies and memory of the process on devices, for tables that compare two builds. Read it twice and subtract.
/// Zero in builds without CUDA. Launches within CUB (sorts, selections) are not counted.
struct DeviceUse {
    std::int64_t launches = 0;
    std::int64_t copies = 0;  ///< copies and fills
    double bytes = 0;         ///< device memory held now
};
DeviceUse deviceUse();

/// Free bytes of device memory; infinite where the device does not report them.
double freeCudaBytes(int device);
/// A rank's helper on a device of its host, by the place of the rank on its host and the order of rank 0's backend. Throws
/// NoDeviceError.
std::unique_ptr<Helper> deviceHelper(std::size_t part, int place, MessageReader order, Transfers& beside);
/// Size of the device; zeros where there is none.
DeviceSize cudaDeviceSize(int device);

}  // namespace gravlab
