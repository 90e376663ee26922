// Runs a sweep for the command line: a progress line, Ctrl-C, and one sentence for each point without a rate.
#pragma once
#include "app/bench/sweep.h"

namespace gravlab {
/// Runs the sweep to its end. Throws Error with exit code 130 or 143 on an interrupt, and checkFailed when no point gave a
/// rate. True when every launchable point passed its check.
bool measureAll(Sweep& sweep);
}  // namespace gravlab
