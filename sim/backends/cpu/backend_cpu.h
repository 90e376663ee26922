// The CPU backend as the table of backends sees it.
#pragma once
#include "sim/backends/backend.h"

namespace gravlab {

/// The row of the CPU backend: SIMD chosen at run time, a persistent pool of threads.
BackendRow cpuBackendRow();

}  // namespace gravlab
