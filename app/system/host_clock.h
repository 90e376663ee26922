// The clock of the host: what passes between two frames, for cameras, rates and pauses, and what measurements take. Never
// for the simulation, which counts steps.
#pragma once

namespace gravlab {

/// Seconds on a clock that never goes back; it may jump ahead when the machine was asleep.
double hostClock();

/// What hostClock() asks. A test puts its own in, and puts this one back.
using HostClockSource = double (*)();
HostClockSource& hostClockSource();

}  // namespace gravlab
