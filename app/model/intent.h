// The user's wishes for the runs. Rule: plain data; one place turns it into action, once a frame.
#pragma once
#include "app/model/twin_choice.h"
#include "sim/run/configuration.h"

namespace gravlab {

/// The user's wishes; commands and the command line edit them, one place applies them.
struct Intent {
    RunRequest request;
    /// Simulated time per second of watching [T/s]; 0: stepsPerFrame determines the pace.
    double speed = 0;
    int stepsPerFrame = 1;
    double timeBudgetMs = 0;  ///< computing time of steps per frame; 0: the time that drawing leaves
    bool paused = false;
    int singleSteps = 0;  ///< steps to make while paused
    TwinChoice twin;
    bool operator==(const Intent&) const = default;
};

}  // namespace gravlab
