// How large a device is, as its driver describes it. Nothing is measured: the same device gives the same answer each time.
#pragma once
#include "sim/backends/backend.h"

namespace gravlab {

struct DeviceSize {
    int multiprocessors = 0;
    double bandwidth = 0;  ///< of its memory: two transfers per clock over the whole bus [bytes/s]; 0: not known
};

/// Size of the device that the options name; zeros for a CPU, and where there is no such device.
DeviceSize deviceSize(const BackendRow& row, const BackendOptions& options);

}  // namespace gravlab
