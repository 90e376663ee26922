// Further devices of a run: each computes parts of the forces of the first one, which holds the bodies. Rule: no host thread
// waits for another device, and no bit depends on their number.
#pragma once
#include "sim/backends/cuda/methods/force_method.h"
#include "sim/backends/cuda/runtime/memory.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gravlab::cuda {

/// A further device, with a stream of its own.
struct HelperDevice {
    DeviceFacts device;
    int first = 0;        ///< index of the first device
    bool direct = false;  ///< its kernels and copies reach the memory of the first device
    bool nvlink = false;
    bool test = false;  ///< a device has several parts, see repeatsDevice()
    std::string link;   ///< "over NVLink", "over PCIe", "through the host's memory"; empty on the first device
    OwnedStream stream;
};

/// Makes the helpers of device `first`, which is current before and after. Where devices cannot reach the memory of each
/// other, or GRAVLAB_NO_PEERS is 1, copies go through pinned memory. Throws NoDeviceError.
HelperDevices helperDevices(int first, std::span<const int> helpers);

/// ", helper 1 over NVLink"; empty without helpers.
std::string helpersText(const HelperDevices& helpers);

/// A method that divides the evaluations of `first` among its device and the helpers. `make` makes the method of a helper,
/// whose device is current. Throws DeviceError, which names the helper.
template <class Real>
MadeMethod<Real> makeDivided(MadeMethod<Real> first, const MethodParts& parts, const HelperDevices& helpers,
                             MadeMethod<Real> (*make)(const MethodParts&));

}  // namespace gravlab::cuda
