// Launches, copies and memory of the process on CUDA devices, for tables that compare two builds. Read it twice and
// subtract.
#pragma once
#include <cstdint>

namespace gravlab {

/// Zero in builds without CUDA. Launches within CUB (sorts, selections) are not counted.
struct DeviceUse {
    std::int64_t launches = 0;
    std::int64_t copies = 0;  ///< copies and fills
    double bytes = 0;         ///< device memory held now
};
DeviceUse deviceUse();

}  // namespace gravlab
