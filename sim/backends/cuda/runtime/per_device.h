// Objects that exist once on each device and are shared by all backends. Rule: events, streams and memory belong to one
// device.
#pragma once
#include <map>
#include <mutex>

namespace gravlab::cuda {

/// The object of a device. The first call makes it on the current device, which must be `device`; it lives to the end of the
/// program. Any thread may call.
template <class T>
class PerDevice {
public:
    T& of(int device) {
        const std::lock_guard hold(lock_);
        return made_[device];
    }

private:
    std::mutex lock_;
    std::map<int, T> made_;
};

}  // namespace gravlab::cuda
