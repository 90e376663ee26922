// The reference backend as the table of backends sees it.
#pragma once
#include "sim/backends/backend.h"

namespace gravlab {

/// The row of the reference backend: fp64, one thread, never unavailable.
BackendRow referenceBackendRow();

}  // namespace gravlab
