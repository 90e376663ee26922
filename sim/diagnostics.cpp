// Conserved quantities in fp64. Rule: rows are summed each by itself, then in order, so threads never change a bit.
#include "sim/diagnostics.h"

#include "sim/error.h"
#include "sim/parallel.h"

#include <cmath>
#include <span>
#include <vector>

namespace gravlab {
namespace {

/// Sum of m_j / sqrt(r^2 + softening^2) over the bodies before i, so that a pair counts once and a body never meets itself.
/// Bodies at one place with no softening have no force, so they get no energy either: it would be infinite.
double potentialBefore(std::span<const Double4> x, std::size_t i, double squared) {
    double sum = 0;
    for (std::size_t j = 0; j < i; ++j) {
        const double dx = x[j].x - x[i].x;
        const double dy = x[j].y - x[i].y;
        const double dz = x[j].z - x[i].z;
        const double r2 = dx * dx + dy * dy + dz * dz + squared;
        if (r2 > 0) sum += x[j].w / std::sqrt(r2);
    }
    return sum;
}

double potentialEnergy(std::span<const Double4> x, double softening, int threads) {
    const double squared = softening * softening;
    std::vector<double> row(x.size());
    // Row i has i pairs: folding the triangle gives every piece the same work.
    const std::size_t half = (x.size() + 1) / 2;
    parallelFor(half, threads, 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            for (const std::size_t i : {k, x.size() - 1 - k})
                row[i] = x[i].w == 0 ? 0 : x[i].w * potentialBefore(x, i, squared);
    });
    double sum = 0;
    for (const double term : row) sum += term;
    return -sum;
}

}  // namespace

Diagnostics measure(const ParticleSet& bodies, const ForceSettings& force, int threads) {
    if (force.law != Law::gravity) throw UsageError("energies are known for one law: gravity");
    Diagnostics d;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& x = bodies.position[i];
        const Double4& v = bodies.velocity[i];
        const double m = x.w;
        d.kinetic += m * (v.x * v.x + v.y * v.y + v.z * v.z) / 2;
        d.momentum.x += m * v.x;
        d.momentum.y += m * v.y;
        d.momentum.z += m * v.z;
        d.angularMomentum.x += m * (x.y * v.z - x.z * v.y);
        d.angularMomentum.y += m * (x.z * v.x - x.x * v.z);
        d.angularMomentum.z += m * (x.x * v.y - x.y * v.x);
        d.centreOfMass.x += m * x.x;
        d.centreOfMass.y += m * x.y;
        d.centreOfMass.z += m * x.z;
        d.centreOfMass.w += m;
    }
    if (d.centreOfMass.w != 0)
        for (double* c : {&d.centreOfMass.x, &d.centreOfMass.y, &d.centreOfMass.z}) *c /= d.centreOfMass.w;
    d.potential = potentialEnergy(bodies.position, force.softening, threads);
    return d;
}

}  // namespace gravlab
