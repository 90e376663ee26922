// What a change of settings invalidates in the display of the same bodies. Rule: only that is dropped.
#pragma once
#include "sim/run/configuration.h"

namespace gravlab {

/// Trails are never among them: past positions stay true as long as the bodies are the same.
struct StaleParts {
    bool vertices = false;  ///< another backend has written none yet, or the values that their colours show have changed
    bool rates = false;     ///< rates of interactions and steps: another kernel computes, or the cost of a step has changed
};

/// Compares two configurations in force, of one run. A time step changes neither flag; softening and the numbers of a law
/// change values, not rates.
inline StaleParts staleAfter(const RunConfiguration& before, const RunConfiguration& now) {
    const bool backend = now.backend != before.backend || now.backendOptions != before.backendOptions;
    const bool computes = backend || now.force.precision != before.force.precision || now.force.law != before.force.law;
    return {.vertices = backend || now.force != before.force,
            .rates = computes || now.kernel != before.kernel || now.tuning != before.tuning ||
                     now.integrator != before.integrator};
}

}  // namespace gravlab
