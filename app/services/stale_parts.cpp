#include "app/services/stale_parts.h"

namespace gravlab {

StaleParts staleAfter(const RunConfiguration& before, const RunConfiguration& now) {
    const bool backend = now.backend != before.backend || now.backendOptions != before.backendOptions;
    const bool computes = backend || now.force.precision != before.force.precision || now.force.law != before.force.law;
    return {.vertices = backend || now.force != before.force,
            .rates = computes || now.kernel != before.kernel || now.tuning != before.tuning ||
                     now.integrator != before.integrator};
}

}  // namespace gravlab
