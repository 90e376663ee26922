// The CUDA backend as the table of backends sees it. Includes no CUDA header.
#pragma once
#include "sim/backends/backend.h"
#include "sim/backends/device_size.h"

namespace gravlab {

/// The row of the CUDA backend, in every build: without CUDA it says why it cannot run.
BackendRow cudaBackendRow();

/// Bytes of device memory that a run takes for so many bodies, without what kernels of pairs need besides; 0 in builds
/// without CUDA.
double cudaBytes(std::size_t bodies, const ForceSettings& force, const KernelChoice& kernel, bool inBlocks);
/// Of that device; infinite where it does not tell.
double freeCudaBytes(int device);
/// Of that device; zeros where there is none.
DeviceSize cudaDeviceSize(int device);

/// What is in it in every build, and these.
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
