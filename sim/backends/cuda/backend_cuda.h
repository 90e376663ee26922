// The CUDA backend as the table of backends sees it. Includes no CUDA header.
#pragma once
#include "sim/backends/backend.h"

namespace gravlab {

/// The row of the CUDA backend, in every build: without CUDA it says why it cannot run.
BackendRow cudaBackendRow();

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
