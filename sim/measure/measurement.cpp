// One pass over all pairs for energy and closest pair. Rule: sources are summed in lanes of fixed number, then in order.
#include "sim/measure/measurement.h"

#include "sim/core/particles.h"
#include "sim/core/parallel.h"
#include "sim/forces/law.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

namespace gravlab {
namespace {

// Sources in a block: their distances stay in the nearest cache, and the compiler sees loops of known length.
constexpr std::size_t kBlock = 64, kLanes = 8;

struct Planes {
    std::vector<double> x, y, z, w;
};

struct Row {
    double energy = 0;
    double squared = std::numeric_limits<double>::infinity();
    std::size_t nearest = 0;
};

/// Softened gravity; what a body at the same place without softening adds is left out, as it has no force either.
struct GravityEnergy {
    double softeningSquared;
    double operator()(double squared) const {
        const double soft = squared + softeningSquared;
        return soft > 0 ? 1 / std::sqrt(soft) : 0;
    }
};

template <class PairLaw>
struct LawEnergy {
    PairLaw law;
    bool finiteAtZero;
    double operator()(double squared) const { return squared > 0 || finiteAtZero ? law.potential(squared) : 0; }
};

/// Body i against all before it.
template <class Energy>
Row rowBefore(const Planes& p, std::size_t i, const Energy& energy) {
    Row row;
    const bool source = p.w[i] != 0;
    std::array<double, kBlock> squared;
    std::array<double, kLanes> sum{};
    for (std::size_t base = 0; base < i; base += kBlock) {
        const std::size_t count = std::min(kBlock, i - base);
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < count; ++k) {
            const double dx = p.x[base + k] - p.x[i], dy = p.y[base + k] - p.y[i], dz = p.z[base + k] - p.z[i];
            squared[k] = dx * dx + dy * dy + dz * dz;
            least = squared[k] < least ? squared[k] : least;
        }
        std::size_t k = 0;
        for (; k + kLanes <= count; k += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane) sum[lane] += p.w[base + k + lane] * energy(squared[k + lane]);
        for (; k < count; ++k) sum[k % kLanes] += p.w[base + k] * energy(squared[k]);
        if (!(least < row.squared)) continue;
        for (k = 0; k < count; ++k)
            if (squared[k] < row.squared && (source || p.w[base + k] != 0)) {
                row.squared = squared[k];
                row.nearest = base + k;
            }
    }
    for (const double lane : sum) row.energy += lane;
    row.energy = source ? row.energy * p.w[i] : 0;
    return row;
}

template <class Energy>
std::vector<Row> rowsOf(const Planes& planes, int threads, const Energy& energy) {
    const std::size_t n = planes.x.size();
    std::vector<Row> rows(n);
    // Row i has i pairs: folding the triangle gives every piece the same work.
    parallelFor((n + 1) / 2, threads, 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
            for (const std::size_t i : {k, n - 1 - k}) rows[i] = rowBefore(planes, i, energy);
    });
    return rows;
}

}  // namespace

Measurement measureFully(const ParticleSet& bodies, const ForceSettings& force, int threads) {
    const auto start = std::chrono::steady_clock::now();
    Measurement result;
    result.conserved = measureMoments(bodies);
    result.shape.lagrangianRadii = lagrangianRadii(bodies);
    Planes planes;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Double4 &x = bodies.position[i], &v = bodies.velocity[i];
        planes.x.push_back(x.x);
        planes.y.push_back(x.y);
        planes.z.push_back(x.z);
        planes.w.push_back(x.w);
        result.spinScale += std::abs(inertialMass(x, v)) * length(x) * length(v);
    }
    double sign = 1;
    std::vector<Row> rows;
    if (loopLaw(force) == Law::gravity) {
        sign = -forceFactor(force);
        rows = rowsOf(planes, threads, GravityEnergy{force.softening * force.softening});
    } else {
        const bool finiteAtZero = force.softening > 0 || force.law == Law::lennardJones;
        rows = withLaw<double>(force, [&](const auto& law) {
            return rowsOf(planes, threads, LawEnergy<std::remove_cvref_t<decltype(law)>>{law, finiteAtZero});
        });
    }
    double best = std::numeric_limits<double>::infinity(), potential = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        potential += rows[i].energy;
        if (!(rows[i].squared < best)) continue;
        best = rows[i].squared;
        result.shape.closest = std::sqrt(best);
        result.shape.closestFirst = static_cast<std::uint32_t>(rows[i].nearest);
        result.shape.closestSecond = static_cast<std::uint32_t>(i);
    }
    result.conserved.potential = sign * potential;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace gravlab
