#include "app/services/stale_parts.h"

#include "sim/forces/law_numbers.h"

#include <algorithm>

namespace gravlab {

StaleParts staleAfter(const SimulationSettings& before, const SimulationSettings& now) {
    const bool backend = now.backend != before.backend || now.backendOptions != before.backendOptions;
    const auto numbers = lawNumbers();
    const bool field = now.law != before.law || now.softening != before.softening ||
                       std::any_of(numbers.begin(), numbers.end(),
                                   [&](const LawNumber& number) { return now.*number.asked != before.*number.asked; });
    return {.vertices = backend || field || now.precision != before.precision,
            .rates = backend || now.kernel != before.kernel || now.tuning != before.tuning ||
                     now.precision != before.precision || now.law != before.law || now.integrator != before.integrator};
}

}  // namespace gravlab
