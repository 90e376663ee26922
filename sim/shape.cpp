#include "sim/shape.h"

#include "sim/inertia.h"
#include "sim/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace gravlab {

std::array<double, 3> lagrangianRadii(const ParticleSet& bodies) {
    const std::size_t n = bodies.size();
    std::vector<double> mass(n);
    Double4 centre{};
    for (std::size_t i = 0; i < n; ++i) {
        const Double4& x = bodies.position[i];
        mass[i] = std::abs(inertia(x, bodies.velocity[i]));
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

namespace {

struct Nearest {
    double squared = std::numeric_limits<double>::infinity();
    std::size_t index = 0;
};

Nearest nearestBefore(const ParticleSet& bodies, std::size_t i) {
    Nearest nearest;
    const Double4& at = bodies.position[i];
    for (std::size_t j = 0; j < i; ++j) {
        const Double4& x = bodies.position[j];
        const double dx = x.x - at.x, dy = x.y - at.y, dz = x.z - at.z, squared = dx * dx + dy * dy + dz * dz;
        if (squared < nearest.squared && (x.w != 0 || at.w != 0)) nearest = {squared, j};
    }
    return nearest;
}

}  // namespace

Shape measureShape(const ParticleSet& bodies, int threads) {
    Shape shape;
    shape.lagrangianRadii = lagrangianRadii(bodies);
    const std::size_t n = bodies.size(), half = (n + 1) / 2;
    std::vector<Nearest> rows(n);
    // Row i has i pairs: folding the triangle gives every piece the same work.
    parallelFor(half, threads, 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            for (const std::size_t i : {k, n - 1 - k}) rows[i] = nearestBefore(bodies, i);
    });
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
        if (!(rows[i].squared < best)) continue;
        best = rows[i].squared;
        shape.closest = std::sqrt(best);
        shape.closestFirst = static_cast<std::uint32_t>(rows[i].index);
        shape.closestSecond = static_cast<std::uint32_t>(i);
    }
    return shape;
}

std::size_t firstNonFinite(const ParticleSet& bodies) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        if (!std::isfinite(x.x + x.y + x.z + v.x + v.y + v.z)) return i;
    }
    return bodies.size();
}

}  // namespace gravlab
