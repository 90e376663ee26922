#include "sim/measure/body_energy.h"

#include "sim/core/body_edit.h"
#include "sim/forces/law.h"

namespace gravlab {

double specificEnergy(const ParticleSet& bodies, std::size_t index, const ForceTerms& terms, double response) {
    const ForceSettings& force = pairLawOf(terms);
    const Vec3d x = xyz(bodies.position[index]), v = xyz(bodies.velocity[index]);
    const bool atZero = finiteAtZero(force), held = isHeld(bodies.velocity[index]);
    const double field = withLaw<double>(force, [&](const auto& law) {
        double sum = 0;
        for (std::size_t j = 0; j < bodies.size(); ++j) {
            const Vec3d away = xyz(bodies.position[j]) - x;
            const double squared = dot(away, away);
            if (j != index && (squared > 0 || atZero)) sum += bodies.position[j].w * law.potential(squared);
        }
        return sum;
    });
    const double answers = held ? response : bodies.velocity[index].w, source = bodies.position[index].w;
    double energy = 0.5 * dot(v, v) + answers * field;
    // A term's energy is over the inertia that its force is over; a body without one feels nothing of it.
    if (source != 0)
        for (const auto& term : othersOf(terms)) energy += answers / source * term->potentialOf(termBodies(bodies), index);
    return energy;
}

bool isBound(double specificEnergy, const ForceSettings& force) {
    return lawRow(force.law).confines(force) || specificEnergy < 0;
}

}  // namespace gravlab
