#include "sim/measure/body_energy.h"

#include "sim/core/body_edit.h"
#include "sim/forces/law.h"

namespace gravlab {

double specificEnergy(const ParticleSet& bodies, std::size_t index, const ForceSettings& force, double response) {
    const Double4 &x = bodies.position[index], &v = bodies.velocity[index];
    const bool finiteAtZero = force.softening > 0 || force.law == Law::lennardJones;
    const double field = withLaw<double>(force, [&](const auto& law) {
        double sum = 0;
        for (std::size_t j = 0; j < bodies.size(); ++j) {
            const Double4& y = bodies.position[j];
            const double dx = y.x - x.x, dy = y.y - x.y, dz = y.z - x.z;
            const double squared = dx * dx + dy * dy + dz * dz;
            if (j != index && (squared > 0 || finiteAtZero)) sum += y.w * law.potential(squared);
        }
        return sum;
    });
    return 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z) + (isHeld(v) ? response : v.w) * field;
}

bool isBound(double specificEnergy, const ForceSettings& force) {
    const bool growing = force.law == Law::powerLaw && force.exponent <= 1 && force.strength > 0;
    return growing || specificEnergy < 0;
}

}  // namespace gravlab
