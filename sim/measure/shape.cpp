#include "sim/measure/shape.h"

#include "sim/core/particles.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace gravlab {

std::array<double, 3> lagrangianRadii(const ParticleSet& bodies) {
    const std::size_t n = bodies.size();
    std::vector<double> mass(n);
    Double4 centre{};
    for (std::size_t i = 0; i < n; ++i) {
        const Double4& x = bodies.position[i];
        mass[i] = std::abs(inertialMass(x, bodies.velocity[i]));
        centre.x += mass[i] * x.x;
        centre.y += mass[i] * x.y;
        centre.z += mass[i] * x.z;
        centre.w += mass[i];
    }
    std::array<double, 3> radii{};
    if (!(centre.w > 0)) return radii;
    std::vector<std::pair<double, double>> shells;  // distance from the centre, mass
    for (std::size_t i = 0; i < n; ++i) {
        const Double4& x = bodies.position[i];
        if (mass[i] > 0)
            shells.emplace_back(std::hypot(x.x - centre.x / centre.w, x.y - centre.y / centre.w, x.z - centre.z / centre.w),
                                mass[i]);
    }
    std::sort(shells.begin(), shells.end());
    double inside = 0;
    std::size_t share = 0;
    for (const auto& [radius, shell] : shells) {
        inside += shell;
        while (share < radii.size() && inside >= kLagrangianShares[share] * centre.w * (1 - 1e-12)) radii[share++] = radius;
    }
    return radii;
}

std::size_t firstNonFinite(const ParticleSet& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        if (!std::isfinite(x.x + x.y + x.z + v.x + v.y + v.z)) return i;
    }
    return bodies.size();
}

}  // namespace gravlab
