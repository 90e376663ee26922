// A sweep from the command line: a progress line, Ctrl-C, and one sentence for each point that gave no rate.
#pragma once
#include "app/lab/sweep.h"

#include <span>

namespace gravlab {

/// Runs it to its end. Throws Error with exit code 130 or 143 on an interrupt, and checkFailed when no point gave a rate.
/// True when every point that could be launched passed its check.
bool measureAll(Sweep& sweep);

/// Names the points that were left out, and says whether all others are right. Throws where none was measured.
bool allRight(std::span<const SweepResult> results);

}  // namespace gravlab
