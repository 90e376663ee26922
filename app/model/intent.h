// What the user wants of the runs. Rule: plain data; it becomes action at one place, once a frame.
#pragma once
#include "app/model/twin_choice.h"
#include "sim/run/configuration.h"

namespace gravlab {

/// What the user wants; edited by commands and the command line, applied at one place.
struct Intent {
    RunRequest request;
    /// Simulated time a second of watching [T/s]; 0: stepsPerFrame says how far a frame goes.
    double speed = 0;
    int stepsPerFrame = 1;
    double timeBudgetMs = 0;  ///< computing time of steps in a frame; 0: what the picture leaves
    bool paused = false;
    int singleSteps = 0;  ///< steps still to make while paused
    TwinChoice twin;
    bool operator==(const Intent&) const = default;
};

}  // namespace gravlab
