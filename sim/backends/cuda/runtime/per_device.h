// What exists once on each device, whichever backend asks first. Rule: events, streams and memory belong to one device.
#pragma once
#include <map>
#include <mutex>

namespace gravlab::cuda {

/// Made when it is first asked for, on the current device, which must be `device`; kept to the end of the program. Any
/// thread.
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
