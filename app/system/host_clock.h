// The clock of the host: the time between two frames, for cameras, rates and pauses, and the duration of measurements. Never
// for the simulation, which counts steps.
#pragma once

namespace gravlab {

/// Seconds on a clock that never runs back; it may jump ahead after the machine slept.
double hostClock();

/// The source of hostClock(). A test sets its own, and restores this one.
using HostClockSource = double (*)();
HostClockSource& hostClockSource();

}  // namespace gravlab
