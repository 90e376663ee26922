// Conserved quantities in fp64. Rule: rows are summed each by itself, then in order, so threads never change a bit.
#include "sim/measure/diagnostics.h"

#include "sim/core/particles.h"
#include "sim/core/parallel.h"
#include "sim/forces/law.h"

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

/// The same for any law: the sum of s_j potential(r^2). Bodies at one place without a finite energy have none.
template <class PairLaw>
double potentialBefore(std::span<const Double4> x, std::size_t i, const PairLaw& law, bool finiteAtZero) {
    double sum = 0;
    for (std::size_t j = 0; j < i; ++j) {
        const double dx = x[j].x - x[i].x;
        const double dy = x[j].y - x[i].y;
        const double dz = x[j].z - x[i].z;
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (r2 > 0 || finiteAtZero) sum += x[j].w * law.potential(r2);
    }
    return sum;
}

template <class RowEnergy>
double potentialEnergy(std::span<const Double4> x, int threads, RowEnergy rowEnergy) {
    std::vector<double> row(x.size());
    // Row i has i pairs: folding the triangle gives every piece the same work.
    const std::size_t half = (x.size() + 1) / 2;
    parallelFor(half, threads, 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            for (const std::size_t i : {k, x.size() - 1 - k}) row[i] = x[i].w == 0 ? 0 : x[i].w * rowEnergy(i);
    });
    double sum = 0;
    for (const double term : row) sum += term;
    return sum;
}

double potentialEnergy(std::span<const Double4> x, const ForceSettings& force, int threads) {
    if (loopLaw(force) == Law::gravity) {
        const double squared = force.softening * force.softening;
        return -forceFactor(force) *
               potentialEnergy(x, threads, [&](std::size_t i) { return potentialBefore(x, i, squared); });
    }
    const bool finiteAtZero = force.softening > 0 || force.law == Law::lennardJones;
    return withLaw<double>(force, [&](const auto& law) {
        return potentialEnergy(x, threads, [&](std::size_t i) { return potentialBefore(x, i, law, finiteAtZero); });
    });
}

}  // namespace

Diagnostics measureMoments(const ParticleSet& bodies) {
    Diagnostics d;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4& x = bodies.position[i];
        const Double4& v = bodies.velocity[i];
        const double m = inertialMass(x, v);
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
    return d;
}

Diagnostics measure(const ParticleSet& bodies, const ForceSettings& force, int threads) {
    Diagnostics d = measureMoments(bodies);
    d.potential = potentialEnergy(bodies.position, force, threads);
    return d;
}

}  // namespace gravlab
