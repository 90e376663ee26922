// One pass over all pairs for energy and closest pair. Rule: sources are summed in lanes of fixed number, then in order;
// rows are summed each by itself, then in order, so that threads never change a bit.
#include "sim/measure/diagnostics.h"

#include "sim/contact/contact.h"
#include "sim/core/body_edit.h"
#include "sim/core/thread_pool.h"
#include "sim/core/work_watch.h"
#include "sim/forces/law.h"
#include "sim/forces/sources.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace gravlab {
namespace {

// Sources in a block: their distances stay in the nearest cache, and the compiler sees loops of constant length.
constexpr std::size_t kBlock = 64, kLanes = 8;
constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// Positions and sources as vector registers load them.
struct Planes {
    std::vector<double> x, y, z, w;

    explicit Planes(const std::vector<Double4>& bodies) {
        for (auto* values : {&x, &y, &z, &w}) values->reserve(bodies.size());
        for (const Double4& body : bodies) {
            x.push_back(body.x);
            y.push_back(body.y);
            z.push_back(body.z);
            w.push_back(body.w);
        }
    }
};

/// A pair at distance 0 without a finite energy is left out, because it has no force either.
template <class PairLaw>
struct PairEnergy {
    PairLaw law;
    bool finiteAtZero;
    double operator()(double squared) const { return squared > 0 || finiteAtZero ? law.potential(squared) : 0; }
};

/// Sums one body against all before it.
template <class Energy>
PairRow rowBefore(const Planes& p, std::size_t i, const Energy& energy) {
    PairRow row;
    const bool source = p.w[i] != 0;
    std::array<double, kBlock> squared;
    std::array<double, kLanes> sum{};
    for (std::size_t base = 0; base < i; base += kBlock) {
        const std::size_t count = std::min(kBlock, i - base);
        double least = kNowhere;
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
            if (source || p.w[base + k] != 0) row.meet(squared[k], base + k);
    }
    for (const double lane : sum) row.energy += lane;
    row.energy = source ? row.energy * p.w[i] : 0;
    return row;
}

template <class Energy>
std::vector<PairRow> rowsOf(const Planes& planes, int threads, const Energy& energy) {
    const std::size_t n = planes.x.size();
    std::vector<PairRow> rows(n);
    // Row i has i pairs: folding the triangle gives every piece the same work.
    parallelFor((n + 1) / 2, threads, 64, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last && !WorkWatch::dropped(); ++k)
            for (const std::size_t i : {k, n - 1 - k}) rows[i] = rowBefore(planes, i, energy);
    });
    return rows;
}

/// Sums the pairs in which a body has mass, where few bodies have any. Only pairs of two of them have an energy.
template <class Energy>
std::vector<PairRow> rowsOfFew(const std::vector<Double4>& at, const SourceList& few, int threads, const Energy& energy) {
    std::vector<PairRow> rows(at.size());
    parallelFor(at.size(), threads, 1024, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last && !WorkWatch::dropped(); ++i) {
            const bool acts = at[i].w != 0;
            for (std::size_t k = 0; k < few.count; ++k) {
                const std::size_t j = few.list() ? few.list()[k] : k;
                if (at[j].w == 0 || j == i || (acts && j > i)) continue;
                const Vec3d r = xyz(at[j]) - xyz(at[i]);
                const double squared = dot(r, r);
                if (acts) rows[i].energy += at[j].w * energy(squared);
                rows[i].meet(squared, j);
            }
            rows[i].energy *= at[i].w;
        }
    });
    return rows;
}

void measureBodies(const ParticleSet& bodies, Diagnostics& d) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        const Vec3d x = xyz(bodies.position[i]), v = xyz(bodies.velocity[i]);
        const double m = inertialMass(bodies.position[i], bodies.velocity[i]);
        d.kinetic += m * dot(v, v) / 2;
        d.momentum += m * v;
        d.angularMomentum += m * cross(x, v);
        d.centreOfMass += m * x;
        d.mass += m;
        d.angularMomentumScale += std::abs(m) * length(x) * length(v);
    }
    if (d.mass != 0) d.centreOfMass /= d.mass;
    const Rotation rotation = rotationOf(bodies);
    d.kinetic += rotation.energy;
    d.angularMomentum += rotation.angularMomentum;
}

}  // namespace

PairSum allPairs(const ParticleSet& bodies, const ForceSettings& force, int threads) {
    ForceSettings loop = force;
    loop.law = loopLaw(force);
    const SourceList few = sourcesOf(bodies.position);
    const std::vector<PairRow> rows = withLaw<double>(loop, [&](const auto& law) {
        const PairEnergy<std::remove_cvref_t<decltype(law)>> energy{law, finiteAtZero(force)};
        if (few.count < bodies.size()) return rowsOfFew(bodies.position, few, threads, energy);
        return rowsOf(Planes(bodies.position), threads, energy);
    });
    PairTotal total;
    for (std::size_t i = 0; i < rows.size(); ++i) total.add(rows[i], i);
    return total.result(forceFactor(force));
}

std::array<double, 3> lagrangianRadii(const ParticleSet& bodies) {
    const std::size_t n = bodies.size();
    const auto massOf = [&](std::size_t i) { return std::abs(inertialMass(bodies.position[i], bodies.velocity[i])); };
    Vec3d centre{};
    double whole = 0;
    for (std::size_t i = 0; i < n; ++i) {
        centre += massOf(i) * xyz(bodies.position[i]);
        whole += massOf(i);
    }
    std::array<double, 3> radii{};
    if (!(whole > 0)) return radii;
    centre /= whole;
    std::vector<std::pair<double, double>> shells;  // distance from the centre, mass
    shells.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        if (massOf(i) > 0) shells.emplace_back(distance(xyz(bodies.position[i]), centre), massOf(i));
    std::ranges::sort(shells);
    double inside = 0;
    std::size_t share = 0;
    for (const auto& [radius, shell] : shells) {
        inside += shell;
        while (share < radii.size() && inside >= kLagrangianShares[share] * whole * (1 - 1e-12)) radii[share++] = radius;
    }
    return radii;
}

Diagnostics measureSystem(const ParticleSet& bodies, const ForceTerms& terms, int threads, const PairSummation& pairs) {
    const auto start = std::chrono::steady_clock::now();
    Diagnostics result;
    measureBodies(bodies, result);
    result.shape.lagrangianRadii = lagrangianRadii(bodies);
    const PairSum sum = (pairs ? pairs : allPairs)(bodies, pairLawOf(terms), threads);
    result.potential = sum.potential;
    result.potentialError = sum.error;
    result.shape.closest = sum.closest;
    result.shape.closestFirst = sum.closestFirst;
    result.shape.closestSecond = sum.closestSecond;
    for (const auto& term : othersOf(terms)) result.potential += term->potential(termBodies(bodies));
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

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
    // A term's energy is divided by the same inertia as its force; a body without inertia feels no force of the term.
    if (source != 0)
        for (const auto& term : othersOf(terms)) energy += answers / source * term->potentialOf(termBodies(bodies), index);
    return energy;
}

bool isBound(double specificEnergy, const ForceSettings& force) {
    return lawRow(force.law).confines(force) || specificEnergy < 0;
}

}  // namespace gravlab
