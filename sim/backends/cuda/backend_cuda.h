// The CUDA backend as the table of backends sees it. Includes no CUDA header.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/device_size.h"

namespace gravlab {

/// The row of the CUDA backend, in every build: without CUDA it says why it cannot run.
BackendRow cudaBackendRow();

/// Bytes of device memory that a run of `bodies` bodies needs, without the extra arrays of pair kernels; 0 in builds
/// without CUDA. `sources`: see memoryNeed().
double cudaBytes(std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel, bool inBlocks,
                 std::size_t sources);
/// Free bytes of device memory; infinite where the device does not report them.
double freeCudaBytes(int device);
/// Size of the device; zeros where there is none.
DeviceSize cudaDeviceSize(int device);

/// The row with the fields that are the same in every build, and with these functions.
inline BackendRow cudaBackendRow(decltype(BackendRow::unavailable) unavailable, decltype(BackendRow::make) make,
                                 decltype(BackendRow::devices) devices) {
    return {.name = "cuda",
            .idea = "NVIDIA GPU: tiles in shared memory, vertices stored straight into the picture",
            .unavailable = unavailable,
            .make = make,
            .devices = devices,
            .onDevice = true,
            .mostStudied = 1048576};
}

}  // namespace gravlab
