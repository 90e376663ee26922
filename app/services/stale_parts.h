// What a change of settings makes wrong of what is shown of the same bodies. Rule: only that is dropped.
#pragma once
#include "sim/run/configuration.h"

namespace gravlab {

/// Trails are never among them: where bodies have been stays true as long as they are the same bodies.
struct StaleParts {
    bool vertices = false;  ///< another backend has written none yet, or what their colours show has other values
    bool rates = false;     ///< of interactions and steps: something else computes, or a step costs something else
};

/// Both in force, of one run. A time step changes neither; softening and the numbers of a law change values, not rates.
StaleParts staleAfter(const RunConfiguration& before, const RunConfiguration& now);

}  // namespace gravlab
