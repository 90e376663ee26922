// The clock of the host: the time between two frames, for cameras, rates and pauses, and the duration of measurements. Never
// for the simulation, which counts steps.
#pragma once
#include <chrono>

namespace gravlab {

/// The source of hostClock(). A test sets its own, and restores this one.
using HostClockSource = double (*)();
inline HostClockSource& hostClockSource() {
    static HostClockSource source = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    return source;
}

/// Seconds on a clock that never runs back; it may jump ahead after the machine slept.
inline double hostClock() { return hostClockSource()(); }

}  // namespace gravlab
