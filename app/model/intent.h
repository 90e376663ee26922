// What the user wants of the runs. Rule: plain data; it becomes action at one place, once a frame.
#pragma once
#include "app/model/twin_choice.h"
#include "sim/run/configuration.h"

#include <cstddef>
#include <optional>

namespace gravlab {

/// What to do to single bodies between two steps.
enum class EditRequest {
    none,
    remove,
    dropStar,
    undo,
    hold,   ///< the selected body stays where it is, or falls again from rest
    coast,  ///< the selected body goes straight on, or feels forces again
    aim,    ///< the selected body goes on with the velocity of VelocityArrow::order
    launch  ///< what Slingshot::order says
};

/// What the user wants; edited by commands and the command line, applied at one place.
struct Intent {
    RunRequest request;
    /// Simulated time a second of watching [T/s]; 0: stepsPerFrame says how far a frame goes.
    double speed = 0;
    int stepsPerFrame = 1;
    double timeBudgetMs = 0;  ///< computing time of steps in a frame; 0: what the picture leaves
    bool paused = false;
    int singleSteps = 0;  ///< steps still to make while paused
    bool reset = false;
    bool quit = false;
    EditRequest edit = EditRequest::none;
    std::optional<std::size_t> rewindTo;  ///< a mark of the history
    int rewindBy = 0;                     ///< marks to go back (below 0) or on
    TwinChoice twin;
    bool operator==(const Intent&) const = default;
};

}  // namespace gravlab
