// The clock of frames: what passes between two of them, for cameras, rates and pauses. Never for the simulation, which
// counts steps.
#pragma once

namespace gravlab {

/// Seconds on a clock that never goes back; it may jump ahead when the machine was asleep.
double hostClock();

/// What hostClock() asks. A test puts its own in, and puts this one back.
using HostClockSource = double (*)();
HostClockSource& hostClockSource();

}  // namespace gravlab
