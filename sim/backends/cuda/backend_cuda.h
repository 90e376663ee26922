// The CUDA backend as the table of backends sees it. Includes no CUDA header; exists only in builds with CUDA.
#pragma once
#include "sim/backends/backend.h"

namespace gravlab {

/// The row of the CUDA backend.
BackendRow cudaBackendRow();

}  // namespace gravlab
